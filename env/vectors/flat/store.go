// Package flat is the embedded vector store: exact search in memory over collections kept as one file each in
// the data directory. Start from [Open]; format.go describes the file. A collection is read when it is first
// asked for; a change writes the file anew beside the old one and renames it, so that a reader never sees a
// half file, and so that many small inserts are slow: load in bulk with Replace.
//
// One process may write at a time (datadir's lock sees to it); readers in other processes keep what they have
// read.
package flat

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"airqa/env/vectors"
)

// fileName is the name of the file in a collection's folder.
const fileName = "collection.vec"

// Store implements [vectors.Store] over the folder it was opened on.
type Store struct {
	dir   string
	write sync.Mutex // held by whoever changes a collection
	mu    sync.Mutex // guards sets
	sets  map[string]*set
}

var _ vectors.Store = (*Store)(nil)

// Open returns the store in dir, one folder a collection. A folder that is not there is an empty store; it is
// made by the first change.
func Open(dir string) (*Store, error) {
	if _, err := os.ReadDir(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open vector store: %w", err)
	}
	return &Store{dir: dir, sets: make(map[string]*set)}, nil
}

// Close forgets what was read.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.sets)
	return nil
}

// Create implements [vectors.Store].
func (s *Store) Create(_ context.Context, c vectors.Collection) error {
	if err := c.Check(); err != nil {
		return err
	}
	s.write.Lock()
	defer s.write.Unlock()
	if _, err := os.Stat(s.file(c.Name)); err == nil {
		return fmt.Errorf("create collection %s: %w", c.Name, vectors.ErrExists)
	}
	return s.save(newSet(c))
}

// Replace implements [vectors.Store].
func (s *Store) Replace(ctx context.Context, c vectors.Collection, records iter.Seq2[vectors.Record, error]) error {
	if err := c.Check(); err != nil {
		return err
	}
	s.write.Lock()
	defer s.write.Unlock()
	next := newSet(c)
	for r, err := range records {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = c.CheckRecord(r)
		}
		if err != nil {
			return fmt.Errorf("replace collection %s: %w", c.Name, err)
		}
		next.add(r)
	}
	return s.save(next)
}

// Info implements [vectors.Store].
func (s *Store) Info(_ context.Context, name string) (vectors.Collection, error) {
	set, err := s.get(name)
	if err != nil {
		return vectors.Collection{}, err
	}
	info := set.info
	info.Encoder = slices.Clone(info.Encoder)
	return info, nil
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
		info, err := readInfo(s.file(e.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, info)
	}
	return list, nil
}

// Drop implements [vectors.Store].
func (s *Store) Drop(_ context.Context, name string) error {
	s.write.Lock()
	defer s.write.Unlock()
	if err := s.exists(name); err != nil {
		return err
	}
	s.mu.Lock()
	delete(s.sets, name)
	s.mu.Unlock()
	if err := os.RemoveAll(filepath.Join(s.dir, name)); err != nil {
		return fmt.Errorf("drop collection %s: %w", name, err)
	}
	return nil
}

// Insert implements [vectors.Store].
func (s *Store) Insert(_ context.Context, name string, records []vectors.Record) error {
	s.write.Lock()
	defer s.write.Unlock()
	old, err := s.get(name)
	if err != nil {
		return err
	}
	for _, r := range records {
		if err := old.info.CheckRecord(r); err != nil {
			return err
		}
	}
	next := old.without(func(vectors.Origin) bool { return false })
	for _, r := range records {
		next.add(r)
	}
	return s.save(next)
}

// Delete implements [vectors.Store].
func (s *Store) Delete(_ context.Context, name string, filter vectors.Filter) error {
	if filter.IsZero() {
		return fmt.Errorf("delete from collection %s: %w: the filter is empty", name, vectors.ErrInvalid)
	}
	if err := filter.Check(); err != nil {
		return err
	}
	s.write.Lock()
	defer s.write.Unlock()
	old, err := s.get(name)
	if err != nil {
		return err
	}
	return s.save(old.without(newMatcher(filter).match))
}

// Count implements [vectors.Store].
func (s *Store) Count(_ context.Context, name string, filter vectors.Filter) (int, error) {
	if err := filter.Check(); err != nil {
		return 0, err
	}
	set, err := s.get(name)
	if err != nil {
		return 0, err
	}
	n := 0
	for range set.candidates(newMatcher(filter)) {
		n++
	}
	return n, nil
}

// Search implements [vectors.Store]. Its order is total: equal scores are never cut by chance.
func (s *Store) Search(ctx context.Context, name string, q vectors.Query) ([]vectors.Hit, error) {
	set, err := s.get(name)
	if err != nil {
		return nil, err
	}
	if err := set.info.CheckQuery(q); err != nil {
		return nil, err
	}
	return set.search(ctx, q)
}

// save writes a set to its file and shows it to the calls that follow.
func (s *Store) save(next *set) error {
	if err := writeSet(s.file(next.info.Name), next); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sets[next.info.Name] = next
	return nil
}

// get returns a collection, read from its file the first time. What it returns does not change any more.
func (s *Store) get(name string) (*set, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if have := s.sets[name]; have != nil {
		return have, nil
	}
	if err := s.exists(name); err != nil {
		return nil, err
	}
	read, err := readSet(s.file(name))
	if err != nil {
		return nil, err
	}
	s.sets[name] = read
	return read, nil
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
