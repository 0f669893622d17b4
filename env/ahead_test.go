package env_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"airqa/env"
)

// watched counts the texts that it embeds, and waits or fails on demand.
type watched struct {
	cheap
	texts atomic.Int64
	hold  chan struct{} // nil does not wait
	err   error

	mu    sync.Mutex
	twice map[string]int
}

func (w *watched) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if w.hold != nil {
		select {
		case <-w.hold:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if w.err != nil {
		return nil, w.err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.twice == nil {
		w.twice = make(map[string]int)
	}
	for _, text := range texts {
		w.twice[text]++
	}
	w.texts.Add(int64(len(texts)))
	return w.cheap.Embed(ctx, texts)
}

// Texts are embedded while papers are added, each once.
func TestEmbedAhead(t *testing.T) {
	var model watched
	w, err := env.OpenWriter(t.Context(), env.WriterConfig{Dir: filepath.Join(t.TempDir(), "data"), Embedder: &model})
	check(t, err)
	for seed := range 8 {
		check(t, w.Put(t.Context(), invented(seed), nil))
	}
	for model.texts.Load() == 0 {
		time.Sleep(time.Millisecond) // the deadline of the test ends it
	}
	check(t, w.Finish(t.Context()))
	for text, n := range model.twice {
		if n != 1 {
			t.Errorf("%.40q is embedded %d times", text, n)
		}
	}
}

// Reading waits for embedding: the texts in memory are bounded. A writer that is closed meanwhile loses nothing.
func TestReadingWaitsForEmbedding(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	model := watched{hold: make(chan struct{})}
	w, err := env.OpenWriter(t.Context(), env.WriterConfig{Dir: dir, Embedder: &model})
	check(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	put := 0
	for err == nil && put < 50 {
		if err = w.Put(ctx, invented(put), nil); err == nil {
			put++
		}
	}
	if put == 0 || put > 12 || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%d papers were taken without a vector: %v", put, err)
	}
	check(t, w.Close())

	close(model.hold)
	w, err = env.OpenWriter(t.Context(), env.WriterConfig{Dir: dir, Embedder: &model})
	check(t, err)
	check(t, w.Finish(t.Context()))
	held, err := holdings(t.Context(), dir)
	check(t, err)
	if len(held) < put {
		t.Errorf("%d of %d papers", len(held), put)
	}
}

// A model that fails is reported while papers are read, not after the last one.
func TestEmbeddingFailsEarly(t *testing.T) {
	broken := errors.New("the key is wrong")
	w, err := env.OpenWriter(t.Context(), env.WriterConfig{Dir: filepath.Join(t.TempDir(), "data"), Embedder: &watched{err: broken}})
	check(t, err)
	put := 0
	for err == nil && put < 50 {
		err = w.Put(t.Context(), invented(put), nil)
		put++
	}
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "embed texts") {
		t.Errorf("after %d papers: %v", put, err)
	}
	check(t, w.Close())
}
