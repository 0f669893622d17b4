package cache_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/llm/cache"
	"airqa/qa"
)

var clock = time.Date(2031, 5, 1, 12, 0, 0, 0, time.UTC)

// model calls a function for each request and counts them.
type model struct {
	calls  atomic.Int64
	answer func(qa.Request) (qa.Reply, error)
}

func (m *model) Complete(_ context.Context, r qa.Request) (qa.Reply, error) {
	m.calls.Add(1)
	if m.answer != nil {
		return m.answer(r)
	}
	return qa.Reply{Text: "4\xff2", Model: "served", ID: "id-1", Finish: "stop", Usage: qa.Usage{Prompt: 9, Completion: 3}, Attempts: []qa.Attempt{{Status: 200}}}, nil
}

func open(t *testing.T, dir string) *cache.Store {
	t.Helper()
	s, err := cache.Open(dir, cache.Config{Now: func() time.Time { return clock }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func behind(s *cache.Store, m *model) *cache.Model {
	return &cache.Model{Store: s, Model: m, Name: "openai:m", Endpoint: map[string]any{"model": "m", "sampling": map[string]any{"seed": 1}}, Protocol: "react"}
}

func request(text string, repeat int) qa.Request {
	return qa.Request{Messages: []qa.Message{{Role: qa.User, Text: text}}, UUID: "u", Repeat: repeat, Step: 1}
}

// none and since choose the replies that Prune keeps.
func none(time.Time) bool { return false }

func since(oldest time.Time) func(time.Time) bool {
	return func(written time.Time) bool { return !written.Before(oldest) }
}

func ask(t *testing.T, m *cache.Model, r qa.Request) qa.Reply {
	t.Helper()
	reply, err := m.Complete(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

// A reply comes back byte for byte, marked and without requests; also in another program.
func TestHit(t *testing.T) {
	dir, asked := t.TempDir(), &model{}
	first := open(t, dir)
	got := ask(t, behind(first, asked), request("q", 0))
	if got.Cached || len(got.Attempts) != 1 {
		t.Errorf("the first reply is %+v", got)
	}
	want := got
	want.Cached, want.Attempts = true, nil
	for _, store := range []*cache.Store{first, open(t, dir)} {
		r := request("q", 0)
		r.UUID, r.Step = "another", 7
		if diff := cmp.Diff(want, ask(t, behind(store, asked), r)); diff != "" {
			t.Errorf("hit (-want +got):\n%s", diff)
		}
	}
	if hits, n := first.Counts(); asked.calls.Load() != 1 || hits != 1 || n != 1 {
		t.Errorf("%d calls, %d hits, %d asked", asked.calls.Load(), hits, n)
	}
}

// The encoding of an entry never changes.
func TestFileBytes(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	asked := &model{answer: func(qa.Request) (qa.Reply, error) {
		return qa.Reply{Text: "a < b & \xff", Reasoning: "so", Model: "served", ID: "id-1", Finish: "stop", Usage: qa.Usage{Prompt: 9, Completion: 3}}, nil
	}}
	ask(t, behind(s, asked), request("q", 2))
	raw, err := os.ReadFile(filepath.Join(dir, cache.File))
	want := `{"key":"bf1231e9cc732824b34f6572b5d50aaf2955e60b77c840c3c6d296d9050a0a21","format":1,"time":"2031-05-01T12:00:00Z",` +
		`"model":"openai:m","repeat":2,"reply":{"text":{"quoted":"\"a \u003c b \u0026 \\xff\""},"reasoning":"so","model":"served","id":"id-1",` +
		`"finish":"stop","usage":{"prompt":9,"completion":3}}}`
	if diff := cmp.Diff(want+"\n", string(raw)); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// Everything that shapes a reply makes another request, the repeat index above all.
func TestKey(t *testing.T) {
	base := func() (map[string]any, string, qa.Request) {
		return map[string]any{"provider": "openai", "model": "m", "base_url": "http://a/v1", "sampling": map[string]any{"temperature": 0.7, "top_p": 0.95}}, "react",
			qa.Request{Messages: []qa.Message{
				{Role: qa.System, Text: "s"},
				{Role: qa.User, Text: "q", Images: []qa.Image{{SHA256: "aa", MIME: "image/png"}}},
				{Role: qa.Assistant, Text: "t", ToolCalls: []qa.ToolCall{{ID: "1", Name: "Query", Arguments: []byte(`{"sql":"x"}`)}}},
				{Role: qa.ToolResult, Text: "o", ToolCallID: "1"},
			}, Tools: []qa.ToolSpec{{Name: "Query", Description: "d", Parameters: []byte(`{}`)}}, UUID: "u", Repeat: 0, Step: 2}
	}
	tests := []struct {
		name   string
		change func(e map[string]any, protocol *string, r *qa.Request)
		same   bool
	}{
		{"uuid and step", func(_ map[string]any, _ *string, r *qa.Request) { r.UUID, r.Step = "v", 9 }, true},
		{"image bytes of one hash", func(_ map[string]any, _ *string, r *qa.Request) { r.Messages[1].Images[0].Data = []byte("x") }, true},
		{"repeat", func(_ map[string]any, _ *string, r *qa.Request) { r.Repeat = 1 }, false},
		{"provider", func(e map[string]any, _ *string, _ *qa.Request) { e["provider"] = "ollama" }, false},
		{"model", func(e map[string]any, _ *string, _ *qa.Request) { e["model"] = "n" }, false},
		{"address", func(e map[string]any, _ *string, _ *qa.Request) { e["base_url"] = "http://b/v1" }, false},
		{"temperature", func(e map[string]any, _ *string, _ *qa.Request) { e["sampling"].(map[string]any)["temperature"] = 0.6 }, false},
		{"seed", func(e map[string]any, _ *string, _ *qa.Request) { e["sampling"].(map[string]any)["seed"] = 0 }, false},
		{"protocol", func(_ map[string]any, p *string, _ *qa.Request) { *p = "mixed" }, false},
		{"tool", func(_ map[string]any, _ *string, r *qa.Request) { r.Tools[0].Description = "e" }, false},
		{"no tools", func(_ map[string]any, _ *string, r *qa.Request) { r.Tools = nil }, false},
		{"text", func(_ map[string]any, _ *string, r *qa.Request) { r.Messages[0].Text = "s " }, false},
		{"bytes that are no UTF-8", func(_ map[string]any, _ *string, r *qa.Request) { r.Messages[0].Text = "\xff" }, false},
		{"other such bytes", func(_ map[string]any, _ *string, r *qa.Request) { r.Messages[0].Text = "\xfe" }, false},
		{"role", func(_ map[string]any, _ *string, r *qa.Request) { r.Messages[0].Role = qa.User }, false},
		{"image", func(_ map[string]any, _ *string, r *qa.Request) { r.Messages[1].Images[0].SHA256 = "bb" }, false},
		{"no image", func(_ map[string]any, _ *string, r *qa.Request) { r.Messages[1].Images = nil }, false},
		{"tool call", func(_ map[string]any, _ *string, r *qa.Request) {
			r.Messages[2].ToolCalls[0].Arguments = []byte(`{"sql":"y"}`)
		}, false},
		{"answered call", func(_ map[string]any, _ *string, r *qa.Request) { r.Messages[3].ToolCallID = "2" }, false},
		{"a message less", func(_ map[string]any, _ *string, r *qa.Request) { r.Messages = r.Messages[:3] }, false},
	}
	seen := make(map[cache.Key]string)
	e, p, r := base()
	first, err := cache.KeyOf(e, p, r)
	if err != nil {
		t.Fatal(err)
	}
	seen[first] = "unchanged"
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, p, r := base()
			tt.change(e, &p, &r)
			key, err := cache.KeyOf(e, p, r)
			if err != nil {
				t.Fatal(err)
			}
			if other, had := seen[key]; had != tt.same {
				t.Errorf("same key as another request: %v (%s), want %v", had, other, tt.same)
			}
			seen[key] = tt.name
		})
	}
}

func TestFailuresAreNotKept(t *testing.T) {
	dir := t.TempDir()
	broken := errors.New("broken")
	asked := &model{answer: func(qa.Request) (qa.Reply, error) { return qa.Reply{}, broken }}
	m := behind(open(t, dir), asked)
	for range 2 {
		if _, err := m.Complete(t.Context(), request("q", 0)); !errors.Is(err, broken) {
			t.Errorf("error = %v", err)
		}
	}
	asked.answer = nil
	ask(t, m, request("q", 0))
	if ask(t, m, request("q", 0)); asked.calls.Load() != 3 {
		t.Errorf("%d calls", asked.calls.Load())
	}
}

// Many equal requests at once are one call; when it fails, the next in line makes it.
func TestSingleFlight(t *testing.T) {
	asked := &model{}
	started, release := make(chan struct{}), make(chan struct{})
	asked.answer = func(qa.Request) (qa.Reply, error) {
		if asked.calls.Load() == 1 {
			close(started)
			<-release
			return qa.Reply{}, errors.New("broken")
		}
		return qa.Reply{Text: "42"}, nil
	}
	m := behind(open(t, t.TempDir()), asked)
	var all sync.WaitGroup
	var failed, cached atomic.Int64
	for range 20 {
		all.Go(func() {
			switch reply, err := m.Complete(t.Context(), request("q", 0)); {
			case err != nil:
				failed.Add(1)
			case reply.Cached:
				cached.Add(1)
			}
		})
	}
	<-started
	close(release)
	all.Wait()
	if asked.calls.Load() != 2 || failed.Load() != 1 || cached.Load() != 18 {
		t.Errorf("%d calls, %d failed, %d from the cache", asked.calls.Load(), failed.Load(), cached.Load())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Complete(ctx, request("q", 0)); err != nil {
		t.Errorf("a hit needs no time: %v", err)
	}
}

// Two processes with the folder open see each other's entries.
func TestTwoPrograms(t *testing.T) {
	dir, asked := t.TempDir(), &model{}
	a, b := behind(open(t, dir), asked), behind(open(t, dir), asked)
	for i, text := range []string{"one", "two", "three", "four"} {
		from, to := a, b
		if i%2 == 1 {
			from, to = b, a
		}
		ask(t, from, request(text, 0))
		if !ask(t, to, request(text, 0)).Cached {
			t.Errorf("%s was asked again", text)
		}
	}
	if asked.calls.Load() != 4 {
		t.Errorf("%d calls", asked.calls.Load())
	}
	if _, _, err := cache.Prune(dir, none); !errors.Is(err, cache.ErrInUse) {
		t.Errorf("a cache in use is cleared: %v", err)
	}
}

// A store for one program is refused to others, and refused if others have it. It removes a half line of a killed program.
func TestExclusive(t *testing.T) {
	dir, asked := t.TempDir(), &model{}
	alone, shared := cache.Config{Exclusive: true}, cache.Config{}
	s, err := cache.Open(dir, alone)
	if err != nil {
		t.Fatal(err)
	}
	m := behind(s, asked)
	ask(t, m, request("one", 0))
	for _, c := range []cache.Config{alone, shared} {
		if _, err := cache.Open(dir, c); !errors.Is(err, cache.ErrInUse) {
			t.Errorf("opened twice, %+v: %v", c, err)
		}
	}
	for text, want := range map[string]bool{"one": true, "two": false} {
		if reply, ok, err := m.Kept(request(text, 0)); ok != want || (reply.Text != "") != want || err != nil {
			t.Errorf("kept reply to %s: %+v, %v, %v", text, reply, ok, err)
		}
	}
	if err := s.Close(); err != nil || asked.calls.Load() != 1 {
		t.Errorf("%d calls, %v", asked.calls.Load(), err)
	}
	path := filepath.Join(dir, cache.File)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(whole, whole[:90]...), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err = cache.Open(dir, alone); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := behind(s, asked).Kept(request("one", 0)); !ok || err != nil {
		t.Errorf("the reply before the half line: %v, %v", ok, err)
	}
	_ = s.Close()
	if after, err := os.ReadFile(path); string(after) != string(whole) || err != nil {
		t.Errorf("%v, %s", err, after)
	}
	_ = open(t, dir)
	if _, err := cache.Open(dir, alone); !errors.Is(err, cache.ErrInUse) {
		t.Errorf("opened alone while in use: %v", err)
	}
}

// A half line left by a killed program hides nothing before or after it.
func TestTornLine(t *testing.T) {
	dir, asked := t.TempDir(), &model{}
	s := open(t, dir)
	ask(t, behind(s, asked), request("one", 0))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, cache.File)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	key, err := cache.KeyOf(behind(s, asked).Endpoint, "react", request("two", 0))
	if err != nil {
		t.Fatal(err)
	}
	torn := `{"key":"` + key.String() + `","format":1,"time":"2031-05`
	if err := os.WriteFile(path, append(raw, torn...), 0o600); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	ask(t, behind(s, asked), request("two", 0))
	_ = s.Close()
	s = open(t, dir)
	for _, text := range []string{"one", "two"} {
		if !ask(t, behind(s, asked), request(text, 0)).Cached {
			t.Errorf("%s was lost", text)
		}
	}
	_ = s.Close()
	held, bad, err := cache.List(dir)
	if err != nil || bad != 1 || len(held) != 1 || held[0].Replies != 2 {
		t.Errorf("%+v, %d bad, %v", held, bad, err)
	}
	if dropped, kept, err := cache.Prune(dir, since(clock)); dropped != 1 || kept != 2 || err != nil {
		t.Errorf("dropped %d, kept %d, %v", dropped, kept, err)
	}
}

// An entry of a format that this program does not read is no hit: the model is asked, and its reply is found from then on.
func TestOtherFormat(t *testing.T) {
	dir, asked := t.TempDir(), &model{}
	s := open(t, dir)
	ask(t, behind(s, asked), request("one", 0))
	_ = s.Close()
	path := filepath.Join(dir, cache.File)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Replace(string(raw), fmt.Sprintf(`"format":%d`, cache.Format), `"format":99`, 1)
	if err := os.WriteFile(path, []byte(other), 0o600); err != nil || other == string(raw) {
		t.Fatalf("%v, %s", err, other)
	}
	if _, bad, err := cache.List(dir); bad != 1 || err != nil {
		t.Errorf("%d unreadable entries, %v", bad, err)
	}
	s = open(t, dir)
	for i, cached := range []bool{false, true} {
		if got := ask(t, behind(s, asked), request("one", 0)); got.Cached != cached {
			t.Errorf("request %d: from the cache: %v, want %v", i+1, got.Cached, cached)
		}
	}
	if asked.calls.Load() != 2 {
		t.Errorf("the model was asked %d times, want twice", asked.calls.Load())
	}
}

func TestUpkeep(t *testing.T) {
	dir := t.TempDir()
	if _, _, err := cache.List(dir); !errors.Is(err, cache.ErrNoStore) {
		t.Errorf("an empty folder: %v", err)
	}
	now := clock
	secret := func(b []byte) []byte { return []byte(strings.ReplaceAll(string(b), "secret", "[redacted]")) }
	s, err := cache.Open(dir, cache.Config{Now: func() time.Time { return now }, Redact: secret})
	if err != nil {
		t.Fatal(err)
	}
	asked := &model{answer: func(qa.Request) (qa.Reply, error) {
		return qa.Reply{Text: "a secret", Usage: qa.Usage{Prompt: 5, Completion: 1}}, nil
	}}
	for i := range 4 {
		ask(t, behind(s, asked), request("q", i))
		now = now.Add(time.Hour)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	held, _, err := cache.List(dir)
	want := []cache.Held{{Model: "openai:m", Replies: 4, Bytes: held[0].Bytes, Prompt: 20, Completion: 4, Oldest: clock, Newest: clock.Add(3 * time.Hour)}}
	if diff := cmp.Diff(want, held); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if raw, _ := os.ReadFile(filepath.Join(dir, cache.File)); strings.Contains(string(raw), "secret") {
		t.Errorf("a key is in the cache:\n%s", raw)
	}
	if dropped, kept, err := cache.Prune(dir, since(clock.Add(2*time.Hour))); dropped != 2 || kept != 2 || err != nil {
		t.Errorf("dropped %d, kept %d, %v", dropped, kept, err)
	}
	if dropped, kept, err := cache.Prune(dir, none); dropped != 2 || kept != 0 || err != nil {
		t.Errorf("cleared %d, %v", dropped, err)
	}
	if held, _, err := cache.List(dir); len(held) != 0 || err != nil {
		t.Errorf("left: %v, %v", held, err)
	}
}

// The example of docs/formats/cache.md is an entry that the program reads.
func TestDocumentedEntry(t *testing.T) {
	raw, err := os.ReadFile("../../docs/formats/cache.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(raw), "```json\n")
	line, _, _ := strings.Cut(rest, "```")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, cache.File), []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	held, bad, err := cache.List(dir)
	if err != nil || bad != 0 || len(held) != 1 || held[0].Prompt != 1203 || len(held[0].Model) == 0 {
		t.Errorf("%+v, %d bad, %v", held, bad, err)
	}
}
