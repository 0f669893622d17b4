package stream_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/eval"
	"airqa/eval/stream"
	"airqa/qa"
	"airqa/qa/dataset"
)

// gold is a question whose answer is n.
func gold(uuid string, n int) string {
	return fmt.Sprintf(`{"uuid":%q,"question":"How many?","answer_format":"An integer.","tags":["single"],"anchor_pdf":[],`+
		`"reference_pdf":[],"conference":[],"evaluator":{"eval_func":"eval_int_exact_match","eval_kwargs":{"gold":%d}}}`, uuid, n)
}

func write(t testing.TB, name string, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// scoresOf scores files and prints each score on a line.
func scoresOf(t testing.TB, f stream.Files) (lines []string, report stream.Report, err error) {
	t.Helper()
	c := stream.Config{Scorer: eval.New(eval.Config{})}
	for s, e := range f.Score(context.Background(), c, &report) {
		if e != nil {
			err = e
			break
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s/%d %s %s", s.UUID, s.Repeat, s.Verdict, s.Reason)))
	}
	return lines, report, err
}

func places(p stream.Problems) string {
	var texts []string
	for _, f := range p.First {
		texts = append(texts, fmt.Sprintf("%d %s", f.Line, f.Text))
	}
	return strings.Join(texts, "; ")
}

func TestPairing(t *testing.T) {
	abc := []string{gold("a", 1), gold("b", 2), gold("c", 3)}
	tests := []struct {
		name         string
		golds, preds []string
		want         []string
		problems     string // missing | twice | unknown | unreadable | golds
	}{
		{
			"same order", abc,
			[]string{`{"uuid":"a","answer":"1"}`, `{"uuid":"b","answer":2}`, `{"uuid":"c","answer":4}`},
			[]string{"a/0 right", "b/0 right", "c/0 wrong"},
			"||||",
		},
		{
			"other order, other keys", abc,
			[]string{`{"answer":"3","uuid":"c","case":[1,{"x":null}]}`, ``, `{"uuid":"b","answer":2,"score":1}`, `{"uuid":"a","answer":null}`},
			[]string{"a/0 unparseable the answer is not a whole number", "b/0 right", "c/0 right"},
			"||||",
		},
		{
			"the first is missing", abc,
			[]string{`{"uuid":"b","answer":2}`, `{"uuid":"c","answer":3}`},
			[]string{"a/0 wrong no prediction", "b/0 right", "c/0 right"},
			"1 no prediction for a||||",
		},
		{
			"only the last is there", abc,
			[]string{`{"uuid":"c","answer":3}`},
			[]string{"a/0 wrong no prediction", "b/0 wrong no prediction", "c/0 right"},
			"1 no prediction for a; 2 no prediction for b||||",
		},
		{
			"twice, unknown, unreadable", abc,
			[]string{
				`{"uuid":"z","answer":2}`, `{"uuid":"a","answer":1}`, `{"uuid":"a","answer":2}`, `{"uuid":"c","answer":3}`, `nonsense`,
				`{"uuid":"b","answer":2}`, `{"uuid":"b","answer":1}`, `{"uuid":"y","answer":1}`, `{"role":"user","content":"x"}`,
				`{"uuid":"a","answer":1,"repeat":-1}`, `{"uuid":7,"answer":1}`,
			},
			[]string{"a/0 right", "b/0 right", "c/0 right"},
			"|3 a second prediction for a; 7 a second prediction for b|1 there is no question z; 8 there is no question y|" +
				"5 not an object with uuid and answer: line 1, column 1: unexpected 'n' where a JSON value should stand; " +
				`9 "uuid" or "answer" is missing (the keys are role, content); 10 "repeat" is not a whole number from 0; 11 "uuid" is not a text|`,
		},
		{
			"floats of Python", abc[:2],
			[]string{`{"uuid":"a","answer":1}`, `{"uuid":"b","answer":NaN}`, `{"uuid":"b","answer":[-Infinity]}`},
			[]string{"a/0 right", "b/0 wrong no prediction"},
			"2 no prediction for b|||2 NaN is not JSON, although Python's json.dumps writes it; write null or a string; " +
				"3 Infinity is not JSON, although Python's json.dumps writes it; write null or a string|",
		},
		{
			"repeats", abc,
			[]string{
				`{"uuid":"b","answer":2,"repeat":1}`, `{"uuid":"a","answer":1,"repeat":1}`, `{"uuid":"b","answer":1,"repeat":0}`,
				`{"uuid":"b","answer":1,"repeat":1}`, `{"uuid":"b","answer":1}`, `{"uuid":"a","answer":0,"repeat":0}`,
			},
			[]string{"a/0 wrong", "a/1 right", "b/0 wrong", "b/1 right", "c/0 wrong no prediction"},
			"3 no prediction for c|4 a second prediction of the same repeat for b; 5 mixed predictions with and without repeat for b|||",
		},
		{
			"faulty golds",
			[]string{abc[0], abc[0], `{"uuid":"x"}`, abc[1]},
			[]string{`{"uuid":"a","answer":1}`, `{"uuid":"b","answer":2}`, `{"uuid":"x","answer":2}`},
			[]string{"a/0 right", "b/0 right"},
			"||3 there is no question x||2 the same uuid is in line 1 already; " +
				"3 missing question, answer_format, tags, anchor_pdf, reference_pdf, conference, evaluator (its answers stay unscored)",
		},
		{
			"escapes",
			[]string{gold("é", 1), gold("b", 2)},
			[]string{`{"\u0075uid":"\u00e9","answer":1}`, `{"uuid":"b","answer":" \u0032 "}`},
			[]string{"é/0 right", "b/0 right"},
			"||||",
		},
		{
			"an answer beyond Python's JSON", abc[:2],
			[]string{`{"uuid":"a","answer":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}`, `{"uuid":"b","answer":2}`},
			[]string{"a/0 wrong no prediction", "b/0 right"},
			"1 no prediction for a|||1 not an object with uuid and answer: line 1, column 1011: more than 990 brackets are open here|",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, r, err := scoresOf(t, stream.Files{Golds: write(t, "g.jsonl", tt.golds...), Predictions: write(t, "p.jsonl", tt.preds...)})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("scores (-want +got):\n%s", diff)
			}
			problems := []string{places(r.Missing), places(r.Twice), places(r.Unknown), places(r.Unreadable), places(r.Golds)}
			if diff := cmp.Diff(tt.problems, strings.Join(problems, "|")); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

// TestShuffled checks that each question gets its own answer, in question order, whatever the order of the files.
func TestShuffled(t *testing.T) {
	const n, missing = 5000, 1500
	r := rand.New(rand.NewPCG(1, 2))
	golds, preds, want := make([]string, n), make([]string, n), make([]string, n)
	for i := range n {
		uuid := fmt.Sprintf("u%d", i)
		golds[i], preds[i] = gold(uuid, i), fmt.Sprintf(`{"uuid":%q,"answer":%d}`, uuid, i+i%2)
		want[i] = fmt.Sprintf("%s/0 %s", uuid, []qa.Verdict{qa.Right, qa.Wrong}[i%2])
	}
	preds[missing], want[missing] = "", fmt.Sprintf("u%d/0 wrong no prediction", missing)
	r.Shuffle(n, func(i, j int) { preds[i], preds[j] = preds[j], preds[i] })
	got, _, err := scoresOf(t, stream.Files{Golds: write(t, "g.jsonl", golds...), Predictions: write(t, "p.jsonl", preds...)})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("scores (-want +got):\n%.2000s", diff)
	}
}

func TestFilesErrors(t *testing.T) {
	golds, preds := write(t, "g.jsonl", gold("a", 1)), write(t, "p.jsonl", `{"uuid":"z","answer":1}`)
	tests := []struct {
		name string
		f    stream.Files
		want string
	}{
		{"no golds", stream.Files{Golds: golds + "x", Predictions: preds}, "no such file or directory"},
		{"no predictions", stream.Files{Golds: golds, Predictions: preds + "x"}, "predictions: open"},
		{"other files", stream.Files{Golds: golds, Predictions: preds}, "no prediction belongs to any question"},
		{"nothing predicted", stream.Files{Golds: golds, Predictions: write(t, "e.jsonl")}, "no prediction belongs to any question"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _, err := scoresOf(t, tt.f)
			if err == nil || !strings.Contains(err.Error(), tt.want) || len(got) > 0 {
				t.Errorf("%v, error %v, want %q", got, err, tt.want)
			}
		})
	}
}

// TestFolderCheckAndRead checks a folder of golds, the faults found and the progress reports.
func TestFolderCheckAndRead(t *testing.T) {
	dir := t.TempDir()
	for _, uuid := range []string{"b", "a"} {
		if err := os.WriteFile(filepath.Join(dir, uuid+".json"), []byte(strings.Replace(gold(uuid, 1), `{"gold":1}`, `{"gold":1,"x":2}`, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	preds := write(t, "p.jsonl", `{"uuid":"b","answer":1}`, `{"uuid":"a","answer":1}`)
	info, err := os.Stat(preds)
	if err != nil {
		t.Fatal(err)
	}
	var read int64
	got, r, err := scoresOf(t, stream.Files{
		Golds: dir, Predictions: preds,
		Read: func(n int64) { read = n },
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"a/0 right", "b/0 right"}; !slices.Equal(got, want) {
		t.Errorf("scores %v, want %v", got, want)
	}
	if r.Golds.Count != 2 || !r.Golds.First[0].Loaded || r.Golds.First[0].UUID != "a" || r.Golds.First[0].Text != "eval_int_exact_match: the unknown argument x is ignored" {
		t.Errorf("faults of the golds: %+v", r.Golds)
	}
	if read != info.Size() {
		t.Errorf("%d bytes were read, want %d", read, info.Size())
	}
}

// TestQuestionsAsDatasetReads checks that the questions are those that the dataset reader finds.
func TestQuestionsAsDatasetReads(t *testing.T) {
	lines := []string{
		gold("a", 1),
		strings.Replace(gold("b", 1), `"tags":["single"]`, `"tags":["single"],"tags":[1]`, 1),
		strings.Replace(gold("c", 1), `"tags":["single"]`, `"tags":["single"],"state":{"m":true},"reasoning_steps":["x"],"annotator":"n","more":[1.50]`, 1),
		strings.Replace(gold("d", 1), `"tags":["single"]`, `"tags":["single"],"state":{"m":1},"reasoning_steps":[1],"annotator":3`, 1),
		strings.Replace(gold("e", 1), `"How many?"`, `""`, 1),
		strings.Replace(gold("f", 1), `"eval_func"`, `"Eval_func"`, 1),
		strings.Replace(gold("g", 1), `{"gold":1}`, `{"gold":1},"more":1`, 1),
		strings.Replace(gold("h", 1), `{"gold":1}`, `[1]`, 1),
		strings.Replace(gold("i", 1), `"conference":[],`, ``, 1),
	}
	path := write(t, "g.jsonl", lines...)
	list, faults, err := dataset.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, ex := range list {
		want = append(want, ex.UUID+"/0 right")
	}
	var preds []string
	for s := range strings.SplitSeq("abcdefghi", "") {
		preds = append(preds, fmt.Sprintf(`{"uuid":%q,"answer":1}`, s))
	}
	got, r, err := scoresOf(t, stream.Files{Golds: path, Predictions: write(t, "p.jsonl", preds...)})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("scored (-want +got):\n%s", diff)
	}
	if r.Golds.Count != len(faults) {
		t.Errorf("%d faults, want %d: %v", r.Golds.Count, len(faults), errors.Join(asErrors(faults)...))
	}
}

func asErrors(faults []*dataset.Fault) []error {
	var list []error
	for _, f := range faults {
		list = append(list, f)
	}
	return list
}
