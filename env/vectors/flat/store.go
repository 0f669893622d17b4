// Package flat is the embedded vector store. It searches exactly, and keeps each collection as one file in the data
// directory. Start from [Open]; format.go describes the file, kernel.h the two scans.
//
// The file of a collection is memory-mapped on first use, so opening time does not depend on its size. A dense search
// first scans 8-bit codes, which bound every score, then computes the exact scores of the records that the bounds
// cannot exclude. All scores come from flat_inner in kernel.h: float64 products, summed in a fixed order, rounded to
// float32 at the end. Hits and scores are therefore identical, bit for bit, on every CPU, with any number of cores, and
// with or without the codes. Filters are translated to numbers and applied before scoring.
//
// Every change writes a new file and renames it over the old one, so readers never see a partial file. Many small
// inserts are slow: load in bulk with Replace. Only one process may write at a time, which datadir's lock enforces;
// readers in other processes keep the version that they opened. Truncating or overwriting an open file in place crashes
// the process, as with every mapped file.
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

// Store is a [vectors.Store] in a folder.
type Store struct {
	dir    string
	engine engine
	write  sync.Mutex // held while changing a collection
	mu     sync.Mutex // guards sets
	sets   map[string]*set
}

var _ vectors.Store = (*Store)(nil)

// Open returns the store in dir, which has one folder per collection. A missing dir is an empty store; the first change
// creates it.
func Open(dir string) (*Store, error) {
	if _, err := os.ReadDir(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open vector store: %w", err)
	}
	e := engine{kernel: kernels()[0], gate: make(gate, runtime.GOMAXPROCS(0))}
	return &Store{dir: dir, engine: e, sets: make(map[string]*set)}, nil
}

// Close unmaps the collections.
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

// Info returns the description of a collection.
func (s *Store) Info(_ context.Context, name string) (vectors.Collection, error) {
	var info vectors.Collection
	err := s.with(name, func(set *set) error {
		info = set.info
		info.Encoder = slices.Clone(info.Encoder)
		return nil
	})
	return info, err
}

// Verify checks the whole file of a collection against its checksums. Opening does so only for small files.
func (s *Store) Verify(ctx context.Context, name string) error {
	return s.with(name, func(set *set) error {
		if err := set.file.verify(ctx.Err); err != nil {
			return fmt.Errorf("verify collection %s: %w", name, err)
		}
		return nil
	})
}

// List leaves Encoder empty.
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

// Count returns the number of records that pass filter.
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

// Search orders hits completely, even where K splits a group of equal scores.
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

// forget makes the next call reopen the file.
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

// with calls use with a collection, which does not change until use returns.
func (s *Store) with(name string, use func(*set) error) error {
	set, err := s.hold(name)
	if err != nil {
		return err
	}
	return errors.Join(use(set), set.release())
}

// hold returns the collection for one holder, opening it if necessary.
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

// exists returns an error if name has no file. It checks the name first, so that a path is only built from a valid one.
func (s *Store) exists(name string) error {
	probe := vectors.Collection{Name: name, Kind: vectors.Sparse}
	if probe.Check() != nil {
		return fmt.Errorf("collection %q: %w", name, vectors.ErrNotFound)
	}
	_, err := os.Stat(s.file(name))
	if errors.Is(err, fs.ErrNotExist) {
		err = vectors.ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("collection %s: %w", name, err)
	}
	return nil
}

func (s *Store) file(name string) string { return filepath.Join(s.dir, name, fileName) }
