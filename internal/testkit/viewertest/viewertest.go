// Package viewertest makes run directories for tests of the web viewer: [Folder] writes two small runs with every kind of
// event, and texts of strangers that must not become markup.
package viewertest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"airqa/qa"
	"airqa/runlog"
)

// Clock is the time of everything.
var Clock = time.Date(2031, 5, 1, 12, 0, 0, 0, time.UTC)

// The parts of hostile texts.
const (
	// Markup would run as a script, Alert is what it would set.
	Markup = `<script>window.hacked=1</script><img src=x onerror="window.hacked=1"><b onmouseover=window.hacked=1>`
	// Tricks reorders text, moves a cursor and is not UTF-8.
	Tricks = "bidi \u202egnp.exe\u202c, escape \x1b[31m, null \x00, broken \xff\xfe"
)

// Ids of the questions.
const (
	RightID  = "11111111-1111-4111-8111-111111111111"
	WrongID  = "22222222-2222-4222-8222-222222222222"
	OpenID   = "33333333-3333-4333-8333-333333333333"
	FailedID = "44444444-4444-4444-8444-444444444444"
	LiveID   = "55555555-5555-4555-8555-555555555555"
	// PaperID is the paper of all questions.
	PaperID = "99999999-9999-4999-8999-999999999999"
)

// Questions are the questions of the runs.
func Questions() []qa.Example {
	ask := func(id, question, gold string, tags ...string) qa.Example {
		kwargs, err := json.Marshal(map[string]string{"gold": gold})
		if err != nil {
			panic(err) // a map of strings
		}
		return qa.Example{
			UUID: id, Question: question, AnswerFormat: "A string", Tags: tags, AnchorPDF: []string{PaperID},
			Evaluator: qa.Evaluator{Func: "eval_string_exact_match", Kwargs: kwargs},
		}
	}
	return []qa.Example{
		ask(RightID, "What is the window of the sampler?", "384 tokens", "single", "text", "objective"),
		ask(WrongID, "Which loss is used? "+Markup, "the focal loss of the second stage", "single", "text", "objective"),
		ask(OpenID, "How is it trained?", "in two stages", "single", "text", "subjective"),
		ask(FailedID, "What does Figure 2 show?", "a curve", "single", "image", "objective"),
		ask(LiveID, "How many layers?", "12", "multiple", "table", "objective"),
	}
}

