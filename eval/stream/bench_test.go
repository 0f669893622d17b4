package stream_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"airqa/eval"
	"airqa/eval/stream"
	"airqa/qa"
	"airqa/qa/dataset"
)

// benchLines is the number of predictions that a benchmark scores per operation.
const benchLines = 200_000

func fill(t testing.TB, name string, lines func(w *bufio.Writer)) string {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), name))
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	lines(w)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

// run scores files once and returns the number of scores.
func run(t testing.TB, f stream.Files) int {
	t.Helper()
	var report stream.Report
	n := 0
	for s, err := range f.Score(context.Background(), stream.Config{Scorer: eval.New(eval.Config{})}, &report) {
		if err != nil {
			t.Fatal(err)
		}
		if s.Verdict == qa.Unscored {
			t.Fatal(s.Reason)
		}
		n++
	}
	return n
}

// bench scores files repeatedly; one operation is a whole file.
func bench(b *testing.B, f stream.Files) {
	b.Helper()
	b.ReportAllocs()
	n, before := 0, processorTime(b)
	for b.Loop() {
		n += run(b, f)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "answers/s")
	b.ReportMetric(float64(n)/(processorTime(b)-before).Seconds(), "answers/CPU-s") // hardly lower on a busy machine
}

// processorTime is the CPU time that this process has used.
func processorTime(t testing.TB) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// objective returns the scored answers to the released questions that need no judge, and a file of these questions.
func objective(t testing.TB) (golds string, list []row) {
	t.Helper()
	examples, _, err := dataset.Load(present(t, "airqa", "test_data_553.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var kept []qa.Example
	keep := make(map[string]bool)
	for _, ex := range examples {
		if keep[ex.UUID] = !eval.Subjective(ex.Evaluator); keep[ex.UUID] {
			kept = append(kept, ex)
		}
	}
	for _, r := range rows(t, present(t, "scoring", "real.pred.jsonl")) {
		if keep[r.UUID] {
			r.Score = nil
			list = append(list, r)
		}
	}
	text, err := dataset.Lines(kept)
	if err != nil {
		t.Fatal(err)
	}
	return write(t, "golds.jsonl", string(text)), list
}

// BenchmarkReleased scores answers to the released questions from files: few golds, many repeats.
func BenchmarkReleased(b *testing.B) {
	golds, list := objective(b)
	preds := fill(b, "preds.jsonl", func(w *bufio.Writer) {
		for i := range benchLines {
			r := list[i%len(list)]
			r.Repeat += 100 * (i / len(list))
			line, err := json.Marshal(r)
			if err != nil {
				b.Fatal(err)
			}
			_, _ = w.Write(append(line, '\n'))
		}
	})
	bench(b, stream.Files{Golds: golds, Predictions: preds})
}

const inventedQuestions = 1000

// generated writes n answers to invented questions of several kinds, each with irrelevant padding.
func generated(t testing.TB, n, padding int) stream.Files {
	t.Helper()
	note := strings.Repeat("x", padding)
	kinds := []struct{ function, kwargs, right, wrong string }{
		{"eval_int_exact_match", `{"gold": 8}`, `"8"`, `7`},
		{"eval_string_exact_match", `{"gold": "self-attention", "lowercase": true}`, `"Self-Attention"`, `"convolution"`},
		{"eval_float_exact_match", `{"gold": 85.3, "ndigits": 1}`, `"85.30"`, `"85.3%"`},
		{"eval_element_list_included", `{"gold": ["CCNet", "Wikipedia"]}`, `"['Wikipedia', 'CCNet']"`, `["C4"]`},
		{"eval_structured_object_exact_match", `{"gold": ["BLEU", 27.5, 3], "ignore_order": true}`, `"['BLEU', 27.5, 3]"`, `"[]"`},
	}
	return stream.Files{
		Golds: fill(t, "golds.jsonl", func(w *bufio.Writer) {
			for i := range inventedQuestions {
				k := kinds[i%len(kinds)]
				_, _ = fmt.Fprintf(w, `{"uuid": "00000000-0000-5000-8000-%012d", "question": "What does the model of the paper with this title use in its `+
					`second experiment?", "answer_format": "Your answer should be of the kind.", "tags": ["single", "text", "objective"], `+
					`"anchor_pdf": ["365a02ce-d0c8-5bcc-9b82-fc56886b4a77"], "reference_pdf": [], "conference": ["acl2023"], `+
					`"evaluator": {"eval_func": "%s", "eval_kwargs": %s}}`+"\n", i, k.function, k.kwargs)
			}
		}),
		Predictions: fill(t, "preds.jsonl", func(w *bufio.Writer) {
			for i := range n {
				k := kinds[i%len(kinds)]
				answer := k.right
				if i%3 == 0 {
					answer = k.wrong
				}
				_, _ = fmt.Fprintf(w, `{"uuid": "00000000-0000-5000-8000-%012d", "answer": %s, "repeat": %d, "note": "%s"}`+"\n",
					i%inventedQuestions, answer, i/inventedQuestions, note)
			}
		}),
	}
}

// BenchmarkGenerated scores short invented answers.
func BenchmarkGenerated(b *testing.B) { bench(b, generated(b, benchLines, 0)) }

// memoryLines is the number of predictions in TestMemory; [memoryVariable] overrides it.
const memoryLines = 50_000

const memoryVariable = "AIRQA_TEST_LINES"

// TestMemory streams long lines and checks that only scores are kept.
func TestMemory(t *testing.T) {
	n := memoryLines
	if text := os.Getenv(memoryVariable); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	f := generated(t, n, 4<<10)
	runtime.GC()
	debug.FreeOSMemory()
	var before, m runtime.MemStats
	runtime.ReadMemStats(&before)
	var peak uint64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
			select {
			case <-stop:
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	began := time.Now()
	scored := run(t, f)
	took := time.Since(began)
	close(stop)
	<-stopped
	if scored != n {
		t.Errorf("%d scores, want %d", scored, n)
	}
	const most, each = 64 << 20, 512 // bytes: data in flight, and a score with its share of a growing list
	used := peak - before.HeapAlloc
	t.Logf("%d answers in %v, at most %.1f MB", n, took.Round(time.Millisecond), float64(used)/(1<<20))
	if limit := uint64(most + each*n); used > limit {
		t.Errorf("%d bytes were in use at once, more than %d", used, limit)
	}
}
