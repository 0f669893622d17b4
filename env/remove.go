package env

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"airqa/env/datadir"
	"airqa/env/paperdb"
)

// removalName is the file that lists papers whose removal has begun. It makes a removal complete after a crash: the rows
// go with a new generation, and the next writer removes the files that are left.
const removalName = "removing.json"

type removal struct {
	Format int        `json:"format"`
	Papers []Removing `json:"papers"`
}

// Removing is a paper to remove.
type Removing struct {
	PaperID string `json:"paper_id"`
	// Files are its files, relative to the data directory, with forward slashes: the PDF, and the download that it was
	// read from with the metadata beside it.
	Files []string `json:"files"`
	// Bytes is the size of the files.
	Bytes int64 `json:"-"`
}

// RemovalPending reports whether files of removed papers are left in a data directory, or a removal was interrupted. A
// writer completes it.
func RemovalPending(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, removalName))
	return err == nil
}

// FindRemoval returns the ids of the papers that names stand for, each once, as [Papers.Find] does. A name that matches
// several papers is an error that lists them.
func (p *Papers) FindRemoval(ctx context.Context, names []string) ([]string, error) {
	var picked []string
	for _, name := range names {
		found, err := p.Find(ctx, name)
		if err != nil {
			return nil, err
		}
		if len(found) > 1 {
			return nil, p.ambiguous(ctx, name, ", and none was removed; name one by its id", found)
		}
		if !slices.Contains(picked, found[0]) {
			picked = append(picked, found[0])
		}
	}
	return picked, nil
}

// PlanRemoval lists the files that go with papers. It changes nothing. A download stays when another paper was read from
// the same PDF.
func (p *Papers) PlanRemoval(ctx context.Context, picked []paperdb.Holding) ([]Removing, error) {
	d, sizes := p.dir, map[int64]bool{}
	var hashes, ids []string
	for _, h := range picked {
		hashes, ids = append(hashes, h.File.SHA256), append(ids, h.PaperID)
		if path, err := d.PDFPath(h.PaperID); err == nil {
			sizes[sizeOf(path)] = true
		}
	}
	kept, err := p.SharedFiles(ctx, hashes, ids)
	if err != nil {
		return nil, err
	}
	downloads, err := d.DownloadsByHash(sizes)
	if err != nil {
		return nil, fmt.Errorf("remove papers: %w", err)
	}
	plan := make([]Removing, len(picked))
	for i, h := range picked {
		var names []string
		if name, err := datadir.PDFName(h.PaperID); err == nil {
			names = append(names, name)
		}
		if !slices.Contains(kept, h.File.SHA256) {
			names = append(names, downloads[h.File.SHA256]...)
		}
		plan[i] = removing(d, h.PaperID, names)
	}
	return plan, nil
}

// removing lists those of the files that exist.
func removing(d *datadir.Dir, paperID string, names []string) Removing {
	r := Removing{PaperID: paperID, Files: []string{}}
	for _, name := range names {
		if size := sizeOf(filepath.Join(d.Path(), filepath.FromSlash(name))); size >= 0 {
			r.Files, r.Bytes = append(r.Files, name), r.Bytes+size
		}
	}
	return r
}

// sizeOf returns the size of a file, or -1.
func sizeOf(path string) int64 {
	info, err := os.Lstat(path)
	if err != nil {
		return -1
	}
	return info.Size()
}

// Remove removes the rows of papers in one transaction. Readers see the change after Finish, which removes the files, too,
// unless an earlier generation is still needed: then a later writer does. Replies of models stay.
func (w *Writer) Remove(ctx context.Context, papers []Removing) error {
	pending, err := w.pendingRemoval()
	if err != nil {
		return err
	}
	ids := make([]string, len(papers))
	for i, p := range papers {
		ids[i] = p.PaperID
	}
	if err := datadir.WriteRecord(w.removalPath(), removal{Format: 1, Papers: append(pending, papers...)}); err != nil {
		return fmt.Errorf("remove papers: %w", err)
	}
	if err := w.change(ctx, func(db *paperdb.Writer) error { return db.Remove(ctx, ids) }); err != nil {
		return fmt.Errorf("remove papers: %w", err)
	}
	return nil
}

func (w *Writer) removalPath() string { return filepath.Join(w.dir.Path(), removalName) }

func (w *Writer) pendingRemoval() ([]Removing, error) {
	var r removal
	err := datadir.ReadRecord(w.removalPath(), &r)
	return r.Papers, err
}

// dropRemoved removes the files of papers that the generation d, which has become the current one, does not have.
func (w *Writer) dropRemoved(ctx context.Context, d *datadir.Dir) (err error) {
	papers, err := w.pendingRemoval()
	if err != nil || len(papers) == 0 {
		return err
	}
	if kept, err := d.Prune(); err != nil || len(kept) > 1 {
		return err
	}
	db, err := paperdb.OpenStored(ctx, d.Database())
	if err == nil {
		err = errors.Join(dropFiles(ctx, d.Path(), db, papers), db.Close())
	}
	if err == nil {
		err = os.Remove(w.removalPath())
	}
	if err != nil {
		return fmt.Errorf("remove papers: %w", err)
	}
	return nil
}

// dropFiles removes the files of those papers that the database does not have: of others, the removal did not begin, or
// they were added again.
func dropFiles(ctx context.Context, dir string, db *paperdb.Writer, papers []Removing) (err error) {
	root, err := os.OpenRoot(dir) // no path of the list leads out
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for _, p := range papers {
		_, have, err := db.Owner(ctx, p.PaperID)
		if err != nil {
			return err
		}
		for _, name := range p.Files {
			if have {
				break
			}
			if err := root.Remove(filepath.FromSlash(path.Clean(name))); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}
