package embed_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/env/embed"
	"airqa/env/embed/minilm"
	"airqa/qa"
)

// gated is an embedder whose vectors are the length of the text. It records its calls.
type gated struct {
	gate chan struct{} // each call takes a value first, unless nil
	fail func(texts []string) error

	mu    sync.Mutex
	calls []string // the texts of each, joined by spaces
}

func (m *gated) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	m.mu.Lock()
	m.calls = append(m.calls, strings.Join(texts, " "))
	m.mu.Unlock()
	if m.gate != nil {
		select {
		case <-m.gate:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if m.fail != nil {
		if err := m.fail(texts); err != nil {
			return nil, err
		}
	}
	out := make([][]float32, len(texts))
	for i, text := range texts {
		out[i] = []float32{float32(len(text))}
	}
	return out, nil
}

func (m *gated) Windows(text string) []string { return []string{text} }
func (m *gated) Info() embed.Info             { return embed.Info{Model: "lengths", Dim: 1} }

// check compares the calls so far.
func (m *gated) check(t *testing.T, want ...string) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if diff := cmp.Diff(want, m.calls); diff != "" {
		t.Errorf("calls of the model (-want +got):\n%s", diff)
	}
}

// caller embeds texts in a goroutine of its own. Its result may be read after synctest.Wait.
type caller struct {
	leave context.CancelFunc
	got   []float32
	err   error
	ended bool
}

func ask(t *testing.T, k *embed.Kept, texts ...string) *caller {
	ctx, cancel := context.WithCancel(t.Context())
	c := &caller{leave: cancel}
	go func() {
		vectors, err := k.Embed(ctx, texts)
		c.got, c.err, c.ended = slices.Concat(vectors...), err, true
	}()
	synctest.Wait()
	return c
}

func (c *caller) check(t *testing.T, want ...float32) {
	t.Helper()
	if !c.ended || c.err != nil || !slices.Equal(c.got, want) {
		t.Errorf("ended %v with %v, %v, want %v", c.ended, c.got, c.err, want)
	}
}

func TestKeptCalls(t *testing.T) {
	for _, calls := range []int{1, 2} {
		t.Run(fmt.Sprint(calls), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &gated{gate: make(chan struct{})}
				k := embed.NewKept(m, embed.KeptConfig{Calls: calls})
				first := ask(t, k, "a")
				second, third := ask(t, k, "bb"), ask(t, k, "ccc")
				pair, same := ask(t, k, "dddd", "a", "dddd"), ask(t, k, "ccc")
				all := []string{"a", "bb", "ccc", "dddd"}
				if first.ended || same.ended {
					t.Error("a caller did not wait for the model")
				}
				m.check(t, all[:calls]...)
				close(m.gate)
				synctest.Wait()
				m.check(t, all...)
				first.check(t, 1)
				second.check(t, 2)
				third.check(t, 3)
				pair.check(t, 4, 1, 4)
				same.check(t, 3)
				ask(t, k, "ccc", "a").check(t, 3, 1)
				m.check(t, all...)
				k.Close()
			})
		})
	}
}

func TestKeptEvicts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &gated{}
		k := embed.NewKept(m, embed.KeptConfig{Bytes: 2*(256+4) + 5})
		for _, text := range []string{"a", "bb", "a", "ccc", "a", "bb"} { // ccc evicts bb, not a
			ask(t, k, text).check(t, float32(len(text)))
		}
		m.check(t, "a", "bb", "ccc", "bb")
		long := strings.Repeat("x", 600) // never kept, and evicts nothing
		ask(t, k, long).check(t, 600)
		ask(t, k, long).check(t, 600)
		ask(t, k, "a", "bb").check(t, 1, 2)
		m.check(t, "a", "bb", "ccc", "bb", long, long)
	})
}

func TestKeptCallersLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &gated{gate: make(chan struct{})}
		k := embed.NewKept(m, embed.KeptConfig{})
		first, second := ask(t, k, "a"), ask(t, k, "a")
		queued, stays := ask(t, k, "bb"), ask(t, k, "ccc")
		first.leave()
		queued.leave()
		synctest.Wait()
		if !errors.Is(first.err, context.Canceled) || !errors.Is(queued.err, context.Canceled) || second.ended {
			t.Errorf("errors %v and %v, want %v twice", first.err, queued.err, context.Canceled)
		}
		m.gate <- struct{}{}
		synctest.Wait()
		second.check(t, 1)
		m.check(t, "a", "ccc")

		stays.leave() // the only one: the call ends
		synctest.Wait()
		again := ask(t, k, "ccc")
		m.check(t, "a", "ccc", "ccc")
		m.gate <- struct{}{}
		synctest.Wait()
		again.check(t, 3)
		k.Close()
		if _, err := k.Embed(ended(t), []string{"a"}); !errors.Is(err, context.Canceled) {
			t.Errorf("with an ended context: %v, want %v", err, context.Canceled)
		}
	})
}

