// Package sessiontest makes an invocation of a run that needs no network: a session with a data directory of one paper, an
// endpoint, and five questions. Start from [New].
package sessiontest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"airqa/env"
	"airqa/env/paperdb"
	"airqa/internal/terminal"
	"airqa/internal/testkit/openaitest"
	"airqa/qa"
	"airqa/run/models"
	"airqa/run/plan"
	"airqa/run/session"
)

// Invocation is a session with a data directory of one paper, an endpoint, and five questions with the answer 3.
type Invocation struct {
	session.Session
	t      *testing.T
	Dir    string
	Server *openaitest.Server
	World  *env.Env

	mu      sync.Mutex
	notices []string
}

// paper is the paper of the data directory.
var paper = qa.PaperUUID("Attention", "nips2017")

// New makes an invocation whose models ask the endpoint.
func New(t *testing.T, endpoint openaitest.Config) *Invocation {
	t.Helper()
	v := &Invocation{t: t, Dir: t.TempDir(), Server: openaitest.New(endpoint)}
	t.Cleanup(v.Server.Close)
	ctx, data := context.Background(), filepath.Join(v.Dir, "data")
	w, err := env.OpenWriter(ctx, env.WriterConfig{Dir: data})
	v.OK(err)
	one := paperdb.Paper{Metadata: paperdb.Metadata{PaperID: paper, Title: "Attention", Conference: "nips", Year: 2017, NumPages: 1}}
	v.OK(errors.Join(w.Put(ctx, one, []byte("%PDF-1.7")), w.Finish(ctx), w.Close()))
	v.World, err = env.Open(ctx, env.Config{Dir: data, NoSearch: true, QueryInProcess: true})
	v.OK(err)
	t.Cleanup(func() { _ = v.World.Close() })
	same := func(b []byte) []byte { return b }
	v.Session = session.Session{
		Notify: func(n terminal.Notice) {
			v.mu.Lock()
			defer v.mu.Unlock()
			v.notices = append(v.notices, n.String())
		},
		Now: time.Now, Redact: same, RedactKeys: same, Program: "airqa test",
		Log:        slog.New(slog.DiscardHandler),
		Getenv:     func(name string) string { return map[string]string{"OPENAI_BASE_URL": v.Server.URL()}[name] },
		Interrupts: func() (context.Context, <-chan struct{}, func()) { return ctx, make(chan struct{}), func() {} },
	}
	return v
}

// OK ends the test at an error.
func (v *Invocation) OK(err error) {
	v.t.Helper()
	if err != nil {
		v.t.Fatal(err)
	}
}

// Noticed reports whether a notice has the text.
func (v *Invocation) Noticed(text string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return strings.Contains(strings.Join(v.notices, "\n"), text)
}

// Notices are the notices so far.
func (v *Invocation) Notices() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.notices)
}

// Plan is a plan of the five questions, without jobs.
func (v *Invocation) Plan() session.Plan {
	var examples []qa.Example
	for i := range 5 {
		examples = append(examples, qa.Example{
			UUID: fmt.Sprintf("q%d", i), Question: fmt.Sprintf("How many (%d)?", i), AnchorPDF: []string{paper},
			Evaluator: qa.Evaluator{Func: "eval_int_exact_match", Kwargs: json.RawMessage(`{"gold": 3}`)},
		})
	}
	return session.Plan{World: v.World, Examples: examples, Picked: examples, Settings: qa.DefaultSettings(), Workers: 1, Repeats: 1, Retry: "errors"}
}

// Jobs has one job: question-only, which asks once for each question.
func (v *Invocation) Jobs() []session.Job {
	v.t.Helper()
	jobs, _, err := plan.Jobs(v.Session, plan.Choice{
		Baselines: []string{"question-only"}, Models: []string{"openai:m"}, Out: filepath.Join(v.Dir, "run"), Workers: 1,
		Calls: models.Config{Timeout: time.Minute},
	})
	v.OK(err)
	return jobs
}

// Run executes the plan and returns the only job.
func (v *Invocation) Run(p session.Plan) session.Ended {
	v.t.Helper()
	p.Jobs = v.Jobs()
	ended, err := v.Execute(v.t.Context(), p)
	v.OK(err)
	v.OK(ended[0].Err)
	return ended[0]
}

// Three is a reply with the right answer.
func Three([]openaitest.Message) string { return "```txt\n3\n```" }
