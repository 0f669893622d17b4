package datadir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	"airqa/internal/files"
	"airqa/internal/ledger"
)

// A generation is a version of the papers: a database of its own, and manifests of the collections, which share their
// segments with other generations. airqa.json names the current one. A writer fills the next one and makes it the current
// one at the end, so readers of a generation never see a change. Generation 0, before the first ingest, has no files.
const (
	generationsName = "generations"
	holdName        = "lock" // shared by the readers of a generation
	runsName        = "runs" // a file for each run that needs the generation
	storedName      = "database.json"
)

// Generation returns the number of the generation that d reads or, after [Dir.Next], writes.
func (d *Dir) Generation() int { return d.generation }

// Next returns the directory with the generation after the current one, for its writer.
func (d *Dir) Next() (*Dir, error) {
	info, err := d.Info()
	return &Dir{path: d.path, generation: info.Generation + 1}, err
}

func (d *Dir) folder() string {
	return filepath.Join(d.path, generationsName, strconv.Itoa(d.generation))
}

func (d *Dir) holdFile() string { return filepath.Join(d.folder(), holdName) }

// Hold keeps a generation until [Dir.Release]: the one with a fingerprint if there is one, else the current one. An empty
// fingerprint means the current one.
func (d *Dir) Hold(fingerprint string) error {
	const tries = 5 // a writer may remove the generation in between
	var lost error
	for range tries {
		info, err := d.find(fingerprint)
		if err != nil {
			return err
		}
		d.generation = info.Generation
		lock, err := files.LockShared(d.holdFile())
		if err == nil {
			d.hold = lock
		}
		// A lock that cannot be taken, as on a read-only disk, is no reason to refuse reading.
		if lost = d.checkDatabase(info); lost == nil {
			first := &Dir{path: d.path, generation: 1}
			if _, err := os.Stat(first.Database()); d.generation > 0 || err != nil {
				return nil //nolint:nilerr // no ingest was begun
			}
			return errors.Join(d.Release(), fmt.Errorf("open data directory %s: %w; if it was interrupted, "+
				"run the same airqa command again", d.path, ErrUnfinished))
		}
		if err := d.Release(); err != nil {
			return err
		}
	}
	return fmt.Errorf("open data directory %s: %w", d.path, lost)
}

// CheckDatabase returns an error if the generation had papers when it became the current one, and its database is missing or
// has another size. A writer would begin a new database in its place, or continue one that lacks papers.
func (d *Dir) CheckDatabase() error {
	info, err := d.Info()
	if err != nil {
		return err
	}
	return d.checkDatabase(info)
}

func (d *Dir) checkDatabase(info Info) error {
	if d.generation == 0 {
		return nil
	}
	rel, err := filepath.Rel(d.path, d.Database())
	if err != nil {
		return err
	}
	file, err := os.Stat(d.Database())
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is missing (it had %d papers); %s", filepath.ToSlash(rel), info.Papers, restoreHint)
	}
	if err != nil {
		return nil //nolint:nilerr // opening it says why
	}
	var want stored
	record := filepath.Join(d.folder(), storedName)
	if err := ReadRecord(record, &want); err != nil {
		return err
	}
	if want.Format == 0 {
		return fmt.Errorf("%s is missing; %s", record, restoreHint)
	}
	if want.Bytes != file.Size() {
		return fmt.Errorf("%s has %d bytes, not %d; %s", filepath.ToSlash(rel), file.Size(), want.Bytes, restoreHint)
	}
	return nil
}

const restoreHint = "restore it from a copy of the folder, or ingest into a new one"

// stored describes the database of a generation, which does not change any more once it is the current one.
type stored struct {
	Format int `json:"format"`
	// Bytes is the size of the file.
	Bytes int64 `json:"bytes"`
}

// Release ends Hold. It may be called without Hold.
func (d *Dir) Release() error {
	if d.hold == nil {
		return nil
	}
	hold := d.hold
	d.hold = nil
	return hold.Close()
}

// find returns the description of the generation with a fingerprint, or of the current one.
func (d *Dir) find(fingerprint string) (Info, error) {
	current, err := d.Info()
	if err != nil || fingerprint == "" || current.Fingerprint == fingerprint {
		return current, err
	}
	numbers, err := d.generations()
	for _, n := range numbers {
		old := &Dir{path: d.path, generation: n}
		if info, err := old.sealed(); err == nil && n != current.Generation && info.Fingerprint == fingerprint {
			return info, nil
		}
	}
	return current, err
}

// Sealed reports whether the description that a generation got when it became the current one is that of airqa.json.
// That of earlier ones is not compared.
func (d *Dir) Sealed() (bool, error) {
	info, err := d.Info()
	if err != nil || d.generation != info.Generation {
		return err == nil, err
	}
	own, err := d.sealed()
	return err == nil && own.Generation == info.Generation && own.Fingerprint == info.Fingerprint && own.Papers == info.Papers, nil
}