func ended(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// A text that the model refuses does not affect others. Each caller gets the error of its own text, and none is kept.
func TestKeptErrors(t *testing.T) {
	refused, down := errors.New("refused"), &qa.UnavailableError{Err: errors.New("down")}
	tests := []struct {
		name    string
		fail    func(texts []string) error
		good    error // of the text that the model accepts
		want    []string
		wantErr error
	}{
		{
			name: "refused",
			fail: func(texts []string) error {
				if slices.Contains(texts, "bad") {
					return refused
				}
				return nil
			},
			want: []string{"a", "bad", "bb", "bad"}, wantErr: refused,
		},
		{
			name: "unavailable",
			fail: func(texts []string) error {
				if texts[0] == "a" {
					return nil
				}
				return down
			},
			good: down, want: []string{"a", "bad", "bb", "bad"}, wantErr: down,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &gated{gate: make(chan struct{}), fail: tt.fail}
				k := embed.NewKept(m, embed.KeptConfig{})
				ask(t, k, "a")
				bad, good := ask(t, k, "bad"), ask(t, k, "bb")
				close(m.gate)
				synctest.Wait()
				again := ask(t, k, "bad")
				m.check(t, tt.want...)
				for _, c := range []*caller{bad, again} {
					if !errors.Is(c.err, tt.wantErr) {
						t.Errorf("error %v, want %v", c.err, tt.wantErr)
					}
				}
				if !errors.Is(good.err, tt.good) {
					t.Errorf("the other text: error %v, want %v", good.err, tt.good)
				}
			})
		})
	}
}

// A caller may change its vectors.
func TestKeptVectorsAreOwned(t *testing.T) {
	k := embed.NewKept(&gated{}, embed.KeptConfig{})
	for range 2 {
		v, err := k.Embed(t.Context(), []string{"a", "a"})
		if err != nil || v[0][0] != 1 || v[1][0] != 1 {
			t.Fatalf("vectors %v, %v", v, err)
		}
		v[0][0] = 7
	}
}

// Many callers, some of which leave, get the vectors of their own texts.
func TestKeptManyCallers(t *testing.T) {
	k := embed.NewKept(&gated{}, embed.KeptConfig{Bytes: 20 * 300, Calls: 3})
	var all sync.WaitGroup
	var failed atomic.Int64
	for seed := range uint64(32) {
		all.Go(func() {
			random := rand.New(rand.NewPCG(seed, 1))
			for range 300 {
				ctx, cancel := context.WithCancel(t.Context())
				if random.IntN(4) == 0 {
					all.Go(cancel)
				}
				text := strings.Repeat("x", random.IntN(40))
				v, err := k.Embed(ctx, []string{text, "y"})
				switch {
				case err != nil && !errors.Is(err, context.Canceled):
					failed.Add(1)
				case err == nil && (v[0][0] != float32(len(text)) || v[1][0] != 1):
					t.Errorf("%d x gave %v", len(text), v)
				}
				cancel()
			}
		})
	}
	all.Wait()
	k.Close()
	if failed.Load() > 0 {
		t.Errorf("%d callers failed with another one", failed.Load())
	}
}

// queries returns different texts of the length of queries.
func queries(n int) []string {
	random := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("attention window of tokens in the ablation table: which data set has a higher F1-score than BERT-large? 学习 β=0.9")
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprint(i)
		for range random.IntN(20) {
			out[i] += " " + words[random.IntN(len(words))]
		}
	}
	return out
}

// Vectors have the same bits as those of texts embedded alone.
func TestKeptSameBits(t *testing.T) {
	m, err := minilm.Open(minilm.Config{})
	if err != nil {
		t.Fatal(err)
	}
	n := 300
	if testing.Short() {
		n = 60
	}
	k := embed.NewKept(m, embed.KeptConfig{})
	texts := queries(n)
	got := make([][][]float32, n)
	var all sync.WaitGroup
	for i, text := range texts {
		all.Go(func() { got[i], _ = k.Embed(t.Context(), []string{text}) })
	}
	all.Wait()
	for i, text := range texts {
		want, err := m.Embed(t.Context(), []string{text})
		if err != nil || !cmp.Equal(got[i], want) {
			t.Errorf("the vector of %q differs: %v", text, err)
		}
	}
}

// BenchmarkKept measures queries of 16 callers at a time: each embedded, and kept.
func BenchmarkKept(b *testing.B) {
	m, err := minilm.Open(minilm.Config{})
	if err != nil {
		b.Fatal(err)
	}
	tests := []struct {
		name  string
		model embed.Embedder
		texts int
	}{
		{"alone", m, 1 << 14},
		{"kept", embed.NewKept(m, embed.KeptConfig{}), 64},
	}
	for _, tt := range tests {
		b.Run(tt.name, func(b *testing.B) {
			texts := queries(tt.texts)
			if _, err := tt.model.Embed(b.Context(), texts[:min(64, len(texts))]); err != nil {
				b.Fatal(err)
			}
			var next atomic.Int64
			b.SetParallelism(8)
			b.ResetTimer()
			before := processorTime(b)
			b.RunParallel(func(p *testing.PB) {
				for p.Next() {
					text := texts[int(next.Add(1))%len(texts)]
					if _, err := tt.model.Embed(b.Context(), []string{text}); err != nil {
						b.Error(err)
					}
				}
			})
			b.ReportMetric(float64((processorTime(b)-before).Microseconds())/float64(b.N), "cpu-µs/query")
		})
	}
}

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
