package cache

import (
	"context"

	"airqa/qa"
)

// Model answers from a store and asks another model on a miss. Calls may overlap; concurrent identical requests are
// made once. A reply from the store has Cached set, no Attempts, and the Usage of the original request.
type Model struct {
	// Store keeps the replies; models may share it.
	Store *Store
	Model qa.Model
	// Name identifies the model in listings of the cache.
	Name string
	// Endpoint describes model, address and sampling; see [KeyOf].
	Endpoint map[string]any
	Protocol string
}

// Complete answers a request. The error is the inner model's or the context's.
func (m *Model) Complete(ctx context.Context, r qa.Request) (qa.Reply, error) {
	key, err := m.Key(r)
	if err != nil {
		return qa.Reply{}, err
	}
	for {
		if reply, ok := m.Store.find(key); ok {
			return reply, nil
		}
		reply, shared, err := m.Store.flights.Do(ctx, key.String(), func() (qa.Reply, error) { return m.ask(ctx, key, r) })
		if !shared {
			return reply, err
		}
		// After waiting, look again; make the request itself if the other call failed.
	}
}

func (m *Model) ask(ctx context.Context, key Key, r qa.Request) (qa.Reply, error) {
	// Another call may have ended between the lookup and this one.
	if reply, ok := m.Store.find(key); ok {
		return reply, nil
	}
	m.Store.asked.Add(1)
	reply, err := m.Model.Complete(ctx, r)
	if err == nil {
		m.Keep(key, r.Repeat, reply)
	}
	return reply, err
}

// Key returns the key of a request to m.
func (m *Model) Key(r qa.Request) (Key, error) { return KeyOf(m.Endpoint, m.Protocol, r) }

// Keep adds the reply to a request that was answered elsewhere. [Store.Close] reports a failed write.
func (m *Model) Keep(key Key, repeat int, reply qa.Reply) {
	m.Store.keep(key, entry{Model: m.Name, Repeat: repeat, Reply: replyOf(reply)})
}
