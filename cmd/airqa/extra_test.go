package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// heard keeps the bodies and headers of requests by the first folder of their path, which names who is asked.
type heard struct {
	sync.Mutex
	bodies  map[string]map[string]any
	headers map[string]http.Header
}

func (h *heard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.Lock()
	defer h.Unlock()
	who := strings.Split(r.URL.Path, "/")[1]
	var body map[string]any
	_ = json.NewDecoder(r.Body).Decode(&body)
	h.bodies[who], h.headers[who] = body, r.Header
	w.Header().Set("Content-Type", "application/json")
	if who == "embed" {
		_, _ = w.Write([]byte(`{"data":[{"index":0,"embedding":[3,4,0]}]}`))
		return
	}
	said, _ := json.Marshal("True. " + r.Header.Get("X-Gate") + r.Header.Get("X-Listed"))
	_, _ = w.Write([]byte(`{"choices":[{"message":{"content":` + string(said) + `},"finish_reason":"stop"}]}`))
}

// The models, judges and embedders of a command get their own members and headers, and nobody else's.
func TestExtraOfEachEndpoint(t *testing.T) {
	h := &heard{bodies: map[string]map[string]any{}, headers: map[string]http.Header{}}
	own := httptest.NewServer(h)
	defer own.Close()
	other := httptest.NewServer(h) // another host for the judge
	defer other.Close()
	list := filepath.Join(t.TempDir(), "models.json")
	const listed = `{"format":1,"models":[
		{"name":"openai:m","headers":{"X-Listed":"planted-listed-m"},"extra_body":{"min_p":0.5}},
		{"name":"openai:j","headers":{"X-Listed":"$PLANTED_OF_J"},"extra_body":{"min_p":0.25}}]}`
	if err := os.WriteFile(list, []byte(listed), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PLANTED_OF_J", "planted-listed-j")
	t.Setenv("AIRQA_HEADERS", "x-gate=planted-gate-model")
	t.Setenv("AIRQA_JUDGE_HEADERS", "x-gate=planted-gate-judge")
	t.Setenv("AIRQA_EMBED_HEADERS", "X-Gate=planted-gate-embed\nX-Second=2")
	out, code := runProgram(t, "doctor", "--models", list,
		"-m", "openai:m", "--base-url", own.URL+"/model/v1", "--extra-body", `{"top_k": 1}`,
		"--judge", "openai:j", "--judge-base-url", other.URL+"/judge/v1", "--judge-extra-body", `{"top_k": 2}`,
		"--embedder", "openai:e", "--embed-base-url", other.URL+"/embed/v1")
	if code != exitDone || strings.Contains(out, "planted") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	for who, want := range map[string]struct {
		gate, listed, member string
		value, minP          any
	}{
		"model": {"planted-gate-model", "planted-listed-m", "top_k", 1.0, 0.5},
		"judge": {"planted-gate-judge", "planted-listed-j", "top_k", 2.0, 0.25},
		"embed": {"planted-gate-embed", "", "model", "e", nil},
	} {
		headers, body := h.headers[who], h.bodies[who]
		if headers.Get("X-Gate") != want.gate || headers.Get("X-Listed") != want.listed || body[want.member] != want.value || body["min_p"] != want.minP {
			t.Errorf("%s: %v, %v", who, headers, body)
		}
	}
	if h.headers["embed"].Get("X-Second") != "2" {
		t.Error("the variable's second header is missing")
	}
	for args, want := range map[string]string{
		"--judge-extra-body [1]": "want a JSON object",
	} {
		if out, code := runProgram(t, append([]string{"doctor", "--judge", "openai:j"}, strings.Fields(args)...)...); code == exitDone || !strings.Contains(out, want) {
			t.Errorf("%s: %d\n%s", args, code, out)
		}
	}
	text, _ := runProgram(t, "list", "models", "--models", list, "--json")
	if strings.Contains(text, "planted") || !strings.Contains(text, "X-Listed") {
		t.Errorf("the list is %.300s", text)
	}
}
