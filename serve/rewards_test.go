package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"airqa/serve"
	"airqa/serve/protocol"
)

// face is a server of a bench.
func face(t *testing.T, b *bench, token string) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(protocol.New(protocol.Config{Host: b.Host, Token: token, Listen: "127.0.0.1", Log: slog.New(slog.DiscardHandler)}))
	t.Cleanup(s.Close)
	return s
}

// post sends JSON and returns the status, 0 for a client that left, the body and the first cookie.
func post(ctx context.Context, t *testing.T, url, body string, headers ...string) (code int, text, cookie string) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, "", ""
	}
	defer func() { _ = reply.Body.Close() }()
	raw, _ := io.ReadAll(reply.Body)
	for _, c := range reply.Cookies() {
		cookie = c.Name + "=" + c.Value
	}
	return reply.StatusCode, string(raw), cookie
}

func gymRow(uuid, text string) string {
	return fmt.Sprintf(`{"verifier_metadata":{"question_id":%q},"response":{"output":[{"type":"message","content":[{"type":"output_text","text":%q}]}]}}`, uuid, text)
}

// An agent that has only the cookies of the last reply keeps its session, whatever the replies were, and verify sent again
// gets the same reward: after a lost reply, at the same time, and after a judge that was down.
func TestGymKeepsRewards(t *testing.T) {
	for _, prefix := range []string{"", "/gym"} {
		for _, uuid := range []string{"number", "judged"} {
			b := newBench(t, serve.Limits{Sessions: 1})
			s := face(t, b, "")
			cookie := ""
			call := func(path, body string, want int) string {
				t.Helper()
				code, text, set := post(t.Context(), t, s.URL+prefix+path, body, "Cookie", cookie)
				if code != want || set == "" {
					t.Fatalf("%s%s: %d %q %s", prefix, path, code, set, text)
				}
				cookie = set
				return text
			}
			call("/seed_session", gymRow(uuid, ""), 200)
			call("/Query", `{"sql":"select"}`, 200)
			call("/Dance", `{}`, 404)
			call("/Query", `[`, 400)
			b.fails.Store(uuid == "judged")
			call("/Answer", `{"answer":"3"}`, 200)
			if uuid == "judged" {
				call("/verify", gymRow(uuid, "other"), 502)
				b.fails.Store(false)
			}
			got := make(chan string)
			for range 4 {
				go func() {
					_, text, _ := post(t.Context(), t, s.URL+prefix+"/verify", gymRow(uuid, "other"), "Cookie", cookie)
					got <- text
				}()
			}
			for range 4 {
				if text := <-got; !strings.Contains(text, `"reward":1,`) {
					t.Errorf("%s: %s", uuid, text)
				}
			}
			call("/Answer", `{"answer":"4"}`, 409)
			if b.Active() != 0 || b.Stats.Episodes.Load() != 1 {
				t.Errorf("%s: %d sessions, %d episodes", uuid, b.Active(), b.Stats.Episodes.Load())
			}
			call("/seed_session", gymRow(uuid, ""), 200) // its place is free
			cookie = "airqa_session=gone"
			call("/verify", gymRow(uuid, "4"), 404)
		}
	}
}

// Each way to send the token opens the control routes, and nothing else does.
func TestToken(t *testing.T) {
	s := face(t, newBench(t, serve.Limits{}), "the-token")
	for header, want := range map[string]int{
		"Authorization: Bearer the-token": 200, "Authorization: bearer  the-token": 200, "X-API-Key: the-token": 200,
		"Authorization: Basic YWlycWE6dGhlLXRva2Vu": 200, // airqa:the-token
		"Authorization: Basic dGhlLXRva2VuOg==":     401, // the-token as the name
		"Authorization: the-token":                  401, "Authorization: Bearer": 401, "X-API-Key: ": 401,
	} {
		name, value, _ := strings.Cut(header, ": ")
		for _, path := range []string{"/episodes", "/seed_session", "/gym/seed_session", "/create_session"} {
			if code, text, _ := post(t.Context(), t, s.URL+path, gymRow("number", ""), name, value); (code == 401) != (want == 401) {
				t.Errorf("%s with %q: %d %s", path, header, code, text)
			}
		}
	}
}

func TestAggregate(t *testing.T) {
	s := face(t, newBench(t, serve.Limits{}), "")
	for rows, want := range map[string]string{
		`[{"reward":1,"turns":4},{"reward":0,"turns":2,"format_errors":1},{"reward":null},{"other":1}]`: `{"mean/format_errors":1,"mean/reward":0.5,"mean/turns":3}`,
		`[]`: `{}`,
	} {
		_, text, _ := post(t.Context(), t, s.URL+"/aggregate_metrics", `{"verify_responses":`+rows+`}`)
		if text != `{"agent_metrics":`+want+`,"group_level_metrics":[],"key_metrics":`+want+`}` {
			t.Errorf("%s: %s", rows, text)
		}
	}
}

