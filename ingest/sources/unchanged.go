package sources

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"airqa/env/datadir"
	"airqa/env/paperdb"
)

// Known recognises a database that was imported completely and has not changed, so that another import of it does not
// read its papers.
type Known struct {
	// Path is the file of the database, Dir the data directory.
	Path string
	Dir  *datadir.Dir
}

// listed is a source that lists the PDFs of its papers without reading them.
type listed interface {
	PDFPaths(ctx context.Context) ([]paperdb.Metadata, error)
}

// filed is a store that lists the files of its papers.
type filed interface {
	Files(ctx context.Context) ([]paperdb.Owned, error)
}

// version identifies the content of the database and the sizes of the PDFs; empty if the source does not tell.
func (c ImportConfig) version(ctx context.Context) (string, error) {
	from, ok := c.From.(listed)
	if !ok || c.Known == nil {
		return "", nil
	}
	sum, err := datadir.HashOf(c.Known.Path)
	if err != nil {
		return "", err
	}
	papers, err := from.PDFPaths(ctx)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%s %s\n", Parser, sum) // a hash takes everything
	for _, m := range papers {
		_, _ = fmt.Fprintf(h, "%s %d\n", m.PaperID, c.PDFs.find(m).size)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// unchanged reports whether a version was imported completely and all papers are still those of the database.
func (c ImportConfig) unchanged(ctx context.Context, version string, ids []string) (bool, error) {
	to, ok := c.Store.(filed)
	if !ok || version == "" {
		return false, nil
	}
	before, err := c.Known.Dir.Imported(c.Name)
	if err != nil || before != version {
		return false, err
	}
	files, err := to.Files(ctx)
	if err != nil {
		return false, err
	}
	mine := make(map[string]bool, len(files))
	for _, f := range files {
		mine[f.PaperID] = f.Name == c.Name && strings.HasPrefix(f.Parser, Parser)
	}
	for _, id := range ids {
		if !mine[strings.ToLower(id)] {
			return false, nil
		}
	}
	return true, nil
}
