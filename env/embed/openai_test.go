package embed_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"airqa/env/embed"
	"airqa/qa"
)

const key = "sk-secret"

// request is the body sent to the endpoint.
type request struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Format     string   `json:"encoding_format"`
	Dimensions int      `json:"dimensions"`
}

// endpoint is a scripted server with a client. The client records waits instead of sleeping.
type endpoint struct {
	*embed.OpenAI
	waits []time.Duration

	mu   sync.Mutex
	sent []request
}

func (e *endpoint) note(r request) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sent = append(e.sent, r)
	return len(e.sent)
}

func (e *endpoint) requests() []request {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.sent)
}

func serve(t *testing.T, c embed.OpenAIConfig, answer func(w http.ResponseWriter, r request, n int)) *endpoint {
	t.Helper()
	e := &endpoint{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Method + " " + r.URL.Path; got != "POST /v1/embeddings" {
			t.Errorf("got %s", got)
		}
		if got := r.Header.Get("Authorization"); got != "Bearer "+key {
			t.Errorf("Authorization: %q", got)
		}
		var req request
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			t.Error(err)
		}
		answer(w, req, e.note(req))
	}))
	t.Cleanup(server.Close)
	c.BaseURL, c.Model, c.Key, c.Rand = server.URL+"/v1", "m", key, func() float64 { return 0 }
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	c.Now = func() time.Time { return now }
	c.Sleep = func(ctx context.Context, d time.Duration) error {
		e.waits, now = append(e.waits, d), now.Add(d)
		return ctx.Err()
	}
	var err error
	if e.OpenAI, err = embed.NewOpenAI(c); err != nil {
		t.Fatal(err)
	}
	return e
}

