package files

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
)

// Cache returns the folder with a name in the user's cache directory, and makes it. Where that cannot be written, it is in
// the user's own folder of temporary files, and the first caller with a notice gets a line about that.
func Cache(name string, notice func(line string)) (string, error) {
	c := cache()
	if c.err != nil {
		return "", fmt.Errorf("cache: %w", c.err)
	}
	if c.why != nil && notice != nil {
		noteCache.Do(func() {
			notice(fmt.Sprintf("the cache is in %s, since the usual folder cannot be used: %v", c.root, c.why))
		})
	}
	dir := filepath.Join(c.root, name)
	return dir, os.MkdirAll(dir, 0o700)
}

// place is the folder of caches, and why it is not the usual one.
type place struct {
	root     string
	why, err error
}

var (
	noteCache sync.Once
	cache     = sync.OnceValue(findCache)
)

func findCache() place {
	user, why := os.UserCacheDir()
	if why == nil {
		root := filepath.Join(user, "airqa")
		if why = tryFolder(root); why == nil {
			return place{root: root}
		}
	}
	root := filepath.Join(os.TempDir(), "airqa-"+strconv.Itoa(os.Getuid()))
	if tryFolder(root) == nil && isOwn(root) {
		return place{root: root, why: why}
	}
	root, err := os.MkdirTemp("", "airqa-")
	return place{root, why, err}
}

// tryFolder makes a folder and a file in it: a folder on a read-only disk exists, too.
func tryFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".probe-")
	if err != nil {
		return err
	}
	_ = f.Close()
	return os.Remove(f.Name())
}

// isOwn reports whether a path is a folder that only this user can write to: others can make one with that name first.
func isOwn(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() || info.Mode().Perm()&0o022 != 0 {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}
