package export_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"airqa/internal/files"
	"airqa/internal/terminal"
	"airqa/internal/testkit/recordtest"
	"airqa/qa"
	"airqa/runlog"
	"airqa/train"
	"airqa/train/export"
	"airqa/train/preflight"
)

// shared has the runs of several tests, which do not change them.
var shared struct {
	dir  string
	once sync.Once
	made []recordtest.Made
}

func TestMain(m *testing.M) {
	var err error
	if shared.dir, err = os.MkdirTemp("", "airqa-export-"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(shared.dir)
	os.Exit(code)
}

// runs are recorded runs of several kinds: text with images, native calls, both, and a baseline that asks twice.
func runs(t testing.TB) []recordtest.Made {
	t.Helper()
	shared.once.Do(func() { shared.made = record(t, shared.dir) })
	return shared.made
}

func record(t testing.TB, dir string) (made []recordtest.Made) {
	t.Helper()
	for i, c := range []recordtest.Config{
		{Baseline: "agentic-hybrid-view", Thinking: true, Text: "a <image> and <|im_end|>"},
		{Baseline: "agentic-hybrid-view", Settings: protocol(qa.NativeTools)},
		{Baseline: "agentic-hybrid", Settings: protocol(qa.Mixed)},
		{Baseline: "text2sql"},
	} {
		c.Dir, c.Seed, c.Repeats, c.Questions, c.Shared, c.Scored = filepath.Join(dir, fmt.Sprint("run-", i)), uint64(i), 6, 6, 1, true
		made = append(made, recordtest.Make(t, c))
	}
	return made
}

// private is text that neither a log nor an export may keep.
const private = "/home/alice/secret sk-ant-api03-9fQ2xLr7Vb3Kd0Wc the-key-of-alice, ann@lab.org, \\\"quoted\\\""

var redactAlice = runlog.Redactor([]string{"the-key-of-alice"}, "/home/alice")

func protocol(p qa.Protocol) qa.Settings {
	s := qa.DefaultSettings()
	s.Protocol = p
	return s
}

func dirsOf(made []recordtest.Made) (dirs []string) {
	for _, m := range made {
		dirs = append(dirs, m.Run.Dir)
	}
	return dirs
}

// write makes an export and returns its folder.
func write(t testing.TB, c export.Config) string {
	t.Helper()
	if c.Out == "" {
		c.Out = filepath.Join(t.TempDir(), "out")
	}
	if c.Format == "" {
		c.Format = export.ShareGPT
	}
	c.Program = "airqa test"
	if _, err := export.Write(c); err != nil {
		t.Fatal(err)
	}
	return c.Out
}

func read(t testing.TB, name ...string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(name...))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// linesOf decodes a file of JSON Lines.
func linesOf[T any](t testing.TB, name ...string) []T {
	t.Helper()
	var list []T
	in := bufio.NewScanner(bytes.NewReader(read(t, name...)))
	in.Buffer(nil, 1<<30)
	for in.Scan() {
		var v T
		if err := json.Unmarshal(in.Bytes(), &v); err != nil {
			t.Fatalf("%s: %v", filepath.Join(name...), err)
		}
		list = append(list, v)
	}
	return list
}

func idsIn(t testing.TB, dir string) []string {
	t.Helper()
	return strings.Fields(string(read(t, dir, export.IDsFile)))
}

// allTurns are the ids of all turns of some runs, in order.
func allTurns(t testing.TB, made []recordtest.Made) (ids []string) {
	t.Helper()
	for _, m := range made {
		run, err := train.OpenRun(m.Run)
		if err != nil {
			t.Fatal(err)
		}
		for rec, err := range m.Run.Episodes() {
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, run.Turns(rec)...)
		}
	}
	return ids
}

var formats = []export.Format{export.ShareGPT, export.OpenAI, export.TRL}