// Folder writes the runs "alpha" and "beta" in a new folder and returns it.
func Folder(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	writeRun(t, filepath.Join(dir, "alpha"), "agentic-hybrid", 1)
	writeRun(t, filepath.Join(dir, "beta"), "rag", 2)
	return dir
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// writeRun writes a run in which each question was asked the given number of times.
func writeRun(t testing.TB, dir, baseline string, repeats int) {
	t.Helper()
	var questions bytes.Buffer
	for _, ex := range Questions() {
		raw, err := json.Marshal(ex)
		check(t, err)
		questions.Write(append(raw, '\n'))
	}
	shape := runlog.Shape{Baseline: baseline, Model: map[string]any{"provider": "openai", "model": "m"}}
	check(t, runlog.Create(dir, runlog.Config{Shape: shape, Note: runlog.Note{Price: &qa.Price{Prompt: 2, Completion: 10}}}, questions.Bytes()))
	w := Writer(t, dir)
	var scores []qa.Score
	for repeat := range repeats {
		record(t, w, RightID, repeat, qa.Answered, "384 tokens", right())
		record(t, w, WrongID, repeat, qa.Answered, "hinge "+Markup, wrong(t))
		record(t, w, OpenID, repeat, qa.Answered, "slowly", nil)
		record(t, w, FailedID, repeat, qa.EndpointError, "", nil)
		record(t, w, LiveID, repeat, "", "", right()[:1])
		score := func(id string, v qa.Verdict, value float64) qa.Score {
			return qa.Score{UUID: id, Repeat: repeat, Verdict: v, Value: value, Func: "eval_string_exact_match"}
		}
		scores = append(scores, score(RightID, qa.Right, 1), score(WrongID, qa.Wrong, 0), score(OpenID, qa.Unscored, 0))
	}
	check(t, w.Close())
	check(t, runlog.WriteScores(dir, runlog.Scoring{Mode: "reference", Judge: "offline", Created: Clock}, scores, nil))
}

// Writer opens a run for writing.
func Writer(t testing.TB, dir string) *runlog.Writer {
	t.Helper()
	w, err := runlog.OpenWriter(dir, runlog.WriterConfig{Now: func() time.Time { return Clock }})
	check(t, err)
	return w
}

func record(t testing.TB, w *runlog.Writer, id string, repeat int, outcome qa.Outcome, answer string, steps []qa.Step) {
	t.Helper()
	e, err := w.Begin(id, repeat, nil)
	check(t, err)
	check(t, e.Message(qa.Message{Role: qa.System, Text: "You answer questions about papers. " + strings.Repeat("Be exact. ", 30)}))
	check(t, e.Message(qa.Message{Role: qa.User, Text: "[Question]: as above"}))
	for i := range steps {
		Append(t, e, steps[i])
	}
	if outcome == "" {
		return
	}
	end := qa.Trajectory{Outcome: outcome, Answer: qa.Answer{Given: answer != "", Text: answer}, Steps: steps}
	if outcome.Failed() {
		end.Reason = "the endpoint is down"
		end.FailedAttempts = []qa.Attempt{{Started: Clock, Seconds: 1.5, Status: 503, Error: qa.FailServer}}
	}
	check(t, e.End(end))
}

// Append writes a step to an episode.
func Append(t testing.TB, e *runlog.Episode, s qa.Step) {
	t.Helper()
	check(t, e.Call(s))
	if s.Observation != nil {
		check(t, e.Observation(s))
	}
}

// Step is a step of the model with a result.
func Step(n int, reply string, action *qa.Action, o *qa.Observation) qa.Step {
	at := Clock.Add(time.Duration(n) * 10 * time.Second)
	return qa.Step{
		N: n, By: qa.ByModel, Shown: []qa.Span{{First: 0, End: 2 * n}}, Kept: len(reply), Action: action, Observation: o,
		Reply: &qa.Reply{
			Text: reply, Model: "m-2031", Finish: "stop", Usage: qa.Usage{Prompt: 1000 + 100*n, Completion: 50},
			Attempts: []qa.Attempt{{Started: at, Seconds: 0.5, Status: 429, Error: qa.FailRateLimit}, {Started: at.Add(3 * time.Second), Seconds: 1.5, Wait: 2, Status: 200}},
		},
		Started: at, Acted: at.Add(5 * time.Second), Ended: at.Add(6 * time.Second),
	}
}

// right is two steps to a right answer.
func right() []qa.Step {
	search := `Retrieve(query='window of the sampler', limit=1)`
	return []qa.Step{
		Step(1, "[Thought]: look it up\n[Action]: "+search, &qa.Action{Name: "Retrieve", Text: search, Start: 32, End: 32 + len(search)}, &qa.Observation{
			Status: qa.StatusOK, Text: `{"score": 0.81, "text": "The sampler has a window of 384 tokens.", "pdf_id": "` + PaperID + `", "page_number": 3}` + "\n(1 row)",
			Hits: []qa.Hit{{Rank: 1, ID: "chunk-7", PaperID: PaperID, Page: 3, Score: 0.81}, {Rank: 2, ID: "chunk-9", PaperID: PaperID, Page: 4, Score: 0.6, Beyond: true}},
		}),
		Step(2, "[Action]: Answer(answer='384 tokens')", &qa.Action{Name: "Answer", Text: "Answer(answer='384 tokens')"}, &qa.Observation{Status: qa.StatusFinal}),
	}
}

// wrong is an episode with hostile texts, an error of each kind, an image and a result that was cut.
func wrong(t testing.TB) []qa.Step {
	t.Helper()
	sql := "SELECT '" + Markup + "' FROM metadata"
	query := "Query(sql=\"" + sql + "\")"
	long := strings.Repeat("{\"n\": 1, \"text\": \"a row of the result\"}\n", 3000)
	bad := Step(1, "I look. "+Markup+Tricks+" [Action]: Query(sql='", nil, nil)
	bad.ParseError = &qa.ParseError{Kind: qa.ErrSyntax, Reason: "line 1: a ')' is missing " + Markup, Offset: len(bad.Reply.Text) - 5, Line: 1, Column: 40}
	bad.Observation = &qa.Observation{Status: qa.StatusParse, Text: "[Error]: a ')' is missing"}
	bad.Reply.Reasoning = "I reason. " + Markup
	steps := []qa.Step{bad}
	for n := 2; n <= 4; n++ {
		o := &qa.Observation{Status: qa.StatusError, Text: "[Error]: no such column " + Markup}
		if n == 4 {
			o = &qa.Observation{
				Status: qa.StatusOK, Text: long[:800], Full: long, Cut: &qa.Cut{Reason: "tokens", RowsShown: 20, RowsTotal: 3000, Tokens: 5000, TokenLimit: 5000},
				Touched: &qa.Touched{Papers: []string{PaperID}, Tables: []string{"metadata"}, Rows: []string{"row-1"}},
			}
		}
		steps = append(steps, Step(n, "[Action]: "+query, &qa.Action{Name: "Query", Text: query}, o))
	}
	im := picture(t)
	view := "View(paper_id='" + PaperID + "', page_number=2)"
	steps = append(steps, Step(5, "[Action]: "+view, &qa.Action{Name: "View", Text: view}, &qa.Observation{
		Status: qa.StatusOK, Text: "Page 2 of the paper " + Tricks, Images: []qa.Image{im},
		Touched: &qa.Touched{Papers: []string{PaperID}, Pages: []qa.PaperPage{{PaperID: PaperID, Page: 2}}},
	}))
	answer := "Answer(answer='hinge')"
	return append(steps, Step(6, "[Action]: "+answer, &qa.Action{Name: "Answer", Text: answer}, &qa.Observation{Status: qa.StatusFinal}))
}

func picture(t testing.TB) qa.Image {
	t.Helper()
	var b bytes.Buffer
	check(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 120, 80))))
	sum := sha256.Sum256(b.Bytes())
	return qa.Image{SHA256: hex.EncodeToString(sum[:]), MIME: "image/png", PaperID: PaperID, Page: 2, Width: 120, Height: 80, Data: b.Bytes()}
}

