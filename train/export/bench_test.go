package export_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"airqa/internal/testkit/recordtest"
	"airqa/qa"
	"airqa/runlog"
	"airqa/train/export"
)

// BenchmarkExport exports 100,000 rows and reports the rate of written bytes and the peak of the heap.
func BenchmarkExport(b *testing.B) {
	rows := 100_000
	if testing.Short() {
		rows = 5_000
	}
	dir, perEpisode := bigRun(b, rows)
	for _, f := range []export.Format{export.ShareGPT, export.OpenAI, export.TRL} {
		b.Run(string(f), func(b *testing.B) {
			var size int64
			for b.Loop() {
				out := filepath.Join(b.TempDir(), "out")
				stop, peak := watchHeap()
				s, err := export.Write(export.Config{Runs: []string{dir}, Format: f, Out: out, Rules: export.Rules{Repeated: export.DropExact}})
				if err != nil || s.Rows < rows-perEpisode {
					b.Fatalf("%d rows, %v", s.Rows, err)
				}
				close(stop)
				b.ReportMetric(float64(<-peak)/1e6, "MB-heap")
				info, err := os.Stat(filepath.Join(out, "data", "train.jsonl"))
				if err != nil {
					b.Fatal(err)
				}
				size = info.Size()
			}
			b.SetBytes(size)
		})
	}
}

// watchHeap measures the memory that the program took from the system, until stop is closed.
func watchHeap() (stop chan struct{}, peak chan uint64) {
	stop, peak = make(chan struct{}), make(chan uint64, 1)
	go func() {
		most := uint64(0)
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapInuse+m.StackInuse)
			select {
			case <-stop:
				peak <- most
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	}()
	return stop, peak
}

// bigRun repeats a right episode of a recorded run under other names, and returns its number of rows.
func bigRun(b *testing.B, rows int) (dir string, perEpisode int) {
	b.Helper()
	small := recordtest.Make(b, recordtest.Config{Dir: recordtest.Dir(b, "small"), Baseline: "agentic-hybrid", Questions: 40, Seed: 2, Text: strings.Repeat("a passage of a paper about attention ", 60)})
	name := ""
	for rec, err := range small.Run.Episodes() {
		if err != nil {
			b.Fatal(err)
		}
		if rec.Answer.Text == "42" && rec.Turns() > perEpisode {
			name, perEpisode = rec.Episode, rec.Turns()
		}
	}
	uuid, _ := qa.SplitEpisodeID(name)
	events, err := small.Run.Events(name)
	if err != nil {
		b.Fatal(err)
	}
	perEpisode = len(idsOfEpisode(b, small, uuid))
	dir = small.Run.Dir
	var questions, log bytes.Buffer
	var scores []qa.Score
	number := uuid[len("question-"):]
	for i := range (rows + perEpisode - 1) / perEpisode {
		id := fmt.Sprintf("question-x%d", i)
		for _, ev := range events {
			line := bytes.ReplaceAll(ev.Line, []byte(`"`+uuid), []byte(`"`+id))
			log.Write(bytes.ReplaceAll(line, []byte("What is number "+number+"?"), fmt.Appendf(nil, "What is number %d?", i)))
		}
		fmt.Fprintf(&questions, `{"uuid":%q,"question":"What is number %d?","answer_format":"","tags":[],"anchor_pdf":["paper-%d"],"reference_pdf":[],"conference":[],"evaluator":{"eval_func":"eval_int_exact_match","eval_kwargs":{"gold":42}}}`+"\n", id, i, i/10)
		scores = append(scores, qa.Score{UUID: id, Verdict: qa.Right, Value: 1, Func: "eval_int_exact_match"})
	}
	for name, data := range map[string][]byte{runlog.LogFile: log.Bytes(), runlog.QuestionsFile: questions.Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	if err := runlog.WriteScores(dir, runlog.Scoring{Mode: "reference", Judge: "none"}, scores, nil); err != nil {
		b.Fatal(err)
	}
	return dir, perEpisode
}

// idsOfEpisode counts the rows of an episode by exporting it.
func idsOfEpisode(b *testing.B, made recordtest.Made, uuid string) []string {
	b.Helper()
	if err := runlog.WriteScores(made.Run.Dir, runlog.Scoring{Mode: "reference", Judge: "none"}, []qa.Score{{UUID: uuid, Verdict: qa.Right, Value: 1}}, nil); err != nil {
		b.Fatal(err)
	}
	return idsIn(b, write(b, export.Config{Runs: []string{made.Run.Dir}}))
}
