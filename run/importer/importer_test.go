package importer_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"airqa/internal/terminal"
	"airqa/internal/testkit/golden"
	"airqa/internal/testkit/recordtest"
	"airqa/qa"
	"airqa/run/importer"
	"airqa/runlog"
	"airqa/train"
	"airqa/train/export"
)

// files returns the files of a folder by name.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, dir)] = string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// write exports all episodes of runs as trajectories.
func write(t *testing.T, turns train.Turns, runs ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "atif")
	_, err := export.Write(export.Config{
		Runs: runs, Format: export.ATIF, Out: out, Program: "airqa test",
		Rules: export.Rules{
			RowOptions: train.RowOptions{Turns: turns}, Repeated: export.KeepAll,
			Filter: train.Filter{Include: []string{"wrong", "unscored", "scoring_failed", "generation_failed"}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func load(t *testing.T, paths ...string) (importer.Result, []terminal.Notice) {
	t.Helper()
	var notices []terminal.Notice
	r, err := importer.Import(t.Context(), importer.Config{
		Paths: paths, Out: filepath.Join(t.TempDir(), "out"), Program: "airqa test",
		Notify: func(n terminal.Notice) { notices = append(notices, n) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return r, notices
}

// The trajectories of an export, imported and exported again, are the same files byte for byte.
func TestThereAndBack(t *testing.T) {
	for seed, protocol := range []qa.Protocol{qa.ReActText, qa.NativeTools, qa.Mixed, "react-json", "react-xml", "react-yaml"} {
		for i := range 2 {
			turns := []train.Turns{train.Canonical, train.Raw}[(seed+i)%2]
			t.Run(fmt.Sprintf("%s %s", protocol, turns), func(t *testing.T) {
				c := recordtest.Config{
					Dir: recordtest.Dir(t, "run"), Baseline: "agentic-hybrid-view", Settings: qa.DefaultSettings(), Repeats: 3, Seed: uint64(10*seed + i),
					Thinking: true, Scored: true, Interrupt: i%2 == 0, Note: runlog.Note{Price: &qa.Price{Prompt: 1, Completion: 2, Cached: 0.3}},
				}
				c.Settings.Protocol = protocol
				made := recordtest.Make(t, c)
				first := write(t, turns, made.Run.Dir)
				r, _ := load(t, first)
				second := write(t, turns, r.Runs...)
				want, got := files(t, filepath.Join(first, "trajectories")), files(t, filepath.Join(second, "trajectories"))
				if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
					t.Errorf("%d trajectories (-first +second):\n%s", len(want), diff)
				}
			})
		}
	}
}

// Files of other agents become runs that the rest of the program reads. What is lost is listed, and nothing outside of
// the folder is read.
func TestForeignTrajectories(t *testing.T) {
	r, notices := load(t, "testdata/atif")
	golden.Check(t, "atif.txt", describe(t, r, notices))
}

func TestInspect(t *testing.T) {
	for _, name := range []string{"shelf", "broken", "endless"} {
		t.Run(name, func(t *testing.T) {
			zipped, notices := load(t, "testdata/inspect/"+name+".eval")
			plain, _ := load(t, "testdata/inspect/"+name+".json")
			golden.Check(t, "inspect-"+name+".txt", describe(t, zipped, notices))
			if a, b := zipped.Episodes, plain.Episodes; a != b {
				t.Errorf("%d episodes of the .eval and %d of the .json", a, b)
			}
			if diff := cmp.Diff(zipped.Losses, plain.Losses); diff != "" {
				t.Errorf("losses (-eval +json):\n%s", diff)
			}
		})
	}
}

// logFile writes a log, and returns its path.
func logFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// firstSample returns the episode of sample 1 of an imported log.
func firstSample(t *testing.T, r importer.Result) runlog.Recorded {
	t.Helper()
	run, err := runlog.Open(r.Runs[0])
	if err != nil {
		t.Fatal(err)
	}
	rec, err := run.Episode("1", 0)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// describe returns the imported runs as text.
func describe(t *testing.T, r importer.Result, notices []terminal.Notice) string {
	t.Helper()
	var b bytes.Buffer
	for _, n := range notices {
		fmt.Fprintln(&b, n)
	}
	for _, dir := range r.Runs {
		run, err := runlog.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		shape := run.Config.Shape
		fmt.Fprintf(&b, "== %s of %s by %s, program %s, protocol %v\n", shape.Baseline, run.Config.Note.Imported.Format, shape.ModelName(), run.Config.Program, shape.Settings["protocol"])
		for rec, err := range run.Episodes() {
			if err != nil {
				t.Errorf("%s: %v", rec.Episode, err)
			}
			describeEpisode(&b, rec)
		}
		scorings, err := runlog.Scorings(dir)
		if err != nil {
			t.Error(err)
		}
		for _, s := range scorings {
			_, scores, err := runlog.FindScores(dir, runlog.Choice{Scoring: s.Mode, Judge: s.Judge})
			fmt.Fprintf(&b, "scores %s %s: %v %v\n", s.Mode, s.Judge, scores, err)
		}
		for _, line := range importer.Losses(run.Config.Note.Imported.Losses).List() {
			fmt.Fprintln(&b, "lost", line)
		}
	}
	return b.String()
}

func describeEpisode(b *bytes.Buffer, rec runlog.Recorded) {
	fmt.Fprintf(b, "-- %s %s %q %s\n", rec.Episode, rec.Outcome, rec.Answer.Text, rec.Reason)
	for _, m := range rec.Messages {
		fmt.Fprintf(b, "   %s %q %d images\n", m.Role, m.Text, len(m.Images))
		for _, other := range m.Others {
			fmt.Fprintf(b, "   and of %s %s %q\n", other.ID, other.Status, other.Text)
		}
	}
	for _, s := range rec.Steps {
		fmt.Fprintf(b, "   step %d by %s", s.N, s.By)
		if s.Reply != nil {
			fmt.Fprintf(b, " reasoning %q usage %d+%d (%d cached)", s.Reply.Reasoning, s.Reply.Usage.Prompt, s.Reply.Usage.Completion, s.Reply.Usage.Cached)
		}
		if s.Action != nil {
			fmt.Fprintf(b, " %s", s.Action.Text)
		}
		if s.Observation != nil {
			fmt.Fprintf(b, " -> %s %q", s.Observation.Status, s.Observation.Text)
		}
		fmt.Fprintln(b)
	}
}

// An imported run is not continued or forked.
func TestNotContinued(t *testing.T) {
	r, _ := load(t, "testdata/atif/shell.json")
	run, err := runlog.Open(r.Runs[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := runlog.Check(r.Runs[0], run.Config.Shape); err == nil || !strings.Contains(err.Error(), "imported") {
		t.Errorf("continued: %v", err)
	}
}

// The same file gives the same bytes, and an existing directory stays.
func TestSameBytes(t *testing.T) {
	one, _ := load(t, "testdata/inspect/shelf.eval")
	two, _ := load(t, "testdata/inspect/shelf.eval")
	if diff := cmp.Diff(files(t, one.Runs[0]), files(t, two.Runs[0])); diff != "" {
		t.Errorf("(-first +second):\n%s", diff)
	}
	_, err := importer.Import(t.Context(), importer.Config{Paths: []string{"testdata/atif/shell.json"}, Out: one.Runs[0]})
	if !errors.As(err, new(*qa.UsageError)) {
		t.Errorf("into an existing run: %v", err)
	}
}

// Files that are no logs are an error and leave nothing behind.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	put := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	bomb := zipped(t, map[string]int{"header.json": 0, "samples/a.json": 3 << 20})
	tests := map[string]struct{ path, want string }{
		"missing":     {filepath.Join(dir, "none.json"), "no such file"},
		"text":        {put("text.json", []byte("hello")), "invalid character"},
		"no steps":    {put("other.json", []byte(`{"a":1}`)), "it has no steps"},
		"no header":   {put("empty.eval", zipped(t, map[string]int{"x.json": 0})), "header.json is missing"},
		"no samples":  {put("nothing.eval", zipped(t, map[string]int{"header.json": 0})), "no samples"},
		"bomb":        {put("bomb.eval", bomb), "more than 1 MiB when unpacked"},
		"cut off":     {put("cut.eval", bomb[:len(bomb)/2]), "invalid character"},
		"empty":       {t.TempDir(), "no *.json file"},
		"empty array": {put("array.json", []byte(`[]`)), "no trajectories"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			_, err := importer.Import(t.Context(), importer.Config{Paths: []string{tt.path}, Out: out, MaxFile: 1 << 20})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %s", err, tt.want)
			}
			if left, err := os.ReadDir(filepath.Dir(out)); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// A sample that is too large is counted, not kept.
func TestBombIsNotKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bomb.eval")
	if err := os.WriteFile(path, zipped(t, map[string]int{"header.json": 0, "samples/a_epoch_1.json": 300 << 20}), 0o600); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := importer.Import(t.Context(), importer.Config{Paths: []string{path}, Out: filepath.Join(t.TempDir(), "out")})
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), "more than 256 MiB when unpacked") {
		t.Errorf("error %v", err)
	}
	if got := (after.TotalAlloc - before.TotalAlloc) >> 20; got > 64 {
		t.Errorf("%d MiB were allocated", got)
	}
}

// zipped returns a zip file whose members are compressed with Zstandard: empty objects, or a given number of zero bytes.
func zipped(t *testing.T, members map[string]int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, size := range members {
		content := bytes.NewBufferString("{}")
		var packed bytes.Buffer
		enc, err := zstd.NewWriter(&packed)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := content.WriteTo(enc); err != nil {
			t.Fatal(err)
		}
		zero := make([]byte, 1<<20)
		for range size >> 20 {
			if _, err := enc.Write(zero); err != nil {
				t.Fatal(err)
			}
		}
		if err := enc.Close(); err != nil {
			t.Fatal(err)
		}
		to, err := w.CreateRaw(&zip.FileHeader{Name: name, Method: 93, CompressedSize64: uint64(packed.Len()), UncompressedSize64: uint64(size) + 2})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := to.Write(packed.Bytes()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A link that leads out of the folder is not followed.
func TestConfined(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "in"), os.DirFS("testdata/atif")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "in", "pictures"), filepath.Join(dir, "pictures")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../pictures", filepath.Join(dir, "in", "pictures")); err != nil {
		t.Fatal(err)
	}
	r, _ := load(t, filepath.Join(dir, "in", "lead.json"))
	if !slices.Contains(r.Losses.List(), "image that is missing or outside of the folder: 2") {
		t.Errorf("losses %v", r.Losses.List())
	}
}

// An early log has neither ids of messages nor zones of times.
func TestEarlyInspect(t *testing.T) {
	log := `{"eval":{"created":"2024-05-06T07:08:09","task":"t","model":"m"},"samples":[{"id":1,"epoch":1,"input":"q","target":["a"],
"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}],"output":{"completion":"a","choices":[]},"score":{"value":"C"},
"events":[{"event":"model","timestamp":"2024-05-06T07:08:10","output":{"choices":[{"message":{"role":"assistant","content":"a"},"stop_reason":"stop"}],"usage":{"input_tokens":5,"output_tokens":2}}}]}]}`
	r, _ := load(t, logFile(t, log))
	rec := firstSample(t, r)
	if got, want := rec.Usage(), (qa.Usage{Prompt: 5, Completion: 2}); got != want || rec.Steps[0].Started.Second() != 10 {
		t.Errorf("usage %+v at %v", got, rec.Steps[0].Started)
	}
	if diff := cmp.Diff([]string{"score: 1"}, r.Losses.List()); diff != "" {
		t.Errorf("losses (-want +got):\n%s", diff)
	}
}

// Numbers that JSON does not have, as Python writes them, are named, and no reason to refuse the log: the sample that its
// judge did not score is unscored, and the others keep their scores.
func TestNumbersOfPython(t *testing.T) {
	inspect := `{"eval":{"task":"t","model":"m"},"results":{"metric":-Infinity},"samples":[
{"id":1,"epoch":1,"input":"NaN?","metadata":{"loss":Infinity},"messages":[{"role":"user","content":"NaN?"},{"role":"assistant","content":"a \"NaN\""}],"output":{"completion":"a"},"scores":{"s":{"value":"C"}}},
{"id":2,"epoch":1,"input":"q","messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}],"output":{"completion":"a"},"scores":{"s":{"value":NaN}}}]}`
	atif := `{"schema_version":"ATIF-v1.7","agent":{"name":"a","version":"1"},"steps":[{"step_id":1,"source":"user","message":"NaN?"},
{"step_id":2,"source":"agent","message":"-Infinity","metrics":{"logprobs":[-0.1,-Infinity]}}]}`
	for _, tt := range []struct {
		log, question string
		episodes      int
		numbers       map[string]int
	}{
		{inspect, "NaN?", 2, map[string]int{"-Infinity": 1, "Infinity": 1, "NaN": 1}},
		{atif, "NaN?", 1, map[string]int{"-Infinity": 1}},
		{atif + "\n" + atif, "NaN?", 2, map[string]int{"-Infinity": 2}},
	} {
		r, _ := load(t, logFile(t, tt.log))
		got := make(map[string]int)
		for _, number := range []string{"NaN", "Infinity", "-Infinity"} {
			if n := r.Losses["number "+number+", now null"]; n > 0 {
				got[number] = n
			}
		}
		questions, err := os.ReadFile(filepath.Join(r.Runs[0], "questions.jsonl"))
		if err != nil || r.Episodes != tt.episodes || !cmp.Equal(got, tt.numbers) || !strings.Contains(string(questions), tt.question) {
			t.Errorf("%d episodes, numbers %v, want %v, %v; %v\n%s", r.Episodes, got, tt.episodes, tt.numbers, err, questions)
		}
	}
}

// react() removes its submit calls from the conversation and adds their answers to the texts; the events have what the model
// wrote, also where it tried twice.
func TestSubmit(t *testing.T) {
	log := `{"eval":{"task":"t","model":"m"},"samples":[{"id":1,"epoch":1,"input":"q","target":"24","output":{"completion":"24"},"scores":{"s":{"value":"C"}},
"messages":[{"role":"user","content":"q"},{"id":"a","role":"assistant","content":"I think.\n\n23"},{"role":"user","content":"Try again."},
{"id":"b","role":"assistant","content":"24","tool_calls":[]}],
"events":[{"event":"model","output":{"choices":[{"message":{"id":"a","role":"assistant","content":"I think.","tool_calls":[{"id":"c1","function":"submit","arguments":{"answer":"23"}}]},"stop_reason":"tool_calls"}]}},
{"event":"tool","id":"c1","function":"submit","result":"23"},
{"event":"model","output":{"choices":[{"message":{"id":"b","role":"assistant","content":"","tool_calls":[{"id":"c2","function":"submit","arguments":{"answer":"24"}}]},"stop_reason":"tool_calls"}]}}]}]}`
	r, _ := load(t, logFile(t, log))
	rec := firstSample(t, r)
	var got []string
	for _, s := range rec.Steps {
		seen := "no result"
		if s.Observation != nil {
			seen = s.Observation.Text
		}
		got = append(got, s.Reply.Text+"|"+s.Action.Text+"|"+seen)
	}
	want := []string{`I think.|submit(answer='23')|23`, `|submit(answer='24')|no result`}
	if diff := cmp.Diff(want, got); diff != "" || rec.Answer.Text != "24" {
		t.Errorf("answer %q, steps (-want +got):\n%s", rec.Answer.Text, diff)
	}
}

// Several calls of a reply stay one turn in every format, with the results of all, and later turns are kept. A turn with a call
// that failed is an error action; a call without a result is not trained.
func TestParallelCalls(t *testing.T) {
	call := func(id, for_ string) string {
		return fmt.Sprintf(`{"tool_call_id":%q,"function_name":"search","arguments":{"for":%q}}`, id, for_)
	}
	log := `{"schema_version":"ATIF-v1.7","session_id":"s","agent":{"name":"a","version":"1","tool_definitions":[{"type":"function","function":{"name":"search","description":"d","parameters":{"type":"object","properties":{"for":{"type":"string"}}}}}]},"steps":[
{"step_id":1,"source":"user","message":"Where?"},
{"step_id":2,"source":"agent","message":"Two at once.","tool_calls":[` + call("c1", "lamps") + "," + call("c2", "books") + `],
 "observation":{"results":[{"source_call_id":"c2","content":"books are left"},{"source_call_id":"c1","content":"lamps are right"}]}},
{"step_id":3,"source":"agent","message":"","tool_calls":[` + call("c3", "cats") + "," + call("c4", "dogs") + `],
 "observation":{"results":[{"source_call_id":"c3","content":"cats are out"}]}},
{"step_id":4,"source":"agent","message":"Left and right."}]}`
	r, _ := load(t, logFile(t, log))
	var all strings.Builder
	for _, format := range []export.Format{export.ShareGPT, export.OpenAI, export.TRL, export.ATIF} {
		out := filepath.Join(t.TempDir(), "out")
		_, err := export.Write(export.Config{
			Runs: r.Runs, Format: format, Out: out, Program: "airqa test",
			Rules: export.Rules{Filter: train.Filter{Include: []string{"unscored", "generation_failed"}}},
		})
		if err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		written := files(t, out)
		for _, name := range slices.Sorted(maps.Keys(written)) {
			if strings.HasPrefix(name, "/data/train") || strings.HasPrefix(name, "/trajectories/") {
				fmt.Fprintln(&all, name, format)
				all.WriteString(written[name])
			}
		}
	}
	golden.Check(t, "parallel.txt", all.String())
}

func FuzzImport(f *testing.F) {
	for _, name := range []string{"atif/shell.json", "atif/browser.json", "atif/lead.json", "inspect/broken.json", "inspect/endless.json"} {
		raw, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		dir := t.TempDir()
		path := filepath.Join(dir, "log.json")
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := importer.Import(t.Context(), importer.Config{Paths: []string{path}, Out: filepath.Join(dir, "out")})
		for _, run := range r.Runs {
			if err != nil {
				return
			}
			opened, err := runlog.Open(run)
			if err != nil {
				t.Fatal(err)
			}
			for rec, err := range opened.Episodes() {
				if err != nil {
					t.Errorf("%s: %v", rec.Episode, err)
				}
			}
		}
	})
}
