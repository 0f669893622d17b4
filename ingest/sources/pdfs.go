package sources

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"airqa/env/paperdb"
	"airqa/qa"
)

// PDFs finds the PDFs of released papers below one directory. It never leaves the directory, because the paths are
// untrusted.
type PDFs struct {
	root *os.Root
	byID map[string]string // path below root by UUID in lower case
}

// OpenPDFs finds PDFs named UUID.pdf anywhere below dir, or else by the path in a paper's row, relative to dir. An empty dir
// is the working directory, where only the paths in the rows count. The caller must close it.
func OpenPDFs(dir string) (*PDFs, error) {
	root, err := os.OpenRoot(cmp.Or(dir, "."))
	if err != nil {
		return nil, fmt.Errorf("look for PDFs: %w", err)
	}
	p := &PDFs{root: root, byID: map[string]string{}}
	if dir == "" {
		return p, nil
	}
	err = fs.WalkDir(root.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		id := strings.ToLower(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
		if _, twice := p.byID[id]; err == nil && !entry.IsDir() && isPDF(path) && qa.IsUUID(id) && !twice {
			p.byID[id] = path
		}
		return err
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("look for PDFs in %s: %w", dir, err), root.Close())
	}
	return p, nil
}

func isPDF(path string) bool { return strings.EqualFold(filepath.Ext(path), ".pdf") }

// Close closes the directory.
func (p *PDFs) Close() error { return p.root.Close() }

// find returns the path and size of a paper's PDF, or nothing. A nil PDFs finds none.
func (p *PDFs) find(m paperdb.Metadata) (path string, size int64) {
	if p == nil {
		return "", 0
	}
	for _, path := range []string{p.byID[m.PaperID], filepath.FromSlash(m.PDFPath)} {
		if !isPDF(path) {
			continue
		}
		if info, err := p.root.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, info.Size()
		}
	}
	return "", 0
}

// read loads a file that find has found. It returns nil if there is none or it is not a PDF.
func (p *PDFs) read(path string, size int64) ([]byte, error) {
	const maxPDF = 200 << 20
	if path == "" {
		return nil, nil
	}
	name := filepath.Base(path)
	if size > maxPDF {
		return nil, fmt.Errorf("%s has %d MB, more than the limit of %d MB: imported without PDF", name, size>>20, maxPDF>>20)
	}
	data, err := p.root.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: imported without PDF", name)
	}
	if !bytes.Contains(data[:min(len(data), 1024)], []byte("%PDF-")) {
		return nil, fmt.Errorf("%s is not a PDF: imported without PDF", name)
	}
	return data, nil
}
