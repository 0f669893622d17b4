// Package milvus keeps vector collections on a Milvus server, with the answers of the embedded store. Start
// from [ParseURL] and [Open]; env/vectors says what a [Store] does.
//
// Collections bear their own names on the server, after the prefix of [Config]; one that has been replaced n
// times is name__n+1. A catalog collection beside them, airqa_catalog, says which is the valid one and keeps
// descriptions and encoders. So a collection is replaced at once, readers never see half of one, and the next
// writer clears what an interrupted one left. One process may write at a time under one prefix; readers in
// other processes follow when they open the store, and get an error if what they had read is gone.
//
// The search is exact. No text that comes from outside is part of a filter, except as a quoted constant.
package milvus

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/milvus-io/milvus-sdk-go/v2/merr"

	"airqa/env/vectors"
)

// Store implements [vectors.Store] on one server.
type Store struct {
	server  *server
	catalog *catalog
	prefix  string

	write sync.Mutex // held by whoever changes a collection

	mu      sync.Mutex // guards what follows
	entries map[string]*entry
	changes int // counts forget
}

var _ vectors.Store = (*Store)(nil)

// Open connects to a server and asks it a first question, so that a wrong address, database or password is an
// error here, within the timeout, which names the address. Nothing is made on the server before the first change.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = DefaultTimeout
	}
	server, err := connect(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("open vector store: %w", err)
	}
	s := &Store{
		server: server, catalog: &catalog{server: server, name: cfg.Prefix + catalogName},
		prefix: cfg.Prefix, entries: make(map[string]*entry),
	}
	if _, err := s.catalog.exists(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open vector store: %w", err), s.Close())
	}
	return s, nil
}

// Close closes the connection.
func (s *Store) Close() error { return s.server.client.Close() }

// Info implements [vectors.Store].
func (s *Store) Info(ctx context.Context, name string) (vectors.Collection, error) {
	state, err := s.state(ctx, name)
	if err == nil && state.live == nil {
		err = vectors.ErrNotFound
	}
	if err != nil {
		return vectors.Collection{}, fmt.Errorf("collection %s: %w", name, err)
	}
	info := state.live.info
	if info.Encoder, err = s.catalog.encoder(ctx, state.live); err != nil {
		return vectors.Collection{}, fmt.Errorf("collection %s: %w", name, err)
	}
	return info, nil
}

// List implements [vectors.Store]; it leaves Encoder out.
func (s *Store) List(ctx context.Context) ([]vectors.Collection, error) {
	rows, err := s.catalog.rows(ctx, equal(fieldKind, described))
	if err != nil {
		return nil, fmt.Errorf("list collections: %w", err)
	}
	byName := make(map[string][]row)
	for _, r := range rows {
		byName[r.name] = append(byName[r.name], r)
	}
	var list []vectors.Collection
	for name, rows := range byName {
		state, err := collect(rows)
		if err != nil {
			return nil, fmt.Errorf("list collections: collection %s: %w", name, err)
		}
		list = append(list, state.live.info)
	}
	slices.SortFunc(list, func(a, b vectors.Collection) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// state reads what the catalog has of a name, and asks the server about no name that cannot be one.
func (s *Store) state(ctx context.Context, name string) (state, error) {
	probe := vectors.Collection{Name: name, Kind: vectors.Sparse}
	if probe.Check() != nil {
		return state{}, nil
	}
	rows, err := s.catalog.rows(ctx, all(equal(fieldName, name), fieldKind+" != "+literal(piece)))
	if err != nil {
		return state{}, err
	}
	return collect(rows)
}

// lookup returns the entry of a collection, from memory after the first time.
func (s *Store) lookup(ctx context.Context, name string) (*entry, error) {
	s.mu.Lock()
	have, changes := s.entries[name], s.changes
	s.mu.Unlock()
	if have != nil {
		return have, nil
	}
	live, err := s.live(ctx, name)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changes == changes { // else what was read may be old already
		s.entries[name] = live
	}
	return live, nil
}

// live reads the entry of a collection.
func (s *Store) live(ctx context.Context, name string) (*entry, error) {
	state, err := s.state(ctx, name)
	if err != nil {
		return nil, err
	}
	if state.live == nil {
		return nil, vectors.ErrNotFound
	}
	return state.live, s.server.refresh(ctx, state.live.collection)
}

// forget is called after every change, also one that failed.
func (s *Store) forget(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes++
	delete(s.entries, name)
}

// read runs act on a collection, once more if it has been replaced since it was looked up.
func (s *Store) read(ctx context.Context, name string, act func(*entry) error) error {
	e, err := s.lookup(ctx, name)
	if err != nil {
		return err
	}
	if err = act(e); !errors.Is(err, merr.ErrCollectionNotFound) {
		return err
	}
	if e, err = s.follow(ctx, name, e); err != nil {
		return err
	}
	return act(e)
}

// follow returns what has taken the place of a collection that is no longer on the server. Where another
// program put something else there, the caller's encoder does not fit it: that is an error, now and later.
func (s *Store) follow(ctx context.Context, name string, old *entry) (*entry, error) {
	s.mu.Lock()
	ours := s.entries[name] != old
	s.mu.Unlock()
	if ours {
		return s.lookup(ctx, name)
	}
	live, err := s.live(ctx, name)
	if err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(live.info, old.info) {
		return nil, errors.New("another program has replaced it since; start again")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries[name] = live
	return live, nil
}
