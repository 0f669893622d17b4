package plan_test

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/env"
	"airqa/env/paperdb"
	"airqa/internal/testkit"
	"airqa/internal/testkit/openaitest"
	"airqa/internal/testkit/sessiontest"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/run/plan"
	"airqa/run/session"
	"airqa/runlog"
)

func TestMain(m *testing.M) {
	paperdb.WorkerMain()
	os.Exit(m.Run())
}

// Questions are selected by the results of an earlier run.
func TestPickByStatus(t *testing.T) {
	testkit.OneGoroutine(t)
	v := sessiontest.New(t, openaitest.Config{Reply: func(m []openaitest.Message) string {
		if strings.Contains(m[len(m)-1].Text, "(2)") {
			return "```txt\n4\n```"
		}
		return sessiontest.Three(m)
	}})
	p := v.Plan()
	p.Picked = p.Picked[:4]
	v.Run(p)
	dir := filepath.Join(v.Dir, "run")
	var scores []qa.Score
	for i := range 4 {
		s := qa.Score{UUID: fmt.Sprintf("q%d", i), Verdict: qa.Right, Value: 1}
		if i == 2 {
			s.Verdict, s.Value = qa.Wrong, 0
		}
		scores = append(scores, s)
	}
	v.OK(runlog.WriteScores(dir, runlog.Scoring{Mode: "reference", Judge: "offline"}, scores, nil))
	file := filepath.Join(v.Dir, "ids")
	v.OK(os.WriteFile(file, []byte("q1\n q3\n"), 0o600))
	for _, tt := range []struct {
		name string
		f    plan.Selection
		want string // the questions, or a part of the error
	}{
		{"all", plan.Selection{}, "q0 q1 q2 q3 q4"},
		{"wrong", plan.Selection{Of: dir + "=wrong"}, "q2"},
		{"right or missing", plan.Selection{Of: dir + "=right,missing"}, "q0 q1 q3 q4"},
		{"answered", plan.Selection{Of: dir + "=answered", Selection: dataset.Selection{Limit: "2"}}, "q0 q1"},
		{"file of ids", plan.Selection{Selection: dataset.Selection{IDs: []string{"@" + file, " q0 "}}}, "q0 q1 q3"},
		{"range", plan.Selection{Selection: dataset.Selection{Limit: "2-3"}}, "q1 q2"},
		{"none", plan.Selection{Of: dir + "=failed"}, "none of 5 questions selected"},
		{"unknown status", plan.Selection{Of: dir + "=bad"}, `unknown status "bad"`},
		{"negative", plan.Selection{Selection: dataset.Selection{Limit: "-1"}}, "want N"},
		{"missing file", plan.Selection{Selection: dataset.Selection{IDs: []string{"@" + file + "x"}}}, "no such file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			picked, err := plan.Select(v.Session, tt.f, v.Plan().Examples)
			var ids []string
			for _, ex := range picked {
				ids = append(ids, ex.UUID)
			}
			if got := strings.Join(ids, " "); got != tt.want && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %q, error %v, want %q", got, err, tt.want)
			}
		})
	}
}

// Questions without their papers stop a run, are left out or are asked, as chosen; a resumed run keeps its choice, and a dry
// run never stops.
func TestMissingPapers(t *testing.T) {
	testkit.OneGoroutine(t)
	for _, tt := range []struct {
		name, choice, recorded string
		dry                    bool
		picked                 int // after the choice; 0 is an error
	}{
		{"stop", "stop", "", false, 0},
		{"skip", "skip", "", false, 4},
		{"run", "run", "", false, 5},
		{"resumed", "stop", "skip", false, 4},
		{"stop, dry run", "stop", "", true, 5},
		{"skip, dry run", "skip", "", true, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := sessiontest.New(t, openaitest.Config{Reply: sessiontest.Three})
			c := config(t, v, func(examples []qa.Example) { examples[1].AnchorPDF = []string{"gone"} })
			if tt.recorded != "" {
				c.Missing = tt.recorded
				first, err := plan.Prepare(t.Context(), v.Session, c)
				v.OK(err)
				v.Run(first)
			}
			c.Missing = cmp.Or(tt.choice, "stop")
			c.DryRun = tt.dry
			p, err := plan.Prepare(t.Context(), v.Session, c)
			if (err == nil) != (tt.picked > 0) || err == nil && (len(p.Picked) != tt.picked || p.Note.Missing.Choice != cmp.Or(tt.recorded, tt.choice)) {
				t.Errorf("%d questions, error %v", len(p.Picked), err)
			}
			var use *qa.UsageError
			var missing *plan.MissingError
			if err != nil && (!errors.As(err, &use) || !errors.As(err, &missing) || !strings.Contains(err.Error(), "1 of 5 questions names 1 paper missing from")) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// config is an invocation of question-only over a question file, whose questions may be changed.
func config(t *testing.T, v *sessiontest.Invocation, change func([]qa.Example)) plan.Config {
	t.Helper()
	examples := v.Plan().Examples
	if change != nil {
		change(examples)
	}
	lines, err := dataset.Lines(examples)
	v.OK(err)
	path := filepath.Join(v.Dir, "questions.jsonl")
	v.OK(os.WriteFile(path, lines, 0o600))
	return plan.Config{
		Choice: plan.Choice{
			Baselines: []string{"question-only"}, Models: []string{"openai:m"}, Out: filepath.Join(v.Dir, "run"), Workers: 1,
		},
		Questions: path, Options: plan.Options{Missing: "stop"},
		Plan: session.Plan{Settings: qa.DefaultSettings(), Repeats: 1, Retry: "errors"},
		OpenWorld: func(c env.Config) (*env.Env, error) {
			c.Dir, c.QueryInProcess = filepath.Join(v.Dir, "data"), true
			return env.Open(t.Context(), c)
		},
	}
}

// Flags that contradict each other are refused before anything is written.
func TestPrepareRefuses(t *testing.T) {
	testkit.OneGoroutine(t)
	for _, tt := range []struct {
		name   string
		change func(*plan.Config)
		want   string
	}{
		{"unknown baseline", func(c *plan.Config) { c.Baselines = []string{"best"} }, `"best"`},
		{"a baseline twice", func(c *plan.Config) { c.Baselines = []string{"rag", " rag"} }, "baseline rag is named twice"},
		{"a model twice", func(c *plan.Config) { c.Models = []string{"openai:m", "openai:m "} }, "model openai:m is named twice"},
		{"unknown provider", func(c *plan.Config) { c.Models = []string{"nobody:m"} }, "offline"},
		{"a limit without a price", func(c *plan.Config) { c.Calls.PriceRequired = true }, "the price of openai:m is unknown"},
		{"no list of models", func(c *plan.Config) { c.Calls.Catalog = "none.json" }, "none.json"},
		{"no question left", func(c *plan.Config) { c.Tags = []string{"rare"} }, "no question has the tags rare"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := sessiontest.New(t, openaitest.Config{Reply: sessiontest.Three})
			c := config(t, v, nil)
			tt.change(&c)
			_, err := plan.Prepare(t.Context(), v.Session, c)
			var use *qa.UsageError
			if !errors.As(err, &use) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want wrong use: %s", err, tt.want)
			}
			if _, err := os.Stat(c.Out); err == nil {
				t.Error("the run directory exists")
			}
		})
	}
}