// One selection has the same rows in every format, and every turn is a row or left out for one reason.
func TestFormatsHaveTheSameRows(t *testing.T) {
	made := runs(t)
	var first []string
	for _, f := range append(formats, export.DPO) {
		out := write(t, export.Config{Runs: dirsOf(made), Format: f})
		ids := idsIn(t, out)
		accounted := slices.Clone(ids)
		for _, d := range linesOf[train.Drop](t, out, export.DroppedFile) {
			accounted = append(accounted, d.ID)
		}
		want := allTurns(t, made)
		slices.Sort(want)
		slices.Sort(accounted)
		if diff := cmp.Diff(want, accounted); diff != "" {
			t.Errorf("%s: turns accounted for (-want +got):\n%s", f, diff)
		}
		if f == export.DPO {
			continue
		}
		if first == nil {
			first = ids
		}
		if diff := cmp.Diff(first, ids); diff != "" || len(ids) < 50 {
			t.Errorf("%s: %d ids (-first +got):\n%s", f, len(ids), diff)
		}
		checkRows(t, out, f, ids)
	}
}

type provenance struct {
	ID, Split, Run, Question, Rejected string
	Line, Repeat, Turn                 int
	Images                             int
}

// checkRows checks what trainers and readers of tables need.
func checkRows(t *testing.T, out string, f export.Format, ids []string) {
	t.Helper()
	rows := linesOf[map[string]any](t, out, "data", "train.jsonl")
	origins := linesOf[provenance](t, out, export.ProvenanceFile)
	if len(rows) != len(ids) || len(origins) != len(ids) {
		t.Fatalf("%s: %d rows and %d origins for %d ids", f, len(rows), len(origins), len(ids))
	}
	columns := make(map[string]string)
	early := 0
	for i, row := range rows {
		if origins[i].Line != i+1 || f != export.OpenAI && row["id"] != origins[i].ID {
			t.Errorf("%s: line %d has the origin %+v", f, i+1, origins[i])
		}
		checkTypes(t, columns, string(f), row)
		if i == 9 {
			early = len(columns)
		}
		if i > 0 && !slices.Equal(slices.Sorted(maps.Keys(row)), slices.Sorted(maps.Keys(rows[0]))) && f != export.OpenAI {
			t.Errorf("%s: line %d has other keys than the first", f, i+1)
		}
	}
	checkDeclared(t, out, rows)
	if early != len(columns) {
		t.Errorf("%s: %d keys in the first rows, %d in all", f, early, len(columns))
	}
	if f == export.ShareGPT {
		checkShareGPT(t, out, rows)
	}
}

// Rows of runs with private text in every place of the replies, in every format.
func TestPrivateRuns(t *testing.T) {
	var made []recordtest.Made
	for i, p := range []qa.Protocol{qa.ReActText, qa.NativeTools, qa.Mixed} {
		made = append(made, recordtest.Make(t, recordtest.Config{
			Dir: filepath.Join(t.TempDir(), fmt.Sprint("run-", i)), Baseline: "agentic-hybrid", Settings: protocol(p), Seed: uint64(i), Repeats: 6, Questions: 6,
			Shared: 1, Scored: true, Thinking: true, Interrupt: true, Private: private, Redact: redactAlice,
		}))
	}
	for _, f := range append(formats, export.DPO) {
		rows := linesOf[map[string]any](t, write(t, export.Config{Runs: dirsOf(made), Format: f, Redact: redactAlice, Rules: export.Rules{RedactEmails: true}}), "data", "train.jsonl")
		for _, row := range rows {
			checkTurns(t, row)
		}
		if len(rows) < 10 {
			t.Errorf("%s: %d rows are too few to test anything", f, len(rows))
		}
	}
}

// checkTurns checks that no turn is empty, that calls are valid JSON, and that nothing private is left.
func checkTurns(t *testing.T, row map[string]any) {
	t.Helper()
	raw, err := json.Marshal(row)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"alice", "sk-ant", "ann@"} {
		if bytes.Contains(raw, []byte(secret)) {
			t.Errorf("%s is in %s", secret, raw)
		}
	}
	for _, key := range []string{"conversations", "messages", "prompt", "completion", "chosen", "rejected"} {
		turns, _ := row[key].([]any)
		for _, turn := range turns {
			m, _ := turn.(map[string]any)
			if m["value"] == "" || m["content"] == "" && m["tool_calls"] == nil {
				t.Errorf("an empty turn in %s", raw)
			}
			calls, _ := m["tool_calls"].([]any)
			for _, call := range calls {
				function, _ := call.(map[string]any)["function"].(map[string]any)
				if args, isText := function["arguments"].(string); isText && !json.Valid([]byte(args)) {
					t.Errorf("arguments are no JSON: %s", args)
				}
			}
		}
	}
}

