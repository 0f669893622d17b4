// Package files replaces, locks and hashes files.
//
// [Write] and [WriteFile] write so that a reader, even after a crash, finds the old file or the new one and never a part:
// they fill a temporary file in the same folder, sync it and rename it. [Lock] gives one process at a time the right to
// write somewhere, [LockByte] does so for one byte of a file. The system releases a lock when the process ends, however it
// ends. [Stage] writes a whole folder beside its place. [Hash] is the SHA-256 by which the program names contents.
package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/google/renameio/v2"
)

// newMode has the permissions of a new file before the umask takes its part: data directories and runs are shared with
// other users.
const newMode = 0o666

// leftover matches the names of temporary files: those of renameio and of links.
var leftover = regexp.MustCompile(`^\.(tmp-\d+|.+\d{12,19})$`)

// IsLeftover reports whether a file of this name was left behind by a writer that was killed. Only the owner of a folder
// may remove such files: another writer may still be filling one.
func IsLeftover(name string) bool { return leftover.MatchString(name) }

// WriteFile puts data at path as [Write] does.
func WriteFile(path string, data []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Write replaces the file at path with what fill writes. It makes missing folders. When fill or the disk fails, the old
// file stays. The permissions are those of the old file; a new one is readable by all users that the umask allows.
// A pipe or a device, such as /dev/stdout, is written to and stays.
func Write(path string, fill func(io.Writer) error) error {
	if err := replace(path, fill); err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	return nil
}

func replace(path string, fill func(io.Writer) error) error {
	if isStream(path) {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		return errors.Join(fillBuffered(f, fill), f.Close())
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return pending(path, func(f *os.File) error { return fillBuffered(f, fill) }, renameio.WithExistingPermissions())
}

// pending replaces the file at path with what fill writes.
func pending(path string, fill func(*os.File) error, more ...renameio.Option) error {
	options := append([]renameio.Option{renameio.WithTempDir(filepath.Dir(path)), renameio.WithPermissions(newMode)}, more...)
	f, err := renameio.NewPendingFile(path, options...)
	if err != nil {
		return err
	}
	if err = fill(f.File); err == nil {
		err = f.CloseAtomicallyReplace()
	}
	return errors.Join(err, f.Cleanup())
}

// isStream reports whether a path is no file that another may replace: a pipe, a device, or a link to one. Links in /dev
// and /proc may lead to files, but belong to the system.
func isStream(path string) bool {
	own, err := os.Lstat(path)
	if err != nil || own.Mode().IsRegular() || own.IsDir() {
		return false
	}
	clean := filepath.ToSlash(filepath.Clean(path))
	if strings.HasPrefix(clean, "/dev/") || strings.HasPrefix(clean, "/proc/") {
		return true
	}
	target, err := os.Stat(path)
	return err == nil && !target.Mode().IsRegular() && !target.IsDir()
}

func fillBuffered(f io.Writer, fill func(io.Writer) error) error {
	w := bufio.NewWriterSize(f, 1<<20)
	if err := fill(w); err != nil {
		return err
	}
	return w.Flush()
}

// IgnoreMissing returns err, or nil if it is that of a file that does not exist.
func IgnoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Copy replaces the file at path with the content of the file from. Where the file system shares blocks, nothing is copied;
// otherwise the system may copy it without reading it. The permissions are those of a new file.
func Copy(path, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // it is only read
	err = pending(path, func(f *os.File) error {
		if clone(f, in) == nil {
			return nil
		}
		_, err := io.Copy(f, in)
		return err
	})
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	return nil
}
