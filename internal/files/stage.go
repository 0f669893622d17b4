package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// OccupiedError reports a place that holds something else, which the caller may agree to replace.
type OccupiedError struct{ Err error }

func (e *OccupiedError) Error() string { return e.Err.Error() }

func (e *OccupiedError) Unwrap() error { return e.Err }

// Endings of the hidden names beside a folder: what is being written, its lock, and an old folder that is being replaced.
const (
	partial  = ".partial"
	lockFile = ".partial.lock"
	replaced = ".replaced"
)

// hidden is a hidden path beside a folder.
func hidden(final, ending string) string {
	return filepath.Join(filepath.Dir(final), "."+filepath.Base(final)+ending)
}

// Staged is a folder that is written beside its place, and put there when it is complete: no reader, even after a crash, finds a
// part of one. One process at a time has it. The files inside are the caller's.
type Staged struct {
	// Path is the hidden folder. It is missing until the caller makes it.
	Path  string
	final string
	lock  io.Closer
}

// Stage locks the place of a folder, of which it makes the parents, and clears what a killed writer left. The error is
// [ErrLocked] if another process, or another part of this one, writes the same folder.
func Stage(final string) (*Staged, error) {
	if err := os.MkdirAll(filepath.Dir(final), 0o755); err != nil {
		return nil, err
	}
	lock, err := Lock(hidden(final, lockFile))
	if err != nil {
		return nil, err
	}
	d := &Staged{Path: hidden(final, partial), final: final, lock: lock}
	if err := errors.Join(RestoreReplaced(final), os.RemoveAll(d.Path)); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// Close removes the hidden folder, or the old one that it was exchanged for, and releases the lock.
func (d *Staged) Close() error {
	return errors.Join(os.RemoveAll(d.Path), os.Remove(hidden(d.final, lockFile)), d.lock.Close())
}

// Move moves the folder at path, which is d.Path or inside of it, to its place. There must be no folder, or an empty one.
func (d *Staged) Move(path string) error {
	if err := os.Remove(d.final); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(path, d.final); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(d.final))
}

// Replace puts the folder in the place of an old one, which may be missing. A reader finds one of the two at any time, but
// on file systems that cannot exchange names. If the program is killed there in between, [RestoreReplaced] brings the old one back.
func (d *Staged) Replace() error {
	if _, err := os.Lstat(d.final); errors.Is(err, fs.ErrNotExist) {
		return d.Move(d.Path)
	}
	if exchange(d.Path, d.final) == nil {
		return syncFolder(filepath.Dir(d.final))
	}
	old := hidden(d.final, replaced)
	if err := os.Rename(d.final, old); err != nil {
		return err
	}
	if err := os.Rename(d.Path, d.final); err != nil {
		return errors.Join(err, os.Rename(old, d.final))
	}
	return errors.Join(syncFolder(filepath.Dir(d.final)), os.RemoveAll(old))
}

// RestoreReplaced completes or undoes a replacement that was killed.
func RestoreReplaced(final string) error {
	old := hidden(final, replaced)
	if _, err := os.Lstat(old); err != nil {
		return nil //nolint:nilerr // there is none
	}
	if _, err := os.Lstat(final); errors.Is(err, fs.ErrNotExist) {
		return os.Rename(old, final)
	}
	return os.RemoveAll(old)
}

// SweepStaged removes what a killed writer left, unless a process is writing.
func SweepStaged(final string) error {
	if _, err := os.Lstat(hidden(final, partial)); err != nil {
		return nil //nolint:nilerr // there is nothing
	}
	d, err := Stage(final)
	if errors.Is(err, ErrLocked) {
		return nil
	}
	if err != nil {
		return err
	}
	return d.Close()
}

// manyFiles is the number of files from which the whole file system is flushed at once instead of file by file.
const manyFiles = 100

// Sync waits until files of the hidden folder, named with slashes, are on disk.
func (d *Staged) Sync(names []string) error {
	if len(names) >= manyFiles && syncPath(d.Path, os.O_RDONLY, syncSystem) == nil {
		return nil
	}
	for _, name := range names {
		if err := syncPath(filepath.Join(d.Path, filepath.FromSlash(name)), os.O_RDWR, (*os.File).Sync); err != nil {
			return err
		}
	}
	return nil
}

// syncFolder makes renames in a folder permanent.
func syncFolder(path string) error { return syncPath(path, os.O_RDONLY, (*os.File).Sync) }

func syncPath(path string, flag int, sync func(*os.File) error) error {
	f, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return err
	}
	return errors.Join(sync(f), f.Close())
}