// A client that left during a call gets its result with the same key; one without a key has cancelled it.
func TestKeyAfterLeaving(t *testing.T) {
	for key, want := range map[string]string{"k": `"status":"ok"`, "": "cancelled"} {
		b := newBench(t, serve.Limits{})
		url := face(t, b, "").URL + "/e/" + b.begin(t, "number").ID + "/tools/Query"
		ctx, leave := context.WithCancel(t.Context())
		first := make(chan struct{})
		go func() {
			defer close(first)
			post(ctx, t, url, `{"sql":"wait"}`, "Idempotency-Key", key)
		}()
		<-b.papers.entered
		leave()
		<-first
		again := make(chan string)
		go func() {
			_, text, _ := post(t.Context(), t, url, `{"sql":"select"}`, "Idempotency-Key", key)
			again <- text
		}()
		if key != "" {
			b.papers.release <- struct{}{}
		}
		if text := <-again; !strings.Contains(text, `"status":"ok"`) {
			t.Errorf("key %q: %s, want %s", key, text, want)
		}
	}
}

// The final call, sent again with its key or as another Answer, has the reward of the first answer once the judge is back.
func TestAnswerAfterTheJudge(t *testing.T) {
	for _, key := range []string{"", "k"} {
		b := newBench(t, serve.Limits{})
		s := b.begin(t, "judged")
		b.fails.Store(true)
		c := answer(`"three"`)
		c.Key = key
		if r := act(t, s, c); r.End.Reward != nil {
			t.Errorf("without a judge: %+v", r.End)
		}
		if _, err := s.Act(t.Context(), query("select")); !errors.Is(err, serve.ErrEnded) {
			t.Errorf("another call: %v", err)
		}
		b.fails.Store(false)
		if r := act(t, s, c); r.End.Reward == nil || *r.End.Reward != 1 || r.Text == "" {
			t.Errorf("key %q: %+v", key, r)
		}
		if _, err := s.Act(t.Context(), answer(`"four"`)); !errors.Is(err, serve.ErrEnded) {
			t.Errorf("after the reward: %v", err)
		}
	}
}

// orsEvents reads events as openreward does: each line alone, without the whitespace that a value begins with.
func orsEvents(t *testing.T, text string) (id, result string) {
	t.Helper()
	event := ""
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		value = strings.TrimSpace(strings.ToValidUTF8(value, ""))
		switch {
		case name == "event":
			event = value
		case name == "data" && event == "task_id":
			id = value
		case name == "data":
			result += value
		}
	}
	return id, result
}

// leaveCall makes a call that waits, leaves when the id of the call has arrived, and returns it.
func leaveCall(t *testing.T, b *bench, url string, header []string) string {
	t.Helper()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/call", strings.NewReader(`{"name":"Query","input":{"sql":"wait"}}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set(header[0], header[1])
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reply.Body.Close() }()
	lines := bufio.NewReader(reply.Body)
	_, _ = lines.ReadString('\n')
	data, err := lines.ReadString('\n')
	id, _ := orsEvents(t, "event: task_id\n"+data)
	if err != nil || id == "" {
		t.Fatalf("%q, %v", data, err)
	}
	<-b.papers.entered
	return id
}

// Long results arrive character by character, and one that a client left comes with the id of the call or with the same call.
func TestORSResults(t *testing.T) {
	b := newBench(t, serve.Limits{})
	url := face(t, b, "").URL
	session := b.begin(t, "number")
	want := act(t, b.begin(t, "number"), query("text")).Text
	text := func(stream string) string {
		t.Helper()
		_, result := orsEvents(t, stream)
		var got struct {
			Output struct {
				Blocks []struct{ Text string }
			}
		}
		if err := json.Unmarshal([]byte(result), &got); err != nil || len(got.Output.Blocks) != 1 {
			t.Fatalf("%v: %.200s", err, result)
		}
		return got.Output.Blocks[0].Text
	}
	header := []string{"X-Session-Id", session.ID}
	_, stream, _ := post(t.Context(), t, url+"/call", `{"name":"Query","input":{"sql":"text"}}`, header...)
	if got := text(stream); got != want || len(want) < 3*4096 {
		t.Errorf("%d bytes arrived, want %d", len(got), len(want))
	}
	for _, sent := range []string{`,"task_id":"%s"}`, `}`} {
		id := leaveCall(t, b, url, header)
		if !strings.Contains(sent, "%s") {
			id = ""
		}
		again := make(chan string)
		go func() {
			_, stream, _ := post(t.Context(), t, url+"/call", `{"name":"Query","input":{"sql":"wait"}`+strings.Replace(sent, "%s", id, 1), header...)
			again <- stream
		}()
		time.Sleep(20 * time.Millisecond) // it waits for the call, or comes after it: the result is the same
		b.papers.release <- struct{}{}
		if got := text(<-again); !strings.Contains(got, "1") || strings.Contains(got, "cancelled") {
			t.Errorf("after leaving: %s", got)
		}
	}
	if state, err := session.State(t.Context()); err != nil || state.Steps != 3 {
		t.Errorf("%+v, %v", state, err)
	}
	if code, _, _ := post(t.Context(), t, url+"/call", `{"name":"Query","input":{},"task_id":"other"}`, header...); code != http.StatusNotFound {
		t.Errorf("another id: status %d", code)
	}
}
