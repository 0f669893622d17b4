package index

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"airqa/env/datadir"
	"airqa/env/paperdb"
)

// Papers are the papers of a generation, which its search index belongs to.
type Papers struct {
	// Files are the files that the papers were read from, ordered by paper id.
	Files []paperdb.Owned
	// Fingerprint is the fingerprint of their sources, see [datadir.Fingerprint].
	Fingerprint string
}

// PapersOf returns the papers with some files, which are ordered by paper id.
func PapersOf(files []paperdb.Owned) Papers {
	sources := make([]datadir.Source, len(files))
	for i, f := range files {
		sources[i] = SourceOf(f)
	}
	return Papers{files, datadir.Fingerprint(sources)}
}

// ReadPapers reads the papers of a database.
func ReadPapers(ctx context.Context, db interface {
	Sources(ctx context.Context) ([]paperdb.Owned, error)
},
) (Papers, error) {
	files, err := db.Sources(ctx)
	return PapersOf(files), err
}

// IDs returns the ids of the papers.
func (p Papers) IDs() []string {
	ids := make([]string, len(p.Files))
	for i, f := range p.Files {
		ids[i] = f.PaperID
	}
	return ids
}

// Version returns the version of a paper; "" if it is not there.
func (p Papers) Version(paperID string) string {
	i, ok := slices.BinarySearchFunc(p.Files, paperID, func(f paperdb.Owned, id string) int { return strings.Compare(f.PaperID, id) })
	if !ok {
		return ""
	}
	return SourceOf(p.Files[i]).Version()
}

// Versions returns the versions of all papers.
func (p Papers) Versions() map[string]string {
	versions := make(map[string]string, len(p.Files))
	for _, f := range p.Files {
		versions[f.PaperID] = SourceOf(f).Version()
	}
	return versions
}

// With returns the papers after a change of some, whose ids and present files are both sorted.
func (p Papers) With(changed []string, files []paperdb.Owned) Papers {
	all := slices.DeleteFunc(slices.Clone(p.Files), func(f paperdb.Owned) bool {
		_, ok := slices.BinarySearch(changed, f.PaperID)
		return ok
	})
	all = append(all, files...)
	slices.SortFunc(all, func(a, b paperdb.Owned) int { return strings.Compare(a.PaperID, b.PaperID) })
	return PapersOf(all)
}

// Without returns the papers that others do not have from the same files, sorted and not nil.
func (p Papers) Without(others Papers) []string {
	have := make(map[datadir.Source]bool, len(others.Files))
	for _, f := range others.Files {
		have[SourceOf(f)] = true
	}
	ids := []string{}
	for _, f := range p.Files {
		if !have[SourceOf(f)] {
			ids = append(ids, f.PaperID)
		}
	}
	return ids
}

// SourceOf returns what the fingerprint has of a paper.
func SourceOf(f paperdb.Owned) datadir.Source {
	return datadir.Source{PaperID: f.PaperID, SHA256: f.SHA256, MetadataSHA256: f.MetadataSHA256, Parser: f.Parser}
}

// OtherPapers is the error of a database that does not have the papers of its description.
func OtherPapers(database string, have int, info datadir.Info) error {
	return fmt.Errorf("%s has %d other papers than the %d of %s; restore all files from one copy of the folder",
		database, have, info.Papers, datadir.InfoName)
}

// OpenPapers opens the current generation of a data directory and its database. The caller closes the database and releases
// the directory.
func OpenPapers(ctx context.Context, path string) (*datadir.Dir, *paperdb.Reader, error) {
	dir, err := datadir.Open(path)
	if err != nil {
		return nil, nil, err
	}
	if err := dir.Hold(""); err != nil {
		return nil, nil, err
	}
	db, err := paperdb.OpenReader(ctx, paperdb.Config{Path: dir.Database()})
	if err != nil {
		err = errors.Join(err, dir.Release())
	}
	return dir, db, err
}
