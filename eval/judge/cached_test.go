package judge_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"airqa/eval"
	"airqa/eval/judge"
	"airqa/qa"

	"github.com/google/go-cmp/cmp"
)

type sourceFunc func(context.Context, eval.JudgeRequest) (judge.Verdict, error)

func (f sourceFunc) Decide(ctx context.Context, r eval.JudgeRequest) (judge.Verdict, error) {
	return f(ctx, r)
}

// counting is a source that accepts predictions containing "y" and counts its calls.
type counting struct {
	asked atomic.Int64
	err   error
}

func (c *counting) Decide(_ context.Context, r eval.JudgeRequest) (judge.Verdict, error) {
	c.asked.Add(1)
	if c.err != nil {
		return judge.Verdict{}, c.err
	}
	return judge.Verdict{Right: strings.Contains(r.Prediction, "y"), Reply: "so", Asks: 1, Usage: qa.Usage{Prompt: 7, Completion: 2}}, nil
}

func openStore(t *testing.T, path string) *judge.Store {
	t.Helper()
	s, err := judge.OpenStore(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func request(prediction string) eval.JudgeRequest {
	return eval.JudgeRequest{Kind: eval.JudgeReference, Question: "q", Reference: "r", Prediction: prediction}
}

// mustJudge asks j and fails the test unless it gets the wanted verdict.
func mustJudge(t *testing.T, j eval.Judge, r eval.JudgeRequest, want bool) {
	t.Helper()
	if got, err := j.Judge(context.Background(), r); got != want || err != nil {
		t.Errorf("%q: %v, %v, want %v", r.Prediction, got, err, want)
	}
}

// TestCachedAsksOnce checks that verdicts survive reopening the store.
func TestCachedAsksOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "verdicts.jsonl")
	source, meter := &counting{}, &judge.Meter{}
	for i := range 3 {
		store := openStore(t, path)
		j := judge.NewCached(store, judge.Identity{Name: "openai:a"}, source, meter)
		for range 2 {
			mustJudge(t, j, request("yes"), true)
			mustJudge(t, j, request("no"), false)
		}
		if store.Len() != 2 || store.Damaged() != 0 {
			t.Errorf("%d verdicts, %d damaged lines", store.Len(), store.Damaged())
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		if source.asked.Load() != 2 {
			t.Fatalf("opening %d: asked %d times, want 2", i+1, source.asked.Load())
		}
	}
	if diff := cmp.Diff(judge.Spent{Known: 10}, meter.Spent()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestStoreFile checks the file format.
func TestStoreFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v.jsonl")
	store := openStore(t, path)
	mustJudge(t, judge.NewCached(store, judge.Identity{Name: "openai:a", Settings: "{}"}, &counting{}, nil), request("yes"), true)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, key, _ := strings.Cut(string(raw), `"key":"`)
	after := strings.TrimLeft(key, "0123456789abcdef")
	want := `{"format":1,` + `","judge":"openai:a","kind":"reference","right":true,"reply":"so","asks":1,"usage":{"prompt":7,"completion":2}}` + "\n"
	if diff := cmp.Diff(want, before+after); diff != "" || len(key)-len(after) != 32 {
		t.Errorf("key %s (-want +got):\n%s", key, diff)
	}
}

// TestCachedTellsApart varies each input of a verdict on its own.
func TestCachedTellsApart(t *testing.T) {
	one := judge.Identity{Name: "openai:a", Settings: `{"temperature":0}`}
	points := func(points ...string) eval.JudgeRequest {
		return eval.JudgeRequest{Kind: eval.JudgePoints, Points: points, Question: "q", Prediction: "yes"}
	}
	ordered := points("a", "b")
	ordered.IgnoreOrder = true
	tests := []struct {
		name string
		id   judge.Identity
		r    eval.JudgeRequest
	}{
		{"another judge", judge.Identity{Name: "openai:b", Settings: one.Settings}, request("yes")},
		{"other settings", judge.Identity{Name: one.Name, Settings: `{"temperature":1}`}, request("yes")},
		{"a border moved", judge.Identity{Name: one.Name + one.Settings}, request("yes")},
		{"another prediction", one, request("yes ")},
		{"bytes that are not text", one, request("yes\xff")},
		{"other bytes that are not text", one, request("yes\xfe")},
		{"another question", one, eval.JudgeRequest{Kind: eval.JudgeReference, Question: "p", Reference: "r", Prediction: "yes"}},
		{"another reference", one, eval.JudgeRequest{Kind: eval.JudgeReference, Question: "q", Reference: "s", Prediction: "yes"}},
		{"another kind", one, eval.JudgeRequest{Kind: eval.JudgeCandidates, Question: "q", Candidates: []string{"r"}, Prediction: "yes"}},
		{"points", one, points("a", "b")},
		{"points in any order", one, ordered},
		{"points the other way round", one, points("b", "a")},
	}
	source := &counting{}
	store := openStore(t, "")
	mustJudge(t, judge.NewCached(store, one, source, nil), request("yes"), true)
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for range 2 {
				mustJudge(t, judge.NewCached(store, tt.id, source, nil), tt.r, true)
			}
			if want := int64(i + 2); source.asked.Load() != want {
				t.Errorf("asked %d times, want %d", source.asked.Load(), want)
			}
		})
	}
}