// sealed returns the description that a generation got when it became the current one.
func (d *Dir) sealed() (info Info, err error) {
	text, err := os.ReadFile(filepath.Join(d.folder(), InfoName))
	if err == nil {
		err = ledger.Strict(text, &info)
	}
	return info, err
}

// Recorded returns the fingerprint that the papers had when the generation became the current one.
func (d *Dir) Recorded() (string, error) {
	info, err := d.sealed()
	if err != nil {
		return "", fmt.Errorf("the description of its papers is damaged or missing: %w; airqa store vectors --rebuild makes it again", err)
	}
	return info.Fingerprint, nil
}

// generations returns the numbers of the generations from 1, ascending.
func (d *Dir) generations() ([]int, error) {
	entries, err := os.ReadDir(filepath.Join(d.path, generationsName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list generations: %w", err)
	}
	var list []int
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil && n > 0 {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list, nil
}

// Branch copies the database of the current generation for its successor, from [Dir.Next]. A copy of an interrupted
// writer stays as it is. Without papers it does nothing.
func (d *Dir) Branch(current *Dir) error {
	if err := current.CheckDatabase(); err != nil {
		return err
	}
	if _, err := os.Stat(d.Database()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(d.folder(), 0o755); err != nil {
		return fmt.Errorf("branch data directory: %w", err)
	}
	if err := files.IgnoreMissing(files.Copy(d.Database(), current.Database())); err != nil {
		return fmt.Errorf("branch data directory: %w", err)
	}
	return nil
}

// Commit makes the generation of d, from [Dir.Next], the current one.
func (d *Dir) Commit(info Info) error {
	if err := d.commit(info); err != nil {
		return fmt.Errorf("commit data directory: %w", err)
	}
	return nil
}

func (d *Dir) commit(info Info) error {
	info.Generation = d.generation
	text, err := d.encode(info)
	if err != nil {
		return err
	}
	database, err := os.Stat(d.Database())
	if err != nil {
		return err
	}
	if err := WriteRecord(filepath.Join(d.folder(), storedName), stored{Format: recordFormat, Bytes: database.Size()}); err != nil {
		return err
	}
	if err := files.WriteFile(filepath.Join(d.folder(), InfoName), text); err != nil {
		return err
	}
	if err := os.WriteFile(d.holdFile(), nil, 0o644); err != nil { // so that readers without write permission can lock it
		return err
	}
	return files.WriteFile(d.file(), text)
}

// Prune removes the generations that are not needed: all but the current one, those being read and those of unfinished runs.
// It returns the numbers of the remaining ones. The caller must hold the write lock.
func (d *Dir) Prune() (kept []int, err error) {
	info, err := d.Info()
	if err != nil {
		return nil, err
	}
	numbers, err := d.generations()
	if err != nil {
		return nil, err
	}
	for _, n := range numbers {
		old := &Dir{path: d.path, generation: n}
		gone := false
		if n < info.Generation {
			if gone, err = old.removeUnused(); err != nil {
				return nil, err
			}
		}
		if !gone {
			kept = append(kept, n)
		}
	}
	return kept, nil
}

// removeUnused removes a generation that is neither read nor needed by a run.
func (d *Dir) removeUnused() (bool, error) {
	needed, err := d.needed()
	if err != nil || needed {
		return false, err
	}
	lock, err := files.Lock(d.holdFile())
	if errors.Is(err, files.ErrLocked) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("remove generation %d: %w", d.generation, err)
	}
	if err = errors.Join(os.RemoveAll(d.folder()), lock.Close()); err != nil {
		return false, fmt.Errorf("remove generation %d: %w", d.generation, err)
	}
	return true, nil
}

// pin is the file of a run that needs a generation.
type pin struct {
	Run string `json:"run"`
}

func (d *Dir) pinFile(run string) string {
	return filepath.Join(d.folder(), runsName, files.Hash(run)[:16]+".json")
}

// Pin keeps the generation for an unfinished run, given by the path of its directory, until [Dir.Unpin] or until the
// directory of the run is gone. It does nothing in a directory that cannot be written.
func (d *Dir) Pin(run string) error {
	run, err := filepath.Abs(run)
	if err != nil {
		return err
	}
	err = WriteRecord(d.pinFile(run), pin{Run: run})
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("keep the papers for %s: %w", run, err)
	}
	return nil
}

// Unpin ends Pin.
func (d *Dir) Unpin(run string) error {
	run, err := filepath.Abs(run)
	if err != nil {
		return err
	}
	err = files.IgnoreMissing(os.Remove(d.pinFile(run)))
	if err != nil && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("release the papers of %s: %w", run, err)
	}
	return nil
}

// needed reports whether the directory of a run that needs the generation exists.
func (d *Dir) needed() (bool, error) {
	inside := os.DirFS(d.folder())
	files, err := fs.Glob(inside, runsName+"/*.json")
	for _, f := range files {
		text, readErr := fs.ReadFile(inside, f)
		var p pin
		if readErr != nil || json.Unmarshal(text, &p) != nil {
			continue
		}
		if _, statErr := os.Stat(p.Run); statErr == nil {
			return true, nil
		}
	}
	return false, err
}