// lengths responds with the vector (3 x length, 4 x length) for each text, in reverse order.
func lengths(w http.ResponseWriter, r request, _ int) {
	var data []string
	for i, text := range slices.Backward(r.Input) {
		data = append(data, fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":[%d,%d]}`, i, 3*len(text), 4*len(text)))
	}
	_, _ = io.WriteString(w, `{"object":"list","data":[`+strings.Join(data, ",")+`],"usage":{"total_tokens":1}}`)
}

func TestOpenAI(t *testing.T) {
	e := serve(t, embed.OpenAIConfig{Batch: 2}, lengths)
	got, err := e.Embed(t.Context(), []string{"a", "", "ccc"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]float32{{0.6, 0.8}, {0.6, 0.8}, {0.6, 0.8}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want := []request{{Model: "m", Input: []string{"a", " "}, Format: "base64"}, {Model: "m", Input: []string{"ccc"}, Format: "base64"}}
	byInput := cmpopts.SortSlices(func(a, b request) int { return slices.Compare(a.Input, b.Input) })
	sent := e.requests()
	sent[1].Format = sent[0].Format // "float" if the numbers for the first batch have come before
	if diff := cmp.Diff(want, sent, byInput); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(embed.Info{Model: "openai:m", Window: 8191}, e.Info()); diff != "" {
		t.Errorf("info (-want +got):\n%s", diff)
	}
}

func TestOpenAIRetries(t *testing.T) {
	e := serve(t, embed.OpenAIConfig{}, func(w http.ResponseWriter, r request, n int) {
		switch n {
		case 1:
			w.Header().Set("Retry-After", "7")
			http.Error(w, "slow down", http.StatusTooManyRequests)
		case 2:
			http.Error(w, "oops", http.StatusBadGateway)
		case 3:
			w.Header().Set("Retry-After", "999999999999")
			http.Error(w, "oops", http.StatusServiceUnavailable)
		default:
			lengths(w, r, n)
		}
	})
	if _, err := e.Embed(t.Context(), []string{"a"}); err != nil {
		t.Fatal(err)
	}
	want := []time.Duration{7 * time.Second, 2 * time.Second, 60 * time.Second}
	if diff := cmp.Diff(want, e.waits); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
}

// A refusal slows down the other requests, too, and the tokens of every response are reported.
func TestOpenAIUsage(t *testing.T) {
	for name, test := range map[string]struct {
		usage string
		want  qa.Usage
	}{
		"reported": {`"usage":{"prompt_tokens":7,"total_tokens":7}`, qa.Usage{Prompt: 7}},
		"missing":  {`"usage":null`, qa.Usage{Prompt: 2, Estimated: true}},
		"negative": {`"usage":{"prompt_tokens":-7}`, qa.Usage{Prompt: 2, Estimated: true}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []qa.Usage
			e := serve(t, embed.OpenAIConfig{OnUsage: func(u qa.Usage) { got = append(got, u) }}, func(w http.ResponseWriter, _ request, n int) {
				if n == 1 {
					http.Error(w, "busy", http.StatusServiceUnavailable)
					return
				}
				_, _ = io.WriteString(w, `{"data":[{"index":0,"embedding":[3,4]}],`+test.usage+`}`)
			})
			if _, err := e.Embed(t.Context(), []string{"hello world"}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]qa.Usage{test.want}, got); diff != "" {
				t.Errorf("usage (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOpenAIParallel(t *testing.T) {
	var here, most atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n := here.Add(1)
		defer here.Add(-1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		_, _ = io.WriteString(w, `{"data":[{"index":0,"embedding":[3,4]}]}`)
	}))
	defer server.Close()
	e, err := embed.NewOpenAI(embed.OpenAIConfig{BaseURL: server.URL, Model: "m", Parallel: 2})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() {
			if _, err := e.Embed(t.Context(), []string{"a"}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if most.Load() > 2 {
		t.Errorf("%d requests at once, want at most 2", most.Load())
	}
}

func TestOpenAIErrors(t *testing.T) {
	reply := func(text string) func(http.ResponseWriter, request, int) {
		return func(w http.ResponseWriter, _ request, _ int) { _, _ = io.WriteString(w, text) }
	}
	status := func(code int, text string) func(http.ResponseWriter, request, int) {
		return func(w http.ResponseWriter, _ request, _ int) { http.Error(w, text, code) }
	}
	hangUp := func(http.ResponseWriter, request, int) { panic(http.ErrAbortHandler) }
	tests := []struct {
		name     string
		config   embed.OpenAIConfig
		answer   func(http.ResponseWriter, request, int)
		requests int
		wantErr  string
	}{
		{"refused", embed.OpenAIConfig{}, status(401, "wrong key "+key), 1, "wrong key [key]"},
		{"always busy", embed.OpenAIConfig{Attempts: 3}, status(503, "busy"), 3, "503"},
		{"no connection", embed.OpenAIConfig{Attempts: 2}, hangUp, 2, "ask endpoint"},
		{"no JSON", embed.OpenAIConfig{}, reply("<html>"), 1, "read reply"},
		{"too few", embed.OpenAIConfig{}, reply(`{"data":[]}`), 1, "0 vectors for 1 texts"},
		{"index out of range", embed.OpenAIConfig{}, reply(`{"data":[{"index":1,"embedding":[1]}]}`), 1, "index 1 of 1"},
		{"negative index", embed.OpenAIConfig{}, reply(`{"data":[{"index":-1,"embedding":[1]}]}`), 1, "index -1 of 1"},
		{"zeros", embed.OpenAIConfig{}, reply(`{"data":[{"index":0,"embedding":[0,0]}]}`), 1, "unusable vector"},
		{"no base64", embed.OpenAIConfig{}, reply(`{"data":[{"index":0,"embedding":"!"}]}`), 1, "nor base64 of float32"},
		{"half a number", embed.OpenAIConfig{}, reply(`{"data":[{"index":0,"embedding":"AAA="}]}`), 1, "nor base64 of float32"},
		{"refused twice", embed.OpenAIConfig{}, status(400, "no such model"), 2, "no such model"},
		{"another length", embed.OpenAIConfig{Dimensions: 3}, reply(`{"data":[{"index":0,"embedding":[1,1]}]}`), 1, "want 3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := serve(t, tt.config, tt.answer)
			got, err := e.Embed(t.Context(), []string{"a"})
			if err == nil || got != nil || !strings.Contains(err.Error(), tt.wantErr) || strings.Contains(err.Error(), key) {
				t.Errorf("got %v, %v, want an error with %q and without the key", got, err, tt.wantErr)
			}
			if len(e.requests()) != tt.requests {
				t.Errorf("%d requests, want %d", len(e.requests()), tt.requests)
			}
		})
	}
}

// base64s responds with the vectors of lengths as base64.
func base64s(w http.ResponseWriter, r request, _ int) {
	var data []string
	for i, text := range r.Input {
		raw := binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(3*len(text))))
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(4*len(text))))
		data = append(data, fmt.Sprintf(`{"index":%d,"embedding":%q}`, i, base64.StdEncoding.EncodeToString(raw)))
	}
	_, _ = io.WriteString(w, `{"data":[`+strings.Join(data, ",")+`],"usage":{"total_tokens":1}}`)
}

// Vectors are requested as base64 until the endpoint refuses that, or sends numbers.
func TestOpenAICoding(t *testing.T) {
	refuse := func(status int) func(http.ResponseWriter, request, int) {
		return func(w http.ResponseWriter, r request, n int) {
			if r.Format == "base64" {
				http.Error(w, "encoding_format: unknown value", status)
				return
			}
			lengths(w, r, n)
		}
	}
	for name, tt := range map[string]struct {
		answer func(http.ResponseWriter, request, int)
		want   []string // formats of the requests for two texts
	}{
		"base64":       {base64s, []string{"base64", "base64"}},
		"numbers":      {lengths, []string{"base64", "float"}},
		"refused, 400": {refuse(http.StatusBadRequest), []string{"base64", "float", "float"}},
		"refused, 422": {refuse(http.StatusUnprocessableEntity), []string{"base64", "float", "float"}},
	} {
		t.Run(name, func(t *testing.T) {
			e := serve(t, embed.OpenAIConfig{}, tt.answer)
			for range 2 {
				got, err := e.Embed(t.Context(), []string{"aa"})
				if diff := cmp.Diff([][]float32{{0.6, 0.8}}, got); err != nil || diff != "" {
					t.Errorf("%v (-want +got):\n%s", err, diff)
				}
			}
			var formats []string
			for _, r := range e.requests() {
				formats = append(formats, r.Format)
			}
			if diff := cmp.Diff(tt.want, formats); diff != "" {
				t.Errorf("formats (-want +got):\n%s", diff)
			}
		})
	}
}

// A text that an endpoint refuses once it has sent base64 is not sent again.
func TestOpenAIRefusesText(t *testing.T) {
	e := serve(t, embed.OpenAIConfig{}, func(w http.ResponseWriter, r request, n int) {
		if n > 1 {
			http.Error(w, "this text is refused", http.StatusBadRequest)
			return
		}
		base64s(w, r, n)
	})
	if _, err := e.Embed(t.Context(), []string{"a"}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Embed(t.Context(), []string{"b"}); err == nil || !strings.Contains(err.Error(), "this text is refused") || len(e.requests()) != 2 {
		t.Errorf("%v after %d requests", err, len(e.requests()))
	}
}

// Vectors without an index are in the order of the texts.
func TestOpenAIWithoutIndex(t *testing.T) {
	e := serve(t, embed.OpenAIConfig{}, func(w http.ResponseWriter, _ request, _ int) {
		_, _ = io.WriteString(w, `{"data":[{"embedding":[1,0]},{"embedding":[0,1]}]}`)
	})
	got, err := e.Embed(t.Context(), []string{"a", "b"})
	if diff := cmp.Diff([][]float32{{1, 0}, {0, 1}}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// The batches of one call overlap, as many as allowed, and the vectors keep the order of the texts.
func TestOpenAIBatchesOverlap(t *testing.T) {
	const parallel = 5
	var waiting sync.WaitGroup
	waiting.Add(parallel)
	var here, most atomic.Int64
	e := serve(t, embed.OpenAIConfig{Batch: 1, Parallel: parallel}, func(w http.ResponseWriter, r request, n int) {
		now := here.Add(1)
		for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
		}
		if n <= parallel { // none of the first ends before the last has begun
			waiting.Done()
			waiting.Wait()
		}
		here.Add(-1)
		raw := fmt.Sprintf(`{"data":[{"index":0,"embedding":[1,%d]}]}`, len(r.Input[0]))
		_, _ = io.WriteString(w, raw)
	})
	var texts []string
	for n := range 40 {
		texts = append(texts, strings.Repeat("x", n+1))
	}
	got, err := e.Embed(t.Context(), texts)
	if err != nil || most.Load() != parallel {
		t.Fatalf("%d requests at once, want %d: %v", most.Load(), parallel, err)
	}
	for i, v := range got {
		if ratio := v[1] / v[0]; math.Abs(float64(ratio)-float64(i+1)) > 1e-3 {
			t.Errorf("text %d has the vector of %v", i+1, ratio)
		}
	}
}

func TestOpenAICancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	e := serve(t, embed.OpenAIConfig{}, func(w http.ResponseWriter, _ request, _ int) {
		cancel()
		http.Error(w, "busy", http.StatusServiceUnavailable)
	})
	if _, err := e.Embed(ctx, []string{"a"}); !errors.Is(err, context.Canceled) || len(e.requests()) != 1 {
		t.Errorf("got %v after %d requests, want context.Canceled after one", err, len(e.requests()))
	}
}

func TestNewOpenAIErrors(t *testing.T) {
	tests := []struct {
		name   string
		config embed.OpenAIConfig
	}{
		{"no address", embed.OpenAIConfig{Model: "m"}},
		{"file", embed.OpenAIConfig{Model: "m", BaseURL: "file:///etc"}},
		{"no model", embed.OpenAIConfig{BaseURL: "http://localhost/v1"}},
		{"negative batch", embed.OpenAIConfig{Model: "m", BaseURL: "http://localhost/v1", Batch: -1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := embed.NewOpenAI(tt.config); err == nil {
				t.Error("accepted")
			}
		})
	}
}
