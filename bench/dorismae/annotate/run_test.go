package annotate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"airqa/bench/dorismae/annotate"
	"airqa/internal/terminal"
	"airqa/internal/testkit/openaitest"
	"airqa/qa"
	"airqa/run/models"
	"airqa/run/session"
)

const fixture = "../../../fixtures/doris-mae/dataset.json"

// a setup annotates the first pairs of the fixture at a server.
type setup struct {
	annotate.Config
	drain chan struct{}
	said  strings.Builder
}

func newSetup(t *testing.T, c openaitest.Config) (*setup, *openaitest.Server) {
	t.Helper()
	server := openaitest.New(c)
	t.Cleanup(server.Close)
	s := &setup{drain: make(chan struct{})}
	s.Dataset, s.Model, s.Dir, s.Limit = fixture, "openai:m", filepath.Join(t.TempDir(), "anno"), 12
	s.Rule, s.Workers = annotate.LastLabel, 1
	s.Calls = models.Config{BaseURL: server.URL(), Timeout: time.Minute, Price: &qa.Price{Prompt: 1, Completion: 2, Cached: 1}}
	return s, server
}

func (s *setup) run(t *testing.T) (annotate.Result, error) {
	t.Helper()
	same := func(raw []byte) []byte { return raw }
	return annotate.Run(s.Config, session.Session{
		Notify: func(n terminal.Notice) { s.said.WriteString(n.String() + "\n") }, Now: time.Now,
		Getenv: func(name string) string { return map[string]string{"OPENAI_API_KEY": "sk-test"}[name] },
		Redact: same, RedactKeys: same,
		Interrupts: func() (context.Context, <-chan struct{}, func()) { return t.Context(), s.drain, func() {} },
	})
}

func isUsage(err error) bool {
	var use *qa.UsageError
	return errors.As(err, &use)
}

func isFailed(err error) bool {
	var failed *qa.FailedError
	return errors.As(err, &failed)
}

func (s *setup) export(t *testing.T, rule annotate.Rule) (rows []map[string]any, unparsed int) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.json")
	e, err := annotate.Export(annotate.ExportConfig{Dir: s.Dir, Out: out, Unparsed: out + "-unparsed", Rule: rule})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(out)
	if err != nil || json.Unmarshal(raw, &rows) != nil || len(rows) != e.Annotations {
		t.Fatalf("export: %v, %d annotations\n%s", err, e.Annotations, raw)
	}
	rest, err := os.ReadFile(out + "-unparsed")
	if (err == nil) != (e.Unparsed > 0) || strings.Contains(string(rest), "score") {
		t.Errorf("%d unparsed: %v\n%s", e.Unparsed, err, rest)
	}
	return rows, e.Unparsed
}

// Replies with several labels and without any are kept; asking again costs only what is missing.
func TestRepliesAndResume(t *testing.T) {
	var n atomic.Int64
	s, server := newSetup(t, openaitest.Config{Reply: func(messages []openaitest.Message) string {
		if strings.Contains(messages[0].Text, "had no verdict") {
			return "CONCUR"
		}
		switch n.Add(1) {
		case 1:
			return "I AGREE in part.\nDISAGREE"
		case 2:
			return "Perhaps DISPUTE.\nCONCUR"
		case 3:
			return "no verdict"
		}
		return "AGREE"
	}})
	r, err := s.run(t)
	if err != nil || r.Replied != 12 || r.Labels != [3]int{1, 9, 1} || r.Unparsed != 1 || *r.USD == 0 {
		t.Fatalf("%+v %v", r, err)
	}
	if !strings.Contains(s.said.String(), "unparsed replies: 1; --retry unparsed") {
		t.Error(s.said.String())
	}
	if again, err := s.run(t); err != nil || again.Known != 12 || again.Labels != r.Labels || *again.USD != *r.USD || server.Calls() != 12 {
		t.Errorf("again %+v %v, %d calls", again, err, server.Calls())
	}
	// The authors' rule costs no call: the reply with two labels is unparsed, too.
	rows, unparsed := s.export(t, annotate.Compat)
	if len(rows) != 10 || unparsed != 2 || server.Calls() != 12 {
		t.Errorf("%d rows, %d unparsed, %d calls", len(rows), unparsed, server.Calls())
	}
	s.RetryUnparsed, s.Limit = true, 14
	if r, err = s.run(t); err != nil || r.Replied != 3 || r.Unparsed != 0 || server.Calls() != 15 {
		t.Errorf("retry %+v %v, %d calls", r, err, server.Calls())
	}
	rows, unparsed = s.export(t, annotate.LastLabel)
	if len(rows) != 14 || unparsed != 0 {
		t.Errorf("%d rows, %d unparsed", len(rows), unparsed)
	}
	for i, row := range rows[1:] {
		if a, b := fmt.Sprint(rows[i]["aspect_id"]), fmt.Sprint(row["aspect_id"]); a > b || a == b && rows[i]["abstract_id"].(float64) >= row["abstract_id"].(float64) {
			t.Errorf("rows %d and %d are not in order", i, i+1)
		}
	}
	if row := rows[0]; row["aspect_id"] != "0" || row["abstract_id"] != 0. || row["score"] != 0. || row["gpt_response"] != "I AGREE in part.\nDISAGREE" {
		t.Errorf("first row %v", row)
	}
	body := string(server.Requests()[0].Body)
	if !strings.Contains(body, `"temperature":0`) {
		t.Errorf("no temperature 0: %s", body)
	}
	s.Model = "openai:other"
	if _, err := s.run(t); !isUsage(err) || !strings.Contains(err.Error(), "another model") {
		t.Errorf("another model: %v", err)
	}
}

