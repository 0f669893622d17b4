// Package flat is the embedded vector store: exact search over collections kept as one file each in the data
// directory. Start from [Open]; format.go describes the file, kernel.h the two scans.
//
// A collection's file is mapped into memory when it is first asked for, which takes no longer for a large one. A search
// of dense vectors looks at 8-bit codes first, which bound every score, and then computes the scores of the records
// that the bounds cannot exclude. Scores have one definition (flat_inner in kernel.h: float64 products in a fixed order
// of summing, rounded to float32 at the end), so that hits and scores are the same bits on every CPU, with any number
// of cores, and with or without the codes. Filters become numbers and are applied before anything is scored.
//
// A change writes the file anew beside the old one and renames it, so that a reader never sees a half file, and so that
// many small inserts are slow: load in bulk with Replace. One process may write at a time (datadir's lock sees to it);
// readers in other processes keep what they have opened. A file must not be cut short or written to in place while it
// is open: that ends the process, as with every mapped file.
package flat

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"airqa/env/vectors"
)

// fileName is the name of the file in a collection's folder.
const fileName = "collection.vec"

// Store implements [vectors.Store] over the folder it was opened on.
type Store struct {
	dir    string
	engine engine
	write  sync.Mutex // held by whoever changes a collection
	mu     sync.Mutex // guards sets
	sets   map[string]*set
}

var _ vectors.Store = (*Store)(nil)

// Open returns the store in dir, one folder a collection. A folder that is not there is an empty store; it is
// made by the first change.
func Open(dir string) (*Store, error) {
	if _, err := os.ReadDir(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open vector store: %w", err)
	}
	e := engine{kernel: kernels()[0], gate: make(gate, runtime.GOMAXPROCS(0))}
	return &Store{dir: dir, engine: e, sets: make(map[string]*set)}, nil
}

// Close gives back the memory of the collections.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for _, set := range s.sets {
		err = errors.Join(err, set.release())
	}
	clear(s.sets)
	return err
}

// Info implements [vectors.Store].
func (s *Store) Info(_ context.Context, name string) (vectors.Collection, error) {
	var info vectors.Collection
	err := s.with(name, func(set *set) error {
		info = set.info
		info.Encoder = slices.Clone(info.Encoder)
		return nil
	})
	return info, err
}

// Verify compares the whole file of a collection with its checksums. Opening does so for small files only.
func (s *Store) Verify(ctx context.Context, name string) error {
	return s.with(name, func(set *set) error {
		if err := set.file.verify(ctx.Err); err != nil {
			return fmt.Errorf("verify collection %s: %w", name, err)
		}
		return nil
	})
}

// List implements [vectors.Store]; it leaves Encoder out.
func (s *Store) List(context.Context) ([]vectors.Collection, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list collections: %w", err)
	}
	var list []vectors.Collection
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		f, err := openFile(s.file(e.Name()), 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			list = append(list, f.head.Collection)
			err = f.close()
		}
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Count implements [vectors.Store].
func (s *Store) Count(_ context.Context, name string, filter vectors.Filter) (n int, err error) {
	if err := filter.Check(); err != nil {
		return 0, err
	}
	err = s.with(name, func(set *set) error {
		n, err = set.count(filter)
		return err
	})
	return n, err
}

// Search implements [vectors.Store]. Its order is total: equal scores are never cut by chance.
func (s *Store) Search(ctx context.Context, name string, q vectors.Query) (hits []vectors.Hit, err error) {
	err = s.with(name, func(set *set) error {
		if err := set.info.CheckQuery(q); err != nil {
			return err
		}
		hits, err = set.search(ctx, s.engine, q)
		return err
	})
	return hits, err
}

// forget lets the next call open the file again.
func (s *Store) forget(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.sets[name]
	if old == nil {
		return nil
	}
	delete(s.sets, name)
	return old.release()
}

// with calls use with a collection, which stays as it is until use returns, whatever others write.
func (s *Store) with(name string, use func(*set) error) error {
	set, err := s.hold(name)
	if err != nil {
		return err
	}
	return errors.Join(use(set), set.release())
}

// hold opens a collection the first time.
func (s *Store) hold(name string) (*set, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	have := s.sets[name]
	if have == nil {
		if err := s.exists(name); err != nil {
			return nil, err
		}
		read, err := openSet(s.file(name))
		if err != nil {
			return nil, err
		}
		s.sets[name], have = read, read
	}
	have.hold()
	return have, nil
}

// exists tells whether there is a file for name, and looks at no path for a name that cannot be one.
func (s *Store) exists(name string) error {
	probe := vectors.Collection{Name: name, Kind: vectors.Sparse}
	if probe.Check() != nil {
		return fmt.Errorf("collection %q: %w", name, vectors.ErrNotFound)
	}
	_, err := os.Stat(s.file(name))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("collection %s: %w", name, vectors.ErrNotFound)
	}
	if err != nil {
		return fmt.Errorf("collection %s: %w", name, err)
	}
	return nil
}

func (s *Store) file(name string) string { return filepath.Join(s.dir, name, fileName) }
