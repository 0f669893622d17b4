package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"airqa/internal/testkit/openaitest"
)

// TestDoctorScripts looks at endpoints on the loopback: $CHAT answers who has the key, $TOOLS calls tools and reports no usage,
// $HANG says nothing, $PAGE is a web page, $BUSY has no room, $VECTORS embeds. Nobody listens at port 1.
func TestDoctorScripts(t *testing.T) {
	data := ingested(t)
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	many := func(f openaitest.Fault) []openaitest.Fault { return slices.Repeat([]openaitest.Fault{f}, 20) }
	call := func([]openaitest.Message) []openaitest.ToolCall {
		return []openaitest.ToolCall{{ID: "1", Name: "Say", Arguments: `{"word":"OK"}`}}
	}
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/doctor",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		Setup: func(e *testscript.Env) error {
			hang, page, busy := openaitest.New(openaitest.Config{}), openaitest.New(openaitest.Config{}), openaitest.New(openaitest.Config{})
			hang.Fail(many(openaitest.Hang(nil))...)
			page.Fail(many(openaitest.Body(http.StatusOK, "<html>"))...)
			busy.Fail(many(openaitest.RateLimited(""))...)
			for name, server := range map[string]*openaitest.Server{
				"CHAT":  openaitest.New(openaitest.Config{Key: "sk-planted-key-0123456789", Model: "m-2031-05"}),
				"TOOLS": openaitest.New(openaitest.Config{ToolCalls: call, OmitUsage: true}),
				"HANG":  hang, "PAGE": page, "BUSY": busy,
				"EMPTY": saying(`{"content": ""}`, "stop"), "CUT": saying(`{"content": null, "reasoning_content": "hm"}`, "length"),
				"REFUSES": saying(`{"content": null, "refusal": "I cannot."}`, "stop"), "TEXTONLY": openaitest.New(openaitest.Config{Refuse: refuseImages}),
			} {
				e.Defer(server.Close)
				e.Setenv(name, server.URL())
			}
			vectors := httptest.NewServer(http.HandlerFunc(embedOne))
			e.Defer(vectors.Close)
			e.Setenv("VECTORS", vectors.URL+"/v1")
			e.Setenv("DATA", data)
			e.Setenv("XDG_CACHE_HOME", cache)
			return nil
		},
	})
}

// saying is an endpoint that always gives one message.
func saying(message, finish string) *openaitest.Server {
	body := `{"model":"m","choices":[{"message":` + message + `,"finish_reason":"` + finish + `"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`
	return openaitest.New(openaitest.Config{Admit: func(int) openaitest.Fault { return openaitest.Body(http.StatusOK, body) }})
}

func embedOne(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/v1/embeddings" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"object":"list","model":"v","data":[{"object":"embedding","index":0,"embedding":[3,4,0]}]}`))
}
