package files

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
)

// Link replaces the file at path with the file from, which nobody may change in place: with a hard link where the system
// allows one, else with a copy. It makes missing folders.
func Link(path, from string) error {
	from, err := filepath.EvalSymlinks(from)
	if err != nil {
		return err
	}
	there, errThere := os.Stat(path)
	source, errSource := os.Stat(from)
	if errThere == nil && errSource == nil && os.SameFile(there, source) {
		return nil
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	temporary := filepath.Join(dir, ".tmp-"+strconv.FormatUint(rand.Uint64(), 10))
	if os.Link(from, temporary) != nil { // another file system, another owner, or a system without links
		return Copy(path, from)
	}
	if err := os.Rename(temporary, path); err != nil {
		_ = os.Remove(temporary)
		return fmt.Errorf("link %s: %w", filepath.Base(path), err)
	}
	return nil
}
