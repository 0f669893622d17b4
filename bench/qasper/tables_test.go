package qasper_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/bench"
	"airqa/bench/qasper"
	"airqa/internal/testkit/benchtest"
)

func TestTables(t *testing.T) {
	data, export := folder+"dev.json", filepath.Join(t.TempDir(), "out.jsonl")
	benchtest.Check(t, qasper.Benchmark(), []benchtest.Case{
		{Function: "stats", Request: bench.Request{Dataset: data}, Want: map[string]string{
			"sizes papers number": "2", "means questions per paper value": "3.5", "answers evidence in the text value": "76.92307692307692",
			"answers several paragraphs, of those with text only value": "0", "sections data %": "40", "sections (no heading) %": "10",
			// Of 8 pairs of annotations 5 agree; a1 and a2 differ in the kind of their evidence, the other 4 pairs that have any do not.
			"answers agreement on answerability value": "62.5", "answers agreement on the type of evidence value": "80",
			"means writers with experience in NLP, % value": "100", "means abstract seen for the first time, % value": "100",
			"means found by a search query, % value": "0",
		}, Note: "all three splits together; not in these data: train, test"},
		{Function: "compare", Request: bench.Request{Dataset: data}, Want: map[string]string{
			"scores oracle Answer-F1": "100", "types human lower bound boolean": "-", "scores tfidf Evidence-F1, script": "57.14285714285714",
		}, Note: "seed 31045"},
		{Function: "compare", Request: bench.Request{Dataset: data, Method: "tfidf", Export: export}, Want: map[string]string{
			"scores tfidf Evidence-F1": "85.71428571428571",
		}},
		{Function: "compare", Request: bench.Request{Dataset: data, Fixed: true, Bootstrap: 100}, Predictions: export, Want: map[string]string{
			"scores predictions Evidence-F1": "85.71428571428571", "types predictions none": "", "first predictions none": "0",
			"scores human lower bound Answer-F1": "47.62626262626262", "scores unanswerable Answer-F1": "42.857142857142854",
		}, Note: "fixed: evidence is compared as sets"},
		{
			Function: "compare", Request: bench.Request{Dataset: data, Seed: 1}, Predictions: folder + "predictions.jsonl",
			Want: map[string]string{"scores predictions Answer-F1": "64.28571428571429", "first predictions extractive": "50", "types predictions extractive": "75"},
			Note: "predictions with the same evidence twice, which lowers their precision in reference mode: 1",
		},
		{
			Function: "compare", Request: bench.Request{Dataset: data}, Predictions: folder + "predictions.jsonl",
			Note: "predictions: items of 7 without an answer, which score 0: 1",
		},
		{
			Function: "compare", Request: bench.Request{Dataset: data, Method: "echo", Bootstrap: 100, Seed: 7},
			Note: "bootstrap clustered by paper, 100 rounds, seed 7",
		},
		{Function: "compare", Request: bench.Request{Dataset: data, Method: "none"}, Err: "unknown baseline"},
		{Function: "compare", Request: bench.Request{Dataset: data, Export: export}, Err: "--export needs one"},
		{Function: "stats", Request: bench.Request{Dataset: folder + "none.json"}, Err: "no such file"},
		{
			Function: "compare", Request: bench.Request{Dataset: data}, Predictions: benchtest.File(t, "r.jsonl", `{"query_id":"q0","index_rank":[3]}`),
			Err: `field "question_id", the id of an item, is missing`,
		},
	})
}

