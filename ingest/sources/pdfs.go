package sources

import (
	"bytes"
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

// PDFsAt finds PDFs by the path in a paper's row, relative to dir. The caller must close it.
func PDFsAt(dir string) (*PDFs, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("look for PDFs: %w", err)
	}
	return &PDFs{root: root, byID: map[string]string{}}, nil
}

// OpenPDFs finds PDFs named UUID.pdf anywhere below dir, or else like [PDFsAt]. The caller must close it.
func OpenPDFs(dir string) (*PDFs, error) {
	p, err := PDFsAt(dir)
	if err != nil {
		return nil, err
	}
	err = fs.WalkDir(p.root.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		id := strings.ToLower(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
		if _, twice := p.byID[id]; err == nil && !entry.IsDir() && isPDF(path) && qa.IsUUID(id) && !twice {
			p.byID[id] = path
		}
		return err
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("look for PDFs in %s: %w", dir, err), p.Close())
	}
	return p, nil
}

func isPDF(path string) bool { return strings.EqualFold(filepath.Ext(path), ".pdf") }

// Close closes the directory. A nil PDFs is valid.
func (p *PDFs) Close() error {
	if p == nil {
		return nil
	}
	return p.root.Close()
}

// pdf is a file; the zero value means none.
type pdf struct {
	path string
	size int64
}

// find finds the PDF of a paper.
func (p *PDFs) find(m paperdb.Metadata) pdf {
	if p == nil {
		return pdf{}
	}
	for _, path := range []string{p.byID[m.PaperID], filepath.FromSlash(m.PDFPath)} {
		if !isPDF(path) {
			continue
		}
		if info, err := p.root.Stat(path); err == nil && info.Mode().IsRegular() {
			return pdf{path: path, size: info.Size()}
		}
	}
	return pdf{}
}

// read loads a file. It returns nil if there is none or it is not a PDF.
func (p *PDFs) read(file pdf) ([]byte, error) {
	const maxPDF = 200 << 20
	if file.path == "" {
		return nil, nil
	}
	name := filepath.Base(file.path)
	if file.size > maxPDF {
		return nil, fmt.Errorf("%s has %d MB, more than the limit of %d MB: imported without PDF", name, file.size>>20, maxPDF>>20)
	}
	data, err := p.root.ReadFile(file.path)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: imported without PDF", name)
	}
	if !bytes.Contains(data[:min(len(data), 1024)], []byte("%PDF-")) {
		return nil, fmt.Errorf("%s is not a PDF: imported without PDF", name)
	}
	return data, nil
}
