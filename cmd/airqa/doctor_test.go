package main

import (
	"encoding/base64"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
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

// A model passes if it shows that it has seen the image, in any language; one that is blind does not, whatever it replies.
func TestDoctorImages(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "")
	const sees, blind = `^OK +images of openai:m: reads images`, `^warning +images of openai:m: accepts images, but does not read them`
	for _, tt := range []struct{ name, reply, reasoning, want string }{
		{"digits", "7294", "", sees},
		{"a sentence", "The image shows the number **7294**, in black on white.", "", sees},
		{"spaced", "7 2 9 4", "", sees},
		{"grouped", "7,294", "", sees},
		{"German", "Auf dem Bild steht die Zahl 7.294.", "", sees},
		{"Chinese", "图片中的数字是７２９４。", "", sees},
		{"Arabic", "الرقم هو ٧٢٩٤", "", sees},
		{"Hindi", "चित्र में संख्या ७२९४ है", "", sees},
		{"thinking", "<think>There are 4 digits.</think>\n\nIt is 7294.", "", sees},
		{"hidden thinking", "7294", "I look at the image.", sees},
		{"says so", "I can't see any image.", "", blind},
		{"guesses a colour", "black", "", blind},
		{"guesses a number", "42", "", blind},
		{"guesses as many digits", "The number is 1234.", "", blind},
		{"only some digits", "729", "", blind},
		{"only thinks it", "I see no image.", "Could it be 7294?", blind},
		{"says nothing", " ", "", blind},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := openaitest.New(openaitest.Config{Reasoning: tt.reasoning, Reply: func(m []openaitest.Message) string {
				if len(m[0].Images) == 0 {
					return "OK"
				}
				return tt.reply
			}})
			defer server.Close()
			out, code := runProgram(t, "doctor", "--model", "openai:m", "--base-url", server.URL(), "--images")
			if code != exitDone || !regexp.MustCompile("(?m)"+tt.want).MatchString(out) {
				t.Errorf("exit code %d:\n%s\nwant %s", code, out, tt.want)
			}
		})
	}
}

// A call with tools that fails is an endpoint without tools only if the endpoint refused what was in it.
func TestDoctorTools(t *testing.T) {
	const noTools, noResult = "the endpoint accepts no tools", "the endpoint refuses the result of a tool call"
	tests := []struct {
		name, part string // of the requests that fail
		fault      openaitest.Fault
		want       string
		tools      bool // whether tools are the cause
	}{
		{"refused tools", `"tools"`, openaitest.Status(400, "", "tools are not supported"), noTools, true},
		{"tools are a server error", `"tools"`, openaitest.Status(500, "", "this template has no tools"), noTools, true},
		{"no reply to tools", `"tools"`, openaitest.Hang(nil), "try a longer --timeout", false},
		{"busy", `"tools"`, openaitest.RateLimited(""), "the endpoint is busy", false},
		{"gateway timeout", `"tools"`, openaitest.Status(504, "", "upstream"), "the endpoint is slow or stuck", false},
		{"cut", `"tools"`, openaitest.Cut(), "the connection broke", false},
		{"refused result", `"role":"tool"`, openaitest.Status(422, "", "no such role"), noResult, true},
		{"no reply to the result", `"role":"tool"`, openaitest.Hang(nil), "try a longer --timeout", false},
		{"busy with the result", `"role":"tool"`, openaitest.RateLimited("1"), "the endpoint is busy", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := openaitest.New(openaitest.Config{
				ToolCalls: func([]openaitest.Message) []openaitest.ToolCall {
					return []openaitest.ToolCall{{ID: "1", Name: "Say", Arguments: `{"word":"OK"}`}}
				},
				Refuse: func(body []byte) openaitest.Fault {
					if strings.Contains(string(body), tt.part) {
						return tt.fault
					}
					return nil
				},
			})
			defer server.Close()
			out, err := airqaCommand(t, "doctor", "--model", "openai:m", "--base-url", server.URL(), "--tools", "--timeout", "2s").Output()
			if err == nil || !strings.Contains(string(out), "FAILED   tools of openai:m") || !strings.Contains(string(out), tt.want) {
				t.Errorf("%v, no %q in\n%s", err, tt.want, out)
			}
			if got := strings.Contains(string(out), noTools) || strings.Contains(string(out), noResult); got != tt.tools {
				t.Errorf("tools are the cause: %v\n%s", got, out)
			}
		})
	}
}

// The image is what a model can read: a picture, most of it white, with some black.
func TestDoctorImage(t *testing.T) {
	server := openaitest.New(openaitest.Config{})
	defer server.Close()
	runProgram(t, "doctor", "--model", "openai:m", "--base-url", server.URL(), "--images")
	requests := server.Requests()
	messages, err := requests[len(requests)-1].Messages()
	if err != nil || len(messages[0].Images) != 1 {
		t.Fatalf("messages %+v, %v", messages, err)
	}
	_, data, _ := strings.Cut(messages[0].Images[0], "base64,")
	picture, err := png.Decode(base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)))
	if err != nil {
		t.Fatal(err)
	}
	dark, size := 0, picture.Bounds().Size()
	for i := range size.X * size.Y {
		if c := color.GrayModel.Convert(picture.At(i%size.X, i/size.X)).(color.Gray); c.Y < 64 {
			dark++
		}
	}
	if share := float64(dark) / float64(size.X*size.Y); share < 0.05 || share > 0.5 {
		t.Errorf("%.0f %% of the image is black", 100*share)
	}
}