// split is a file of a paper with questions; each has a text of JSON for what its writer stated, and answers.
func split(t *testing.T, folder, name, paper string, questions ...string) string {
	t.Helper()
	text := `{"` + paper + `":{"title":"T","abstract":"A","full_text":[{"section_name":"Data ::: Size","paragraphs":["P","Q"]},` +
		`{"section_name":"DATA","paragraphs":["R"]},{"section_name":"Results","paragraphs":["S"]}],"figures_and_tables":[{"caption":"C","file":"f"}],"qas":[` +
		strings.Join(questions, ",") + `]}}`
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func question(id, stated string, answers ...string) string {
	for i, a := range answers {
		answers[i] = `{"answer":{` + a + `}}`
	}
	return `{"question":"?","question_id":"` + id + `",` + stated + `"answers":[` + strings.Join(answers, ",") + `]}`
}

func TestSplits(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "v0.3, all [new]")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	no := `"yes_no":false,"evidence":[]`
	both := `"free_form_answer":"F","evidence":["S","FLOAT SELECTED: C"]`
	train := split(t, folder, "qasper-train-v0.3.json", "1", question("a", `"nlp_background":"zero","question_writer":"w1","paper_read":"no",`, no),
		question("b", `"nlp_background":"zero","question_writer":"w1","paper_read":"somewhat","search_query":"tides",`, both, both, `"unanswerable":true,"evidence":["P"]`))
	dev := split(t, folder, "qasper-dev-v0.3.json", "2", question("c", `"nlp_background":"infinity","question_writer":"w2",`, `"extractive_spans":["E"],"evidence":["P","R"]`))
	split(t, folder, "qasper-test-v0.3.json", "3", question("d", `"nlp_background":7,"search_query":"",`, no))
	if err := os.WriteFile(filepath.Join(folder, "README.md"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	got, notes, err := benchtest.Call(t, qasper.Benchmark(), "stats", bench.Request{Dataset: folder})
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"sizes papers number": "3", "sizes questions number": "4", "means writers with experience in NLP, % value": "50",
		"means writers with more than five years, % value": "50", "means abstract seen for the first time, % value": "50",
		"means found by a search query, % value": "50", "answers agreement on answerability value": "33.333333333333336",
		"answers agreement on the type of evidence value": "100", "answers No without evidence, of the answerable value": "40",
		"sections data %": "50", "sections results %": "50",
	} {
		if got[key] != want {
			t.Errorf("%s = %q, want %q", key, got[key], want)
		}
	}
	if strings.Contains(notes, "all three") || !strings.Contains(notes, "Data of qasper-dev-v0.3.json, qasper-test-v0.3.json, qasper-train-v0.3.json.") {
		t.Errorf("notes %s", notes)
	}
	link := filepath.Join(t.TempDir(), "train.json") // without a comma in its folder
	if err := os.Rename(train, link); err != nil {
		t.Fatal(err)
	}
	moved := filepath.Join(filepath.Dir(link), "dev.json")
	if err := os.Rename(dev, moved); err != nil {
		t.Fatal(err)
	}
	got, notes, err = benchtest.Call(t, qasper.Benchmark(), "stats", bench.Request{Dataset: link + "," + moved})
	if err != nil || got["sizes questions number"] != "3" || !strings.Contains(notes, "not in these data: test.") {
		t.Errorf("two files: %v, %s, %v", got["sizes questions number"], notes, err)
	}
	if _, err := qasper.Load(link+","+moved+".none", bench.Choice{}); err == nil || !strings.Contains(err.Error(), "dev.json.none: no such file") {
		t.Errorf("a missing file: %v", err)
	}
	// An id is seen across files, and the fault names both.
	other := split(t, filepath.Dir(link), "test.json", "1", question("a", "", no))
	d, err := qasper.Load(link+","+other, bench.Choice{})
	if err != nil || len(d.Faults) != 2 || !strings.Contains(d.Faults[0].Error(), "test.json: paper 1 is in "+link+", too") {
		t.Errorf("%v, %v", err, d.Faults)
	}
}

// The paper's numbers are about the split of the data.
func TestPaperRows(t *testing.T) {
	folder := t.TempDir()
	for name, want := range map[string]string{"dev.json": "10.68", "qasper-test-v0.3.json": "9.2", "mine.json": "9.2"} {
		path := split(t, folder, name, "1", question("a", "", `"yes_no":true,"evidence":[]`))
		got, _, err := benchtest.Call(t, qasper.Benchmark(), "compare", bench.Request{Dataset: path})
		part := map[bool]string{true: "dev", false: "test"}[name == "dev.json"]
		if err != nil || got["scores TF-IDF (paper, "+part+") Evidence-F1"] != want || got["types TF-IDF (paper, "+part+") Evidence-F1"] != "" {
			t.Errorf("%s: %v, %v", name, err, got)
		}
	}
}

// A wrong type in one annotation of a paper leaves all questions in the score, and the result names the annotation.
func TestFaultyAnnotation(t *testing.T) {
	raw, err := os.ReadFile(folder + "dev.json")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(raw), `"yes_no": false`, `"yes_no": "yes"`, 1)
	r, err := qasper.Benchmark().Compare(t.Context(), bench.Request{Dataset: benchtest.File(t, "dev.json", text), Method: "echo"})
	if err != nil {
		t.Fatal(err)
	}
	if m := r.Tables[0].Measures[0]; *m.N != 7 {
		t.Errorf("%d questions are scored, not 7", *m.N)
	}
	if len(r.Faults) != 1 || !strings.Contains(r.Faults[0], "yes_no is a string, not true or false; the annotation is skipped") {
		t.Errorf("faults %q", r.Faults)
	}
	if r.Notes[0] != "Left out because of faults: 1 annotation." {
		t.Errorf("notes %q", r.Notes)
	}
}
