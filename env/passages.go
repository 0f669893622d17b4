package env

import (
	"context"
	"maps"
	"sync"
)

const maxPassageBytes = 16 << 20

// passages caches passage texts: the questions of a run and the turns of an episode often retrieve the same ones.
// Entries never become stale, because the database is open read-only. The zero value is ready to use.
type passages struct {
	mu    sync.Mutex
	texts map[string]string
	size  int
}

// get returns the texts of the given ids, calling ask for those that are not cached.
func (p *passages) get(ctx context.Context, ids []string, ask func(context.Context, []string) (map[string]string, error)) (map[string]string, error) {
	found := make(map[string]string, len(ids))
	var missing []string
	p.mu.Lock()
	for _, id := range ids {
		if text, ok := p.texts[id]; ok {
			found[id] = text
		} else {
			missing = append(missing, id)
		}
	}
	p.mu.Unlock()
	if len(missing) == 0 {
		return found, nil
	}
	more, err := ask(ctx, missing)
	if err != nil {
		return nil, err
	}
	maps.Copy(found, more)
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, text := range more {
		if p.texts == nil || p.size+len(id)+len(text) > maxPassageBytes {
			p.texts, p.size = make(map[string]string), 0
		}
		if _, ok := p.texts[id]; !ok {
			p.size += len(id) + len(text)
		}
		p.texts[id] = text
	}
	return found, nil
}
