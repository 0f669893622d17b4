package env

import (
	"context"
	"maps"
	"sync"
)

// mostPassages bounds the texts that [passages] holds, in bytes.
const mostPassages = 16 << 20

// passages remembers the texts of passages that were found: the questions of a run, and the turns of an episode, find the
// same ones again. The database is open read-only, so that none can change. The zero value is ready.
type passages struct {
	mu    sync.Mutex
	texts map[string]string
	size  int
}

// get returns the texts of some ids, asking for those that it does not hold.
func (p *passages) get(ctx context.Context, ids []string, ask func(context.Context, []string) (map[string]string, error)) (map[string]string, error) {
	found, missing := p.held(ids)
	if len(missing) == 0 {
		return found, nil
	}
	more, err := ask(ctx, missing)
	if err != nil {
		return nil, err
	}
	p.keep(more)
	maps.Copy(found, more)
	return found, nil
}

func (p *passages) held(ids []string) (found map[string]string, missing []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	found = make(map[string]string, len(ids))
	for _, id := range ids {
		if text, ok := p.texts[id]; ok {
			found[id] = text
		} else {
			missing = append(missing, id)
		}
	}
	return found, missing
}

// keep forgets everything when there is too much of it.
func (p *passages) keep(texts map[string]string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, text := range texts {
		if p.texts == nil || p.size+len(id)+len(text) > mostPassages {
			p.texts, p.size = make(map[string]string), 0
		}
		if _, ok := p.texts[id]; !ok {
			p.size += len(id) + len(text)
		}
		p.texts[id] = text
	}
}
