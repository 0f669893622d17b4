package replies

import (
	"context"

	"airqa/qa"
)

// Model answers from a store what the store has, and asks another model the rest. Its calls may overlap; of equal requests
// at the same time one is made. A reply from the store has Cached set and no Attempts, and its Usage is that of the first request.
type Model struct {
	// Store keeps the replies; models may share it.
	Store *Store
	Model qa.Model
	// Name is what lists of the cache call the model.
	Name string
	// Endpoint describes model, address and sampling; see [KeyOf].
	Endpoint map[string]any
	Protocol string
}

// Complete answers a request. The error is that of the model behind it, or the context's.
func (m *Model) Complete(ctx context.Context, r qa.Request) (qa.Reply, error) {
	key, err := KeyOf(m.Endpoint, m.Protocol, r)
	if err != nil {
		return qa.Reply{}, err
	}
	for {
		if reply, ok := m.Store.find(key); ok {
			return reply, nil
		}
		flight, first := m.Store.board(key)
		if first {
			return m.ask(ctx, key, r)
		}
		// Whoever waited looks again, and asks by itself when the other one failed.
		select {
		case <-flight:
		case <-ctx.Done():
			return qa.Reply{}, ctx.Err()
		}
	}
}

func (m *Model) ask(ctx context.Context, key Key, r qa.Request) (qa.Reply, error) {
	defer m.Store.land(key)
	// Another one may have landed between the look and the departure.
	if reply, ok := m.Store.find(key); ok {
		return reply, nil
	}
	m.Store.count()
	reply, err := m.Model.Complete(ctx, r)
	if err == nil {
		m.Store.keep(key, entry{Model: m.Name, Repeat: r.Repeat, Reply: replyOf(reply)})
	}
	return reply, err
}

// board joins the request of a key that is under way, or begins it.
func (s *Store) board(k Key) (flight <-chan struct{}, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f, ok := s.flights[k]; ok {
		return f, false
	}
	s.flights[k] = make(chan struct{})
	return s.flights[k], true
}

func (s *Store) land(k Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.flights[k])
	delete(s.flights, k)
}

func (s *Store) count() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asks++
}
