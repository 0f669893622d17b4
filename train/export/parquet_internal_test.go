package export

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"airqa/qa"
	"airqa/train"
	"airqa/train/format"
)

// episode is an episode with a turn of each kind.
func episode() tableEpisode {
	at := func(s int) time.Time { return time.Date(2024, 5, 6, 7, 8, s, 0, time.UTC) }
	return tableEpisode{Episode: format.Episode{
		Trajectory: qa.Trajectory{
			UUID: "q1", Repeat: 2, Outcome: qa.Answered, Answer: qa.Answer{Given: true, Text: "42"}, Started: at(0), Ended: at(9),
			Steps: []qa.Step{
				{N: 1, By: qa.ByProgram, Action: &qa.Action{Name: "Retrieve", Args: map[string]any{"query": "<x>", "limit": int64(3)}}, Observation: &qa.Observation{Status: qa.StatusOK, Text: "found"}, Started: at(0), Acted: at(0), Ended: at(1)},
				{
					N: 2, By: qa.ByModel, Reply: &qa.Reply{Text: "Thought: secret\nAct", Reasoning: "hm", Usage: qa.Usage{Prompt: 1000, Completion: 10, Cached: 5, Reasoning: 3}}, ThoughtAt: qa.Span{First: 9, End: 15},
					ParseError: &qa.ParseError{Kind: qa.ErrNoAction}, Observation: &qa.Observation{Status: qa.StatusParse, Text: "no action", Cut: &qa.Cut{}, Images: []qa.Image{{}}}, Started: at(1), Acted: at(3), Ended: at(4),
				},
				{N: 3, By: qa.ByModel, Reply: &qa.Reply{Text: "Answer", Usage: qa.Usage{Prompt: 500, Completion: 5}, Cached: true}, Action: &qa.Action{Name: "Answer"}},
			},
		},
		Run: "run", Baseline: "hybrid", Model: "openai:m",
		Score: &qa.Score{Verdict: qa.Right, Value: 1}, Price: &qa.Price{Prompt: 2, Completion: 10}, Rows: map[int]string{3: "id2"},
		Edit: func(m qa.Message) qa.Message { m.Text = strings.ReplaceAll(m.Text, "secret", "[redacted]"); return m },
	}, Split: "train", Example: qa.Example{Question: "Which?", Tags: []string{"table", "single"}, AnchorPDF: []string{"p1"}, Evaluator: qa.Evaluator{Func: "eval_int_exact_match"}}}
}

func TestTables(t *testing.T) {
	e := episode()
	steps, size, err := e.Steps()
	if err != nil {
		t.Fatal(err)
	}
	usd, none, one := 0.00209, 0.0, 1.0
	want := []stepRow{
		{TurnID: train.RowID("run", "q1", 2, 1), Run: "run", Question: "q1", Repeat: 2, Turn: 1, By: "program", Baseline: "hybrid", Model: "openai:m", Action: "Retrieve", Arguments: `{"limit":3,"query":"<x>"}`, Status: "ok", Observation: "found", ToolSeconds: 1, Started: new(int64(1714979280000))},
		{
			TurnID: train.RowID("run", "q1", 2, 2), Run: "run", Question: "q1", Repeat: 2, Turn: 2, By: "model", Baseline: "hybrid", Model: "openai:m", Thought: "[redacted]", Reply: "Thought: [redacted]\nAct", Reasoning: "hm", ParseError: "no_action",
			Status: "parse_error", Observation: "no action", Shortened: true, Images: 1, Prompt: 1000, Completion: 10, Cached: 5, Hidden: 3, USD: &usd, ModelSeconds: 2, ToolSeconds: 1, Started: new(int64(1714979281000)),
		},
		{ID: "id2", TurnID: train.RowID("run", "q1", 2, 3), Run: "run", Question: "q1", Repeat: 2, Turn: 3, By: "model", Baseline: "hybrid", Model: "openai:m", Reply: "Answer", Action: "Answer", Arguments: "null", Prompt: 500, Completion: 5, FromCache: true, USD: &none},
	}
	if diff := cmp.Diff(want, readBack(t, steps, size)); diff != "" {
		t.Errorf("steps (-want +got)\n%s", diff)
	}
	answer := answerRow{
		Run: "run", UUID: "q1", Repeat: 2, Baseline: "hybrid", Model: "openai:m", Split: "train", Rows: 1, Question: "Which?", Answer: "42", Function: "eval_int_exact_match",
		Verdict: "right", Score: &one, Outcome: "answered", Turns: 2, Prompt: 1000, Completion: 10, USD: &usd, Seconds: 9, Started: new(int64(1714979280000)),
		Tags: []string{"table", "single"}, Conference: []string{}, Papers: []string{"p1"},
	}
	e.Score = nil
	unscored := e.Answer()
	if unscored.Score != nil || unscored.Verdict != "" {
		t.Errorf("an answer without a score has %v", unscored)
	}
	e.Score = &qa.Score{Verdict: qa.Right, Value: 1}
	if diff := cmp.Diff([]answerRow{answer}, readBack(t, []answerRow{e.Answer()}, 0)); diff != "" {
		t.Errorf("answers (-want +got)\n%s", diff)
	}
}

// readBack writes rows twice, compares the bytes and reads them.
func readBack[T stepRow | answerRow](t *testing.T, rows []T, size int) []T {
	t.Helper()
	var files [2]bytes.Buffer
	for i := range files {
		w := newTableWriter[T](&files[i], "Test")
		for _, row := range rows {
			if err := w.Write(row, size); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
		t.Error("the same rows have different bytes")
	}
	if dir := os.Getenv("AIRQA_PARQUET_DIR"); dir != "" {
		if err := os.WriteFile(fmt.Sprintf("%s/%T.parquet", dir, rows), files[0].Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := parquet.Read[T](bytes.NewReader(files[0].Bytes()), int64(files[0].Len()))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// BenchmarkWriter reports the speed, and the largest heap while 20,000 rows of 20 KB are written.
func BenchmarkWriter(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	words := make([]string, 5000)
	for i := range words {
		words[i] = fmt.Sprintf("w%x", random.Uint32())
	}
	text := make([]string, 3000)
	var rows []stepRow
	for range 200 {
		for i := range text {
			text[i] = words[random.IntN(len(words))]
		}
		rows = append(rows, stepRow{ID: "id", Observation: strings.Join(text, " ")})
	}
	most := uint64(0)
	for b.Loop() {
		var to byteCounter
		w := newTableWriter[stepRow](&to, "Test")
		size := 0
		for i := range 5000 {
			r := rows[i%len(rows)]
			size += len(r.Observation)
			if err := w.Write(r, len(r.Observation)); err != nil {
				b.Fatal(err)
			}
			if i%500 == 0 {
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapInuse)
			}
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(size))
	}
	b.ReportMetric(float64(most)/1e6, "MB-heap")
}

type byteCounter int

func (c *byteCounter) Write(p []byte) (int, error) {
	*c += byteCounter(len(p))
	return len(p), nil
}
