//go:build !unix

package datadir

import "os"

// tryLock does nothing where there is no flock: DuckDB's own lock on its file is the only guard there.
func tryLock(*os.File) error { return nil }
