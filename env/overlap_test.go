package env_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/env"
	"airqa/env/embed"
	"airqa/env/paperdb"
	"airqa/tools"
)

// remote is a model of a server. Its first calls wait until Calls of them are in flight.
type remote struct {
	watched
	blocks embed.Blocks

	gate     sync.Mutex
	here     int
	most     int
	arrivals chan struct{} // closed when enough calls are here
}

func (r *remote) Blocks() embed.Blocks { return r.blocks }

func (r *remote) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	r.meet(ctx)
	return r.watched.Embed(ctx, texts)
}

// meet waits until Calls calls have been here at the same time.
func (r *remote) meet(ctx context.Context) {
	r.gate.Lock()
	if r.arrivals == nil {
		r.arrivals = make(chan struct{})
	}
	if r.here++; r.here == r.blocks.Calls && r.most < r.here {
		close(r.arrivals)
	}
	r.most = max(r.most, r.here)
	enough := r.arrivals
	r.gate.Unlock()
	select {
	case <-enough:
	case <-ctx.Done():
	}
	r.gate.Lock()
	r.here--
	r.gate.Unlock()
}

// Calls to a server overlap, but no text is embedded twice, and the collections are the same as with one call at a time.
func TestEmbeddingOverlaps(t *testing.T) {
	same := func(seed int) paperdb.Paper { // every other passage has the same text, which is in several blocks at once
		p := invented(seed)
		for i := 0; i < len(p.Chunks); i += 2 {
			p.Chunks[i].Text = "what every paper says"
		}
		return p
	}
	one, many := watched{}, remote{blocks: embed.Blocks{Texts: 4, Calls: 5}}
	var found [][]string
	for _, model := range []embed.Embedder{&one, &many} {
		dir := filepath.Join(t.TempDir(), "data")
		w, err := env.OpenWriter(t.Context(), env.WriterConfig{Dir: dir, Embedder: model})
		check(t, err)
		for seed := range 12 {
			check(t, w.Put(t.Context(), same(seed), nil))
		}
		check(t, w.Finish(t.Context()))
		e, err := env.Open(t.Context(), env.Config{Dir: dir, Embedder: model})
		check(t, err)
		var hits []string
		for seed := range 12 {
			list, err := e.Retrieve(t.Context(), same(seed).Chunks[1].Text, 3, tools.Scope{})
			check(t, err)
			for _, h := range list {
				hits = append(hits, fmt.Sprint(h))
			}
		}
		check(t, e.Close())
		found = append(found, hits)
	}
	if diff := cmp.Diff(found[0], found[1]); diff != "" {
		t.Errorf("hits (-one call +overlapping):\n%s", diff)
	}
	if many.most != 5 {
		t.Errorf("%d calls at once, want 5", many.most)
	}
	for text, n := range many.twice {
		if n != one.twice[text] {
			t.Errorf("%.40q is embedded %d times, not %d", text, n, one.twice[text])
		}
	}
}

// stuck is a model of a server that answers the first calls only.
type stuck struct {
	watched
	answers chan struct{} // one for each call to be answered
}

func (*stuck) Blocks() embed.Blocks { return embed.Blocks{Texts: 16, Calls: 8} }

func (s *stuck) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	select {
	case <-s.answers:
		return s.watched.Embed(ctx, texts)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// An interruption while calls are in flight loses no vector that was returned, whichever call returned it.
func TestInterruptedOverlap(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	first := stuck{answers: make(chan struct{}, 5)}
	w, err := env.OpenWriter(t.Context(), env.WriterConfig{Dir: dir, Embedder: &first})
	check(t, err)
	for seed := range 3 {
		check(t, w.Put(t.Context(), invented(seed), nil))
	}
	ctx, cancel := context.WithCancel(t.Context())
	for range cap(first.answers) {
		first.answers <- struct{}{}
	}
	for first.texts.Load() < 5*16 {
		time.Sleep(time.Millisecond) // the deadline of the test ends it
	}
	cancel()
	if err := w.Finish(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("finished: %v", err)
	}
	var second watched
	check(t, fillWith(t, env.WriterConfig{Dir: dir, Embedder: &second}))
	for text := range second.twice {
		if first.twice[text] > 0 {
			t.Errorf("%.40q is embedded again", text)
		}
	}
	if len(second.twice) == 0 {
		t.Error("nothing was left to embed")
	}
}