// checkTypes checks that each key at any depth has one type and no null.
func checkTypes(t *testing.T, columns map[string]string, path string, v any) {
	t.Helper()
	kind := fmt.Sprintf("%T", v)
	switch v := v.(type) {
	case nil:
		t.Errorf("%s is null", path)
	case map[string]any:
		for k, child := range v {
			checkTypes(t, columns, path+"."+k, child)
		}
	case []any:
		for _, child := range v {
			checkTypes(t, columns, path+"[]", child)
		}
	}
	if old := columns[path]; old != "" && old != kind {
		t.Errorf("%s is %s here and %s elsewhere", path, kind, old)
	}
	columns[path] = kind
}

// feature is the type of a column as a card declares it.
type feature struct {
	Name, Dtype string
	Struct      []feature
	List        yaml.Node
}

// checkDeclared checks that the card declares the type of everything in the rows.
func checkDeclared(t *testing.T, out string, rows []map[string]any) {
	t.Helper()
	header := strings.Split(string(read(t, out, export.CardFile)), "---\n")[1]
	var card struct {
		Info []struct{ Features []feature } `yaml:"dataset_info"`
	}
	if err := yaml.Unmarshal([]byte(header), &card); err != nil || len(card.Info) == 0 {
		t.Fatalf("header of the card: %v\n%s", err, header)
	}
	for _, row := range rows {
		declared(t, "row", feature{Struct: card.Info[0].Features}, row)
	}
}

func declared(t *testing.T, path string, f feature, v any) {
	t.Helper()
	switch v := v.(type) {
	case map[string]any:
		for key, child := range v {
			i := slices.IndexFunc(f.Struct, func(g feature) bool { return g.Name == key })
			if i < 0 {
				t.Fatalf("%s.%s is not declared", path, key)
			}
			declared(t, path+"."+key, f.Struct[i], child)
		}
	case []any:
		var item feature
		if f.List.Kind == yaml.SequenceNode {
			if err := f.List.Decode(&item.Struct); err != nil {
				t.Fatal(err)
			}
		}
		item.Dtype = f.List.Value
		for _, child := range v {
			declared(t, path+"[]", item, child)
		}
	default:
		want := map[string]string{"string": "string", "bool": "bool", "int64": "float64", "float64": "float64"}[f.Dtype]
		if got := fmt.Sprintf("%T", v); got != want {
			t.Fatalf("%s is a %s, declared as %q", path, got, f.Dtype)
		}
	}
}

// checkShareGPT checks the order of roles, the markers of images and the files.
func checkShareGPT(t *testing.T, out string, rows []map[string]any) {
	t.Helper()
	if images, _ := rows[0]["images"].([]any); len(images) == 0 {
		t.Error("the first row has no image, so the column would be read as empty")
	}
	for i, row := range rows {
		turns, _ := row["conversations"].([]any)
		markers := 0
		for j, turn := range turns {
			turn, _ := turn.(map[string]any)
			from, _ := turn["from"].(string)
			value, _ := turn["value"].(string)
			answer := from == "gpt" || from == "function_call"
			if answer != (j%2 == 1) || !answer && from != "human" && from != "observation" {
				t.Errorf("row %d: turn %d is from %q", i, j, from)
			}
			n := strings.Count(value, "<image>")
			if markers += n; n > 0 && answer {
				t.Errorf("row %d: an image in a turn of the model", i)
			}
			if strings.Contains(value, "<|im_end|>") {
				t.Errorf("row %d: a control token in a text", i)
			}
		}
		images, _ := row["images"].([]any)
		if markers != len(images) || len(turns)%2 != 0 {
			t.Errorf("row %d: %d markers, %d images, %d turns", i, markers, len(images), len(turns))
		}
		for _, name := range images {
			name, _ := name.(string)
			sum := sha256.Sum256(read(t, out, name))
			if !strings.Contains(name, hex.EncodeToString(sum[:])) {
				t.Errorf("%s has another content", name)
			}
		}
		if text, _ := row["tools"].(string); !json.Valid([]byte(text)) {
			t.Errorf("row %d: tools %q", i, text)
		}
	}
}