// Transient failures are retried; failed requests are listed, and the same command repeats only these.
func TestFailures(t *testing.T) {
	s, server := newSetup(t, openaitest.Config{Reply: func([]openaitest.Message) string { return "AGREE" }})
	s.Calls.Retries = 2
	server.Fail(openaitest.RateLimited("0"), nil, openaitest.Status(http.StatusBadRequest, "bad", "no such thing"))
	r, err := s.run(t)
	if !isFailed(err) || r.Replied != 11 || len(r.Failures) != 1 || !strings.Contains(s.said.String(), "failed: "+r.Failures[0].Pair) {
		t.Fatalf("%+v %v\n%s", r, err, s.said.String())
	}
	// The endpoint may have charged for a request that ended with 500: the directory's cost has it, too.
	server.Fail(openaitest.Status(http.StatusInternalServerError, "oops", "oops"))
	s.Calls.Retries = 0
	before := *r.USD
	if r, err = s.run(t); !isFailed(err) || r.Known != 11 || *r.USD <= before {
		t.Errorf("%+v %v, cost before %v", r, err, before)
	}
	if r, err = s.run(t); err != nil || r.Known != 11 || r.Replied != 1 || server.Calls() != 15 {
		t.Errorf("%+v %v, %d calls", r, err, server.Calls())
	}
	if rows, unparsed := s.export(t, annotate.LastLabel); len(rows) != 12 || unparsed != 0 {
		t.Errorf("%d rows, %d unparsed", len(rows), unparsed)
	}
}

// Another text of an abstract is another question.
func TestChangedAbstract(t *testing.T) {
	s, server := newSetup(t, openaitest.Config{Reply: func([]openaitest.Message) string { return "AGREE" }})
	raw, err := os.ReadFile(fixture)
	if err != nil {
		t.Fatal(err)
	}
	s.Dataset, s.Limit = filepath.Join(t.TempDir(), "d.json"), 0
	for i, text := range []string{string(raw), strings.Replace(string(raw), "Mapping coastlines from satellite images with a neural network.", "Mapping coasts.", 1)} {
		if err := os.WriteFile(s.Dataset, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		// Abstract 0 is in the pools of two queries, with four and three aspects.
		if r, err := s.run(t); err != nil || r.Replied != []int{111, 7}[i] || server.Calls() != []int{111, 118}[i] {
			t.Errorf("%d: %+v %v, %d calls", i, r, err, server.Calls())
		}
	}
	if rows, _ := s.export(t, annotate.LastLabel); len(rows) != 111 {
		t.Errorf("%d rows", len(rows))
	}
}

func TestEndpointDown(t *testing.T) {
	s, server := newSetup(t, openaitest.Config{Refuse: func([]byte) openaitest.Fault {
		return openaitest.Status(http.StatusUnauthorized, "invalid_api_key", "wrong key")
	}})
	_, err := s.run(t)
	if !isFailed(err) || !strings.Contains(err.Error(), "10 requests in a row failed") || server.Calls() != 10 {
		t.Errorf("%v after %d calls", err, server.Calls())
	}
}

// A budget ends the work before a call that does not fit; Ctrl-C after the calls in flight.
func TestBudgetAndStop(t *testing.T) {
	reply := func([]openaitest.Message) string { return "AGREE" }
	s, server := newSetup(t, openaitest.Config{Reply: reply, Usage: &openaitest.Usage{Prompt: 300, Completion: 100}})
	s.Limits.Tokens, s.Calls.Sampling.MaxTokens = 2000, 200
	r, err := s.run(t)
	calls := server.Calls()
	if qa.Suspension(err) == "" || r.Usage.Prompt+r.Usage.Completion > 2000 || calls == 0 || calls != r.Replied {
		t.Errorf("%+v %v, %d calls", r, err, calls)
	}
	if again, err := s.run(t); qa.Suspension(err) == "" || again.Known != calls || server.Calls() > 5 {
		t.Errorf("again %+v %v, %d calls", again, err, server.Calls())
	}
	s.Limits.Tokens = 0
	close(s.drain)
	calls = server.Calls()
	if r, err := s.run(t); isFailed(err) || qa.Suspension(err) != "" || err == nil || !strings.Contains(err.Error(), "stopped; ") || r.Replied != 0 || server.Calls() != calls {
		t.Errorf("stopped: %+v %v", r, err)
	}
}

func TestMisuse(t *testing.T) {
	tests := map[string]func(*setup){
		"no query 7":       func(s *setup) { s.Queries = []int{7} },
		"no such file":     func(s *setup) { s.Dataset = "none.json" },
		"unknown provider": func(s *setup) { s.Model = "nobody:m" },
	}
	for want, change := range tests {
		s, server := newSetup(t, openaitest.Config{})
		change(s)
		if _, err := s.run(t); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
		if _, err := os.Stat(s.Dir); err == nil || server.Calls() > 0 {
			t.Errorf("%s: something was written or sent", want)
		}
	}
	if _, err := annotate.Export(annotate.ExportConfig{Dir: t.TempDir(), Out: "x", Rule: annotate.LastLabel}); err == nil || !strings.Contains(err.Error(), "airqa bench annotate --out") {
		t.Errorf("export of nothing: %v", err)
	}
}