// Long adds an episode whose only result is one line of n bytes to a run.
func Long(t testing.TB, dir string, n int) {
	t.Helper()
	w := Writer(t, dir)
	e, err := w.Begin(LiveID, 7, nil)
	check(t, err)
	Append(t, e, Step(1, "[Action]: Query(sql='x')", &qa.Action{Name: "Query", Text: "Query(sql='x')"}, &qa.Observation{
		Status: qa.StatusOK, Text: strings.Repeat("x", n-9) + "needle123",
	}))
	check(t, e.End(qa.Trajectory{Outcome: qa.TurnLimit}))
	check(t, w.Close())
}

// Resume opens an unfinished episode for more steps. Close the writer at the end.
func Resume(t testing.TB, dir, id string, repeat int) (*runlog.Writer, *runlog.Episode) {
	t.Helper()
	r, err := runlog.Open(dir)
	check(t, err)
	prior, err := r.Episode(id, repeat)
	check(t, err)
	w := Writer(t, dir)
	e, err := w.Begin(id, repeat, &prior)
	check(t, err)
	return w, e
}

// Spoil changes a file in a run.
func Spoil(t testing.TB, path, text string) {
	t.Helper()
	check(t, os.WriteFile(path, []byte(text), 0o600))
}

// Damage overwrites a line in the middle of a run's log.
func Damage(t testing.TB, dir string) {
	t.Helper()
	path := filepath.Join(dir, runlog.LogFile)
	raw, err := os.ReadFile(path) //nolint:gosec // of the test
	check(t, err)
	lines := bytes.SplitAfter(raw, []byte("\n"))
	lines[4] = []byte("{\"type\":\"call\",\"episode\":\"" + RightID + "#0\",\"seq\":5,broken\n")
	check(t, os.WriteFile(path, bytes.Join(lines, nil), 0o600))
}
