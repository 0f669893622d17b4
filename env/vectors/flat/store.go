// Package flat is the embedded vector store. It searches exactly, and keeps each collection as a folder of segments in the
// data directory. Start from [Open]; format.go describes a segment, manifest.go the list of segments, kernel.h the two
// scans.
//
// A segment is a file that never changes. An insertion writes a new one, a deletion a list of the deleted records, and
// both replace the manifest, a small file that lists what belongs to the collection. Eight segments of one size are
// merged into one. A search over segments returns what a search in a single rebuilt one would: the statistics of words
// are sums over the whole collection, and scores do not depend on the segment of a record.
//
// The files are memory-mapped on first use, so opening time does not depend on their size. A dense search
// first scans 8-bit codes, which bound every score, then computes the exact scores of the records that the bounds
// cannot exclude. All scores come from flat_inner in kernel.h: float64 products, summed in a fixed order, rounded to
// float32 at the end. Hits and scores are therefore identical, bit for bit, on every CPU, with any number of cores, and
// with or without the codes. Filters are translated to numbers and applied before scoring.
//
// A store has generations: versions of all its collections that share segments (see [Open]). Only one process
// may write at a time, which datadir's lock enforces; readers in other processes keep the version that they opened.
// Truncating or overwriting an open file in place crashes the process, as with every mapped file.
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

// Store is a [vectors.Store] in a folder.
type Store struct {
	dir        string
	generation int
	engine     engine
	write      sync.Mutex // held while changing a collection
	mu         sync.Mutex // guards open
	open       map[string]*collection

	maxSegment int // maximum number of records of a segment before merges
	maxMerged  int // maximum number of records of a merged segment
}

var _ vectors.Store = (*Store)(nil)

// Open returns a generation of the store in dir, which has one folder per collection. A missing dir, and a generation that
// [Store.Branch] has not made, are an empty store; the first change creates it.
func Open(dir string, generation int) (*Store, error) {
	if _, err := os.ReadDir(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open vector store: %w", err)
	}
	e := engine{kernel: kernels()[0], gate: make(gate, runtime.GOMAXPROCS(0))}
	const defaultMaxSegment = 1 << 16 // bounds the memory of a load: a longer one makes several segments
	return &Store{
		dir: dir, generation: generation, engine: e, open: make(map[string]*collection),
		maxSegment: defaultMaxSegment, maxMerged: defaultMaxMerged,
	}, nil
}

// Close unmaps the collections.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for _, c := range s.open {
		err = errors.Join(err, c.release())
	}
	clear(s.open)
	return err
}

// Info returns the description of a collection.
func (s *Store) Info(_ context.Context, name string) (vectors.Collection, error) {
	var info vectors.Collection
	err := s.with(name, func(c *collection) error {
		info = c.manifest.Collection
		info.Encoder = slices.Clone(info.Encoder)
		return nil
	})
	return info, err
}

// Verify checks all files of a collection against their checksums, and the statistics of words against the records.
// Opening checks small files only.
func (s *Store) Verify(ctx context.Context, name string) error {
	return s.with(name, func(c *collection) error {
		if err := c.verify(ctx.Err); err != nil {
			return fmt.Errorf("verify collection %s: %w", name, err)
		}
		return nil
	})
}

// List leaves Encoder empty.
func (s *Store) List(context.Context) ([]vectors.Collection, error) {
	names, err := s.names()
	if err != nil {
		return nil, fmt.Errorf("list collections: %w", err)
	}
	var list []vectors.Collection
	for _, name := range names {
		m, err := readManifest(s.folder(name), s.generation)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list collections: %s: %w", name, err)
		}
		m.Collection.Encoder = nil
		list = append(list, m.Collection)
	}
	return list, nil
}

// names returns the folders of the store, sorted.
func (s *Store) names() ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var list []string
	for _, e := range entries {
		if e.IsDir() {
			list = append(list, e.Name())
		}
	}
	return list, nil
}

// Count returns the number of records that pass filter.
func (s *Store) Count(_ context.Context, name string, filter vectors.Filter) (n int, err error) {
	if err := filter.Check(); err != nil {
		return 0, err
	}
	err = s.with(name, func(c *collection) error {
		n, err = c.count(filter)
		return err
	})
	return n, err
}

// Search orders hits completely, even where K splits a group of equal scores.
func (s *Store) Search(ctx context.Context, name string, q vectors.Query) (hits []vectors.Hit, err error) {
	err = s.with(name, func(c *collection) error {
		if err := c.manifest.Collection.CheckQuery(q); err != nil {
			return err
		}
		hits, err = c.search(ctx, s.engine, q)
		return err
	})
	return hits, err
}

// forget makes the next call reopen the collection.
func (s *Store) forget(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.open[name]
	if old == nil {
		return nil
	}
	delete(s.open, name)
	return old.release()
}

// with calls use with a collection, which does not change until use returns.
func (s *Store) with(name string, use func(*collection) error) error {
	c, err := s.hold(name)
	if err != nil {
		return err
	}
	return errors.Join(use(c), c.release())
}

// hold returns the collection for one holder, opening it if necessary.
func (s *Store) hold(name string) (*collection, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	have := s.open[name]
	if have == nil {
		if err := s.exists(name); err != nil {
			return nil, err
		}
		var err error
		// A writer in another process may remove a segment between manifest and segments: then there is a new manifest.
		for range 5 {
			if have, err = openCollection(s.folder(name), s.generation); !errors.Is(err, fs.ErrNotExist) {
				break
			}
		}
		if err != nil {
			return nil, err
		}
		s.open[name] = have
	}
	have.hold()
	return have, nil
}

// exists returns an error if there is no collection of this name. It checks the name first, so that a path is only built
// from a valid one.
func (s *Store) exists(name string) error {
	probe := vectors.Collection{Name: name, Kind: vectors.Words}
	if probe.Check() != nil {
		return fmt.Errorf("collection %q: %w", name, vectors.ErrNotFound)
	}
	_, err := os.Stat(filepath.Join(s.folder(name), manifestFile(s.generation)))
	if errors.Is(err, fs.ErrNotExist) {
		err = vectors.ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("collection %s: %w", name, err)
	}
	return nil
}

func (s *Store) folder(name string) string { return filepath.Join(s.dir, name) }