// tree reads all files of a folder.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, path)
			files[name] = string(read(t, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// The same runs and rules give the same bytes, wherever the folders are, after a killed export, and on any number of
// processors.
func TestSameBytes(t *testing.T) {
	made := runs(t)
	processors := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(processors)
	for _, f := range append(formats, export.DPO) {
		runtime.GOMAXPROCS(1)
		c := export.Config{Runs: dirsOf(made), Format: f, Rules: export.Rules{SplitOptions: train.SplitOptions{Split: []float64{0.6, 0.4}}, Limit: export.Limit{Length: preflight.Length{CutoffLen: 4000, Template: "qwen2_vl"}}}}
		first := tree(t, write(t, c))
		moved := filepath.Join(t.TempDir(), "elsewhere")
		for i, dir := range c.Runs {
			to := filepath.Join(moved, filepath.Base(dir))
			if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			c.Runs[i] = to
		}
		c.Out = filepath.Join(moved, "out")
		killed := filepath.Join(moved, ".out.partial")
		if err := os.MkdirAll(filepath.Join(killed, "data"), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"data/train.jsonl", "junk", "dropped.jsonl"} {
			if err := os.WriteFile(filepath.Join(killed, name), []byte("half a li"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		runtime.GOMAXPROCS(7)
		if diff := cmp.Diff(first, tree(t, write(t, c))); diff != "" {
			t.Errorf("%s: (-first +second):\n%s", f, diff)
		}
		if entries, err := os.ReadDir(moved); err != nil || len(entries) != len(made)+1 {
			t.Errorf("%s: files remain beside the export: %v (%v)", f, entries, err)
		}
	}
}

// A configuration for the trainer has the limit to which the rows were fitted, whatever the trainer's own default.
func TestTrainerConfig(t *testing.T) {
	made := runs(t)
	for f, want := range map[export.Format]map[string]string{
		export.ShareGPT: {"llamafactory.yaml": "cutoff_len: "},
		export.TRL:      {"trl.yaml": "max_length: "},
		export.DPO:      {"llamafactory.yaml": "cutoff_len: ", "trl.yaml": "max_length: "},
	} {
		limit := export.Limit{Length: preflight.Length{CutoffLen: export.DefaultCutoff(f)}, Fit: true}
		out := write(t, export.Config{Runs: dirsOf(made), Format: f, Rules: export.Rules{Limit: limit, SplitOptions: train.SplitOptions{Split: []float64{0.6, 0.4}}}})
		for name, key := range want {
			if config := string(read(t, out, name)); !strings.Contains(config, key+"4096") || !strings.Contains(config, "validation") {
				t.Errorf("%s: %s lacks the limit or the validation data:\n%s", f, name, config)
			}
		}
		if card := string(read(t, out, export.CardFile)); !strings.Contains(card, "by its own default of ") {
			t.Errorf("%s: the card does not name the trainer's own limit", f)
		}
	}
}

func TestExistingFolder(t *testing.T) {
	made := recordtest.Make(t, recordtest.Config{Dir: recordtest.Dir(t, "run"), Baseline: "agentic-hybrid", Repeats: 4, Scored: true})
	c := export.Config{Runs: []string{made.Run.Dir}, Format: export.TRL, Program: "airqa test", Out: recordtest.Dir(t, "out")}
	write(t, c)
	before := tree(t, c.Out)
	if s, err := export.Write(c); err != nil || !s.Unchanged {
		t.Errorf("the same export again: %+v, %v", s, err)
	}
	other := c
	other.Turns = train.Raw
	if _, err := export.Write(other); !errors.As(err, new(*files.OccupiedError)) || !strings.Contains(err.Error(), "other runs or flags") {
		t.Errorf("another export: %v", err)
	}
	if diff := cmp.Diff(before, tree(t, c.Out)); diff != "" {
		t.Errorf("a refused export changed the folder:\n%s", diff)
	}
	other.Force = true
	write(t, other)
	if diff := cmp.Diff(before, tree(t, c.Out)); diff == "" {
		t.Error("Force did not replace the export")
	}
	if err := os.WriteFile(filepath.Join(c.Out, "ids.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	other.Force = false
	if _, err := export.Write(other); err == nil || !strings.Contains(err.Error(), "ids.txt was changed") {
		t.Errorf("a changed export: %v", err)
	}
	other.Out, other.Force = made.Run.Dir, true
	if _, err := export.Write(other); err == nil || !strings.Contains(err.Error(), "is not an export") {
		t.Errorf("a folder of something else: %v", err)
	}
}

// No question and no paper is in two splits, and all rows are in one.
func TestSplits(t *testing.T) {
	made := runs(t)
	out := write(t, export.Config{Runs: dirsOf(made), Rules: export.Rules{SplitOptions: train.SplitOptions{Split: []float64{0.4, 0.3, 0.3}, SplitSeed: 2}}})
	split := make(map[string]string)
	rows := make(map[string]int)
	for _, o := range linesOf[struct {
		Split, Question string
		Papers          []string
	}](t, out, export.ProvenanceFile) {
		rows[o.Split]++
		for _, key := range append(o.Papers, "question "+o.Question) {
			if other := split[key]; other != "" && other != o.Split {
				t.Errorf("%s is in %s and %s", key, other, o.Split)
			}
			split[key] = o.Split
		}
	}
	if len(rows) != 3 {
		t.Fatalf("rows by split: %v", rows)
	}
	for name, n := range rows {
		if got := len(linesOf[any](t, out, "data", name+".jsonl")); got != n {
			t.Errorf("%s: %d lines, %d origins", name, got, n)
		}
	}
}

// The four classes of episodes are different reasons, and --include adds each.
// A question that names no paper has those of its gold answer and of its evidence; the card counts those without any.
func TestPapersOfQuestions(t *testing.T) {
	made := recordtest.Make(t, recordtest.Config{
		Dir: recordtest.Dir(t, "run"), Baseline: "agentic-hybrid", Questions: 6, Repeats: 6, Shared: 1, Scored: true,
		Note: runlog.Note{GoldPapers: map[string][]string{"question-0": {"paper-1"}}},
	})
	name := filepath.Join(made.Run.Dir, runlog.QuestionsFile)
	lines := strings.SplitAfter(string(read(t, name)), "\n")
	for i, synth := range map[int]string{0: "", 4: `"synth":{"evidence":[{"paper":"paper-1"}]},`, 5: ""} {
		lines[i] = strings.Replace(lines[i], `"anchor_pdf":["paper-`+fmt.Sprint(i/2)+`"]`, synth+`"anchor_pdf":[]`, 1)
	}
	if err := os.WriteFile(name, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	out := write(t, export.Config{Runs: []string{made.Run.Dir}, Rules: export.Rules{
		SplitOptions: train.SplitOptions{Split: []float64{0.5, 0.5}}, Filter: train.Filter{Include: []string{string(train.Wrong)}},
	}})
	papers := make(map[string]string)
	for _, o := range linesOf[struct {
		Question string
		Papers   []string
	}](t, out, export.ProvenanceFile) {
		papers[o.Question] = strings.Join(o.Papers, " ")
	}
	want := map[string]string{
		"question-0": "paper-1", "question-1": "paper-0", "question-2": "paper-1", "question-3": "paper-1", "question-4": "paper-1", "question-5": "",
	}
	if diff := cmp.Diff(want, papers); diff != "" {
		t.Errorf("papers (-want +got):\n%s", diff)
	}
	card := string(read(t, out, export.CardFile))
	for _, text := range []string{"1 question without a known paper", "- 6 questions on 2 papers; 1 without a known paper."} {
		if !strings.Contains(card, text) {
			t.Errorf("the card lacks %q:\n%s", text, card)
		}
	}
	if strings.Contains(card, "No question and no paper is in two splits") {
		t.Error("the card claims more than is known")
	}
	few := write(t, export.Config{Runs: []string{made.Run.Dir}, Rules: export.Rules{Filter: train.Filter{MaxPerPaper: 1}}})
	episodes := make(map[string]bool)
	for _, o := range linesOf[provenance](t, few, export.ProvenanceFile) {
		if strings.Contains(papers[o.Question], "paper-1") {
			episodes[fmt.Sprint(o.Question, o.Repeat)] = true
		}
	}
	if len(episodes) != 1 {
		t.Errorf("--max-per-paper 1 keeps %v of one paper", episodes)
	}
}

func TestClasses(t *testing.T) {
	dir := recordtest.Dir(t, "run")
	made := recordtest.Make(t, recordtest.Config{Dir: dir, Baseline: "agentic-hybrid", Questions: 6, Seed: 3})
	scores := []qa.Score{
		{UUID: "question-0", Verdict: qa.Right, Value: 1},
		{UUID: "question-1", Verdict: qa.Wrong},
		{UUID: "question-2", Verdict: qa.Unparseable},
		{UUID: "question-3", Verdict: qa.Unscored, Reason: "judge: 503"},
	}
	if err := runlog.WriteScores(dir, runlog.Scoring{Mode: "reference", Judge: "none"}, scores, nil); err != nil {
		t.Fatal(err)
	}
	fail(t, made, "question-5")
	c := export.Config{Runs: []string{dir}, Rules: export.Rules{Repeated: export.KeepAll}}
	for class, want := range map[string][]string{
		"":                  {"question-0"},
		"wrong":             {"question-0", "question-1", "question-2"},
		"scoring_failed":    {"question-0", "question-3"},
		"unscored":          {"question-0", "question-4"},
		"generation_failed": {"question-0", "question-5"},
	} {
		c.Filter, c.Out = train.Filter{}, ""
		if class != "" {
			c.Include = []string{class}
		}
		var got []string
		for _, o := range linesOf[provenance](t, write(t, c), export.ProvenanceFile) {
			got = append(got, o.Question)
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, slices.Compact(got)); diff != "" {
			t.Errorf("--include %q: questions (-want +got):\n%s", class, diff)
		}
	}
}

// fail ends an episode with a failure of the endpoint.
func fail(t *testing.T, made recordtest.Made, uuid string) {
	t.Helper()
	rec, err := made.Run.Episode(uuid, 0)
	if err != nil {
		t.Fatal(err)
	}
	w, err := runlog.OpenWriter(made.Run.Dir, runlog.WriterConfig{})
	if err != nil {
		t.Fatal(err)
	}
	log, err := w.Begin(uuid, 0, &rec)
	if err != nil {
		t.Fatal(err)
	}
	rec.Outcome = qa.EndpointError
	if err := log.End(rec.Trajectory); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// A run with --cache repeats the turns of another run: they are rows once, of whichever comes first.
func TestCopiedTurns(t *testing.T) {
	c := recordtest.Config{Dir: recordtest.Dir(t, "run"), Baseline: "agentic-hybrid", Repeats: 3, Scored: true}
	original := recordtest.Make(t, c)
	c.Dir, c.Note = recordtest.Dir(t, "repeated"), runlog.Note{CacheFrom: "run"}
	repeated := recordtest.Make(t, c)
	rules := export.Rules{Repeated: export.KeepAll}
	alone := idsIn(t, write(t, export.Config{Runs: []string{original.Run.Dir}, Rules: rules}))
	copies := idsIn(t, write(t, export.Config{Runs: []string{repeated.Run.Dir}, Rules: rules}))
	if len(alone) == 0 || len(copies) != len(alone) || copies[0] == alone[0] {
		t.Fatalf("%d rows of the run and %d of the repeated run", len(alone), len(copies))
	}
	for _, dirs := range [][]string{{original.Run.Dir, repeated.Run.Dir}, {repeated.Run.Dir, original.Run.Dir}} {
		out := write(t, export.Config{Runs: dirs, Rules: rules})
		copied := 0
		for _, d := range linesOf[train.Drop](t, out, export.DroppedFile) {
			if d.Reason == train.CopiedTurn {
				copied++
			}
		}
		if got := len(idsIn(t, out)); got != len(alone) || copied != len(alone) {
			t.Errorf("%v: %d rows, %d copied turns; want %d", dirs, got, copied, len(alone))
		}
	}
}

// A damaged episode is left out with a warning and a reason; the others are exported.
func TestDamagedLog(t *testing.T) {
	made := recordtest.Make(t, recordtest.Config{Dir: recordtest.Dir(t, "run"), Baseline: "agentic-hybrid", Repeats: 3, Scored: true})
	before := idsIn(t, write(t, export.Config{Runs: []string{made.Run.Dir}}))
	name := filepath.Join(made.Run.Dir, runlog.LogFile)
	lines := bytes.SplitAfter(read(t, name), []byte("\n"))
	for i, line := range lines {
		if bytes.Contains(line, []byte(`"type":"observation"`)) {
			lines = slices.Delete(lines, i, i+1)
			break
		}
	}
	if err := os.WriteFile(name, bytes.Join(lines, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	var warnings []string
	out := write(t, export.Config{Runs: []string{made.Run.Dir}, Notify: func(n terminal.Notice) { warnings = append(warnings, n.String()) }})
	damaged := 0
	for _, d := range linesOf[train.Drop](t, out, export.DroppedFile) {
		if d.Reason == export.Damaged {
			damaged++
		}
	}
	if len(warnings) != 1 || damaged == 0 || len(idsIn(t, out)) > len(before) {
		t.Errorf("warnings %q, %d damaged turns, %d rows after %d", warnings, damaged, len(idsIn(t, out)), len(before))
	}
}

func TestRefusedConfigs(t *testing.T) {
	made := recordtest.Make(t, recordtest.Config{Dir: recordtest.Dir(t, "run"), Baseline: "agentic-hybrid", Questions: 1})
	copied := recordtest.Dir(t, "copy")
	if err := os.CopyFS(copied, os.DirFS(made.Run.Dir)); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		c    export.Config
		want string
	}{
		{"unscored", export.Config{}, "no row is left: "},
		{"shares", export.Config{Rules: export.Rules{SplitOptions: train.SplitOptions{Split: []float64{0.9, 0.2}}}}, "add up to 1.1"},
		{"a share of nothing", export.Config{Rules: export.Rules{SplitOptions: train.SplitOptions{Split: []float64{1, 0}}}}, "share 0 of the split validation is not positive"},
		{"too many shares", export.Config{Rules: export.Rules{SplitOptions: train.SplitOptions{Split: []float64{0.25, 0.25, 0.25, 0.25}}}}, "4 split shares"},
		{"the same run twice", export.Config{Runs: []string{made.Run.Dir, copied}}, "are the same run"},
		{"no licence", export.Config{Rules: export.Rules{License: "mine: all"}}, `license "mine: all"`},
		{"no such format", export.Config{Format: "csv"}, `unknown format "csv"`},
		{"no such list", export.Config{Rules: export.Rules{IDs: "nowhere"}}, "ids: "},
		{"no such tokenizer", export.Config{Rules: export.Rules{Limit: export.Limit{Length: preflight.Length{CutoffLen: 9, Tokenizer: "nowhere"}}}}, "tokenizer: "},
		{"no such benchmark", export.Config{Rules: export.Rules{Leaks: "nowhere"}}, "leaks: "},
		{"no such export", export.Config{Rules: export.Rules{Against: []string{"nowhere"}}}, "against: "},
		{"no pairs", export.Config{Format: export.DPO}, "no preference pair: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := tt.c
			c.Out = recordtest.Dir(t, "out")
			if c.Runs == nil {
				c.Runs = []string{made.Run.Dir}
			}
			if c.Format == "" {
				c.Format = export.OpenAI
			}
			if _, err := export.Write(c); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if left, _ := os.ReadDir(filepath.Dir(c.Out)); len(left) > 0 {
				t.Errorf("files remain: %v", left)
			}
		})
	}
}
