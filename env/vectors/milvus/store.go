// Package milvus keeps vector collections on a Milvus server and returns the same hits as the embedded store. Start
// from [ParseURL] and [Open]; package env/vectors describes the methods of a [Store].
//
// On the server, a collection has its own name after the prefix of [Config]; after n replacements, it is name__n+1. The
// catalog collection airqa_catalog records which version is valid, along with metadata and encoders. Replacing a
// collection is therefore atomic: readers never see a partial one, and the next writer cleans up after an interrupted
// one. Only one process may write under a prefix at a time. Readers in other processes see inserts and deletes at once,
// a new description or a replacement when they open the store, and get an error if the version that they use is gone.
//
// The search is exact, unless the URL chooses an approximate index. Untrusted text enters a filter only as a quoted constant.
package milvus

import (
	"cmp"
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

// Store is a [vectors.Store] on one server.
type Store struct {
	server  *server
	catalog *catalog
	prefix  string
	index   string // see Config.Index

	write sync.Mutex // held while changing a collection

	mu      sync.Mutex // guards the fields below
	entries map[string]*entry
	changes int // counts calls of forget
}

var _ vectors.Store = (*Store)(nil)

// Open connects to a server and sends a first request. A wrong address, database or password is therefore an error
// here, within the timeout, that names the address. Nothing is created on the server before the first change.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	cfg.Timeout = cmp.Or(cfg.Timeout, DefaultTimeout)
	server, err := connect(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("open vector store: %w", err)
	}
	s := &Store{
		server: server, catalog: &catalog{server: server, name: cfg.Prefix + catalogName},
		prefix: cfg.Prefix, index: cfg.Index, entries: make(map[string]*entry),
	}
	if _, err := s.catalog.exists(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open vector store: %w", err), s.Close())
	}
	return s, nil
}

// Close closes the connection.
func (s *Store) Close() error { return s.server.client.Close() }

// Info returns the description of a collection.
func (s *Store) Info(ctx context.Context, name string) (vectors.Collection, error) {
	live, err := s.described(ctx, name)
	if err != nil {
		return vectors.Collection{}, fmt.Errorf("collection %s: %w", name, err)
	}
	info := live.info
	if info.Encoder, err = s.catalog.encoder(ctx, live); err != nil {
		return vectors.Collection{}, fmt.Errorf("collection %s: %w", name, err)
	}
	return info, nil
}

// described returns the catalog's record of a collection that the server has. One that was dropped behind the catalog's back
// is missing; one that another program is replacing is looked up again.
func (s *Store) described(ctx context.Context, name string) (*entry, error) {
	var gone string
	for {
		state, err := s.state(ctx, name)
		if err = cmp.Or(err, state.refused); err != nil {
			return nil, err
		}
		if state.live == nil || state.live.collection == gone {
			return nil, vectors.ErrNotFound
		}
		found, err := s.server.client.HasCollection(ctx, state.live.collection)
		if found || err != nil {
			return state.live, err
		}
		gone = state.live.collection
	}
}

// List leaves Encoder empty.
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
		if err = cmp.Or(err, state.refused); err != nil {
			return nil, fmt.Errorf("list collections: collection %s: %w", name, err)
		}
		list = append(list, state.live.info)
	}
	slices.SortFunc(list, func(a, b vectors.Collection) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// state reads the catalog rows of a collection. It sends no invalid name to the server.
func (s *Store) state(ctx context.Context, name string) (state, error) {
	probe := vectors.Collection{Name: name, Kind: vectors.Sparse}
	if probe.Check() != nil {
		return state{}, nil
	}
	rows, err := s.catalog.rows(ctx, all(equal(fieldName, name), fieldKind+" != "+literal(encoderPart)))
	if err != nil {
		return state{}, err
	}
	return collect(rows)
}

// lookup returns the entry of a collection and caches it.
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
	if s.changes == changes { // otherwise the result may already be stale
		s.entries[name] = live
	}
	return live, nil
}

// live reads the entry of a collection from the server.
func (s *Store) live(ctx context.Context, name string) (*entry, error) {
	state, err := s.state(ctx, name)
	if err = cmp.Or(err, state.refused); err != nil {
		return nil, err
	}
	if state.live == nil {
		return nil, vectors.ErrNotFound
	}
	return state.live, s.server.refresh(ctx, state.live.collection)
}

// forget drops a cached entry. It must be called after every change, even a failed one.
func (s *Store) forget(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes++
	delete(s.entries, name)
}

// read runs act on a collection and retries once if the collection was replaced since the lookup. Verb is for errors.
func (s *Store) read(ctx context.Context, name, verb string, act func(*entry) error) error {
	e, err := s.lookup(ctx, name)
	if err == nil {
		err = act(e)
	}
	if errors.Is(err, merr.ErrCollectionNotFound) && e != nil {
		if e, err = s.follow(ctx, name, e); err == nil {
			err = act(e)
		}
	}
	if err != nil {
		return fmt.Errorf("%s collection %s: %w", verb, name, err)
	}
	return nil
}

// follow returns the replacement of a collection that is gone from the server. If another program replaced it, the
// caller's encoder no longer fits, which is an error from then on.
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
		return nil, errors.New("another program has replaced it; run the command again")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries[name] = live
	return live, nil
}
