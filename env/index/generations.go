package index

import (
	"errors"
	"os"
	"slices"

	"airqa/env/datadir"
	"airqa/env/vectors/flat"
)

// BranchFiles makes the collections in the files begin as those of the current generation. It reports whether all do: those of
// an interrupted writer are continued.
func BranchFiles(dir, next *datadir.Dir) (all bool, err error) {
	store, err := flat.Open(next.Vectors(), next.Generation())
	if err != nil {
		return false, err
	}
	kept, err := store.Branch(dir.Generation())
	err = errors.Join(err, store.Close())
	return !kept && err == nil && dir.Generation() > 0, err
}

// Discard removes the collections of a generation without a database.
func Discard(next *datadir.Dir) error {
	if _, err := os.Stat(next.Database()); err == nil {
		return nil
	}
	return keep(next, func(n int) bool { return n != next.Generation() })
}

// Prune removes the generations that are not needed, with their segments.
func Prune(d *datadir.Dir) error {
	kept, err := d.Prune()
	if err != nil {
		return err
	}
	return keep(d, func(n int) bool { return slices.Contains(kept, n) })
}

// keep removes the collections of the other generations.
func keep(d *datadir.Dir, which func(generation int) bool) error {
	store, err := flat.Open(d.Vectors(), d.Generation())
	if err != nil {
		return err
	}
	return errors.Join(store.Keep(which), store.Close())
}