func TestCachedForgetsFailures(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v.jsonl")
	source := &counting{err: errDead}
	store := openStore(t, path)
	j := judge.NewCached(store, judge.Identity{}, source, nil)
	for range 2 {
		if _, err := j.Judge(context.Background(), request("yes")); !errors.Is(err, errDead) {
			t.Errorf("error %v", err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Size() > 0 || source.asked.Load() != 2 {
		t.Errorf("a failure is kept; asked %d times", source.asked.Load())
	}
	source.err = nil
	mustJudge(t, j, request("yes"), true)
	if _, err := j.Judge(context.Background(), eval.JudgeRequest{Kind: "taste"}); err == nil {
		t.Error("an unknown kind has a verdict")
	}
}

// TestStoreDamaged opens stores damaged by a crash or by hand.
func TestStoreDamaged(t *testing.T) {
	good := `{"format":1,"key":"00000000000000000000000000000000","judge":"j","kind":"reference","right":true,"asks":1,"usage":{"prompt":1,"completion":1}}`
	tests := []struct {
		name, file   string
		len, damaged int
		err          string
	}{
		{"whole", good + "\n", 1, 0, ""},
		{"empty", "", 0, 0, ""},
		{"no end of line", good, 1, 0, ""},
		{"torn", good + "\n" + good[:50], 1, 1, ""},
		{"torn in the middle", good[:50] + "\n" + good + "\n", 1, 1, ""},
		{"torn at once", good[:1], 0, 1, ""},
		{"empty lines", "\n\n" + good + "\n\n", 1, 0, ""},
		{"zeros", good + "\n\x00\x00\x00\x00", 1, 1, ""},
		{"a short key", `{"format":1,"key":"00","right":true}` + "\n", 0, 1, ""},
		{"unknown field", `{"format":1,"why":1}` + "\n", 0, 1, ""},
		{"no format", `{"key":"00000000000000000000000000000000"}` + "\n", 0, 1, ""},
		{"a later format", good + "\n" + `{"format":2,"why":1}` + "\n", 0, 0, "open verdicts v.jsonl: line 2: format 2; this program reads format 1: move it away, and airqa score makes it again"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "v.jsonl")
			if err := os.WriteFile(path, []byte(tt.file), 0o600); err != nil {
				t.Fatal(err)
			}
			store, err := judge.OpenStore(path, nil)
			if tt.err != "" {
				if err == nil || err.Error() != tt.err {
					t.Errorf("error %v, want %s", err, tt.err)
				}
				return
			}
			if err != nil || store.Len() != tt.len || store.Damaged() != tt.damaged {
				t.Fatalf("%d verdicts, %d damaged lines, %v", store.Len(), store.Damaged(), err)
			}
			source := &counting{}
			mustJudge(t, judge.NewCached(store, judge.Identity{}, source, nil), request("yes"), true)
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
			again := openStore(t, path)
			if again.Len() != tt.len+1 || again.Damaged() != tt.damaged {
				t.Errorf("after one more: %d verdicts, %d damaged lines", again.Len(), again.Damaged())
			}
		})
	}
}

// TestStoreCannotWrite checks that verdicts count even if they cannot be written, and that Close returns the error.
func TestStoreCannotWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file", "v.jsonl")
	store := openStore(t, path)
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	source := &counting{}
	j := judge.NewCached(store, judge.Identity{}, source, nil)
	mustJudge(t, j, request("yes"), true)
	mustJudge(t, j, request("yes"), true)
	if err := store.Close(); err == nil || !strings.HasPrefix(err.Error(), "keep a verdict: ") || source.asked.Load() != 1 {
		t.Errorf("error %v, asked %d times", err, source.asked.Load())
	}
	if _, err := judge.OpenStore(dir, nil); err == nil {
		t.Error("a folder is opened as a store")
	}
}

// TestCachedSingleFlight sends identical requests concurrently and expects one call.
func TestCachedSingleFlight(t *testing.T) {
	const callers = 20
	begun, release := make(chan struct{}), make(chan struct{})
	source := &counting{}
	slow := sourceFunc(func(ctx context.Context, r eval.JudgeRequest) (judge.Verdict, error) {
		if r.Prediction == "yes" {
			close(begun)
			<-release
		}
		return source.Decide(ctx, r)
	})
	meter := &judge.Meter{}
	j := judge.NewCached(openStore(t, ""), judge.Identity{}, slow, meter)
	var all sync.WaitGroup
	for range callers {
		all.Go(func() { mustJudge(t, j, request("yes"), true) })
	}
	<-begun
	mustJudge(t, j, request("another is not held up"), false)
	close(release)
	all.Wait()
	if source.asked.Load() != 2 || meter.Spent().Known != callers-1 {
		t.Errorf("asked %d times, %d known", source.asked.Load(), meter.Spent().Known)
	}
}

// TestCachedLeaderGivesUp checks that a waiter asks itself when the caller it waited for gives up.
func TestCachedLeaderGivesUp(t *testing.T) {
	begun := make(chan struct{}, 2)
	var calls atomic.Int64
	j := judge.NewCached(openStore(t, ""), judge.Identity{}, sourceFunc(func(ctx context.Context, _ eval.JudgeRequest) (judge.Verdict, error) {
		begun <- struct{}{}
		if calls.Add(1) == 1 {
			<-ctx.Done()
			return judge.Verdict{}, ctx.Err()
		}
		return judge.Verdict{Right: true}, nil
	}), nil)
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() {
		if _, err := j.Judge(ctx, request("yes")); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
	<-begun
	all.Go(func() { mustJudge(t, j, request("yes"), true) })
	cancel()
	all.Wait()
}
