package author_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"airqa/eval/author"
	"airqa/qa"
)

const litSearchCorpus = `{"corpusid": 11, "title": "A Paper on X", "abstract": "…", "citations": [12]}

{"corpusid": 12, "title": " Y: \"A Survey\" "}
{"corpusid": 13, "title": null}
`

// writeFile writes a file and returns its path.
func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLitSearch(t *testing.T) {
	titles, err := author.ReadTitles(writeFile(t, "corpus.jsonl", litSearchCorpus))
	if err != nil {
		t.Fatal(err)
	}
	text := `{"query_set": "manual_acl", "query": " Which paper does X? ", "specificity": 1, "quality": 2, "corpusids": [11]}
{"query_set": "inline_nonacl", "query": "Who surveys Y?", "specificity": 0, "quality": 1, "corpusids": [11, 12]}
{"query_set": "manual_iclr", "query": "Untitled?", "specificity": 1, "quality": 2, "corpusids": [11, 13]}
{"query_set": "manual_iclr", "query": "None?", "specificity": 1, "quality": 2, "corpusids": []}
{"query_set": "manual_iclr", "query": "Texts?", "specificity": 1, "quality": 2, "corpusids": ["11"]}
{"query_set": "manual_iclr", "query": "", "specificity": 1, "quality": 2, "corpusids": [11]}
`
	const function = "eval_paper_relevance_with_reference_answer"
	questions, notes, failed := converted(t, author.Options{Titles: titles}, text)
	if diff := cmp.Diff([]string{
		"Which paper does X? | " + function + ` {"question":"Which paper does X?","reference_answer":"A Paper on X"} | 0 papers`,
		"Who surveys Y? | " + function + ` {"question":"Who surveys Y?","reference_answer":["A Paper on X","Y: \"A Survey\""]} | 0 papers`,
	}, questions); diff != "" || failed != 4 {
		t.Errorf("%d failed (-want +got):\n%s", failed, diff)
	}
	if diff := cmp.Diff([]string{
		"not converted: the corpus has no title for corpusid 13 (line 3)",
		`not converted: "corpusids" is not a list of ids: [] (line 4)`,
		`not converted: "corpusids" is not a list of ids: ["11"] (line 5)`,
		"not converted: the question is empty (line 6)",
	}, notes); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if _, notes, _ = converted(t, author.Options{}, text); !strings.Contains(notes[0], "--corpus FILE (lines 1-3, 6)") {
		t.Errorf("without titles: %q", notes)
	}
}

func TestReadTitles(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "has no paper with a title",
		litSearchCorpus + `{"title": "x"}`:  `:5: no "corpusid"`,
		`{"corpusid": "a", "title": "x"}`:   ":1: corpusid is a string, not",
		litSearchCorpus + "{\"corpusid\": ": ":5: unexpected end",
	} {
		path := writeFile(t, "corpus.jsonl", text)
		if _, err := author.ReadTitles(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: error %v, want %q in it", text, err, want)
		}
	}
}

// The records of LitSearch that became AirQA's questions become the same again, apart from the words of the answer format.
func TestLitSearchAsReleased(t *testing.T) {
	file, err := os.Open("../../../shared/data/airqa/test_data_553.jsonl")
	if err != nil {
		t.Skip("without the released questions: ", err)
	}
	defer func() { _ = file.Close() }()
	sets := map[string]string{"acl2023": "manual_acl", "iclr2024": "manual_iclr"}
	var records, corpus strings.Builder
	var want []qa.Example
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var ex qa.Example
		var from struct {
			Annotator string
			Evaluator struct {
				Kwargs struct {
					Answer string `json:"reference_answer"`
				} `json:"eval_kwargs"`
			}
		}
		if json.Unmarshal(lines.Bytes(), &from) != nil || json.Unmarshal(lines.Bytes(), &ex) != nil || from.Annotator != "litsearch_manual" {
			continue
		}
		want = append(want, ex)
		id := len(want)
		for to, object := range map[*strings.Builder]any{
			&records: map[string]any{"query": ex.Question, "query_set": sets[ex.Conference[0]], "corpusids": []int{id}, "specificity": 1, "quality": 2},
			&corpus:  map[string]any{"corpusid": id, "title": from.Evaluator.Kwargs.Answer},
		} {
			if err := json.NewEncoder(to).Encode(object); err != nil {
				t.Fatal(err)
			}
		}
	}
	titles, err := author.ReadTitles(writeFile(t, "corpus.jsonl", corpus.String()))
	if err != nil {
		t.Fatal(err)
	}
	got, err := author.Load(writeFile(t, "litsearch.jsonl", records.String()), author.Options{Titles: titles})
	if err != nil || len(want) != 229 {
		t.Fatalf("%d released questions, %v", len(want), err)
	}
	sameJSON := cmp.Transformer("JSON", func(raw json.RawMessage) (v any) {
		_ = json.Unmarshal(raw, &v)
		return v
	})
	differ := cmpopts.IgnoreFields(qa.Example{}, "UUID", "AnswerFormat", "Extra", "State", "ReasoningSteps")
	if diff := cmp.Diff(want, got.Examples(), sameJSON, differ, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
