package author_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/eval"
	"airqa/eval/author"
	"airqa/qa"
)

const paperID = "484197f1-1997-5f33-b56c-5306eb27d631"

// find knows one paper.
func find(name string) (uuid, title string, err error) {
	if name == paperID || strings.EqualFold(name, "lumen") {
		return paperID, "LumenParse: Lines", nil
	}
	return "", "", fmt.Errorf("no paper %q. Similar names:\n  lumen\n  lumenparse", name)
}

func TestWrite(t *testing.T) {
	two := 2
	tests := []struct {
		name  string
		draft author.Draft
		want  string // kind | evaluator | format
		tags  string
	}{
		{"int", author.Draft{Answer: "31"}, `number | eval_int_exact_match {"gold":31} | Your answer should be a Python integer.`, ""},
		{"float", author.Draft{Answer: "27.50"}, `number | eval_float_exact_match {"gold":27.5,"ndigits":2} | Your answer should be a Python float rounded to 2 decimal places.`, ""},
		{"decimals", author.Draft{Answer: "31", Decimals: &two}, `number | eval_float_exact_match {"gold":31.0,"ndigits":2} | Your answer should be a Python float rounded to 2 decimal places.`, ""},
		{"exponent", author.Draft{Answer: "1e-5"}, `number | eval_float_exact_match {"gold":1e-05} | Your answer should be a Python float.`, ""},
		{"percent", author.Draft{Answer: "85.3 %"}, `number | eval_float_exact_match {"gold":85.3,"ndigits":1} | Your answer should be a Python float rounded to 1 decimal place, in percent, without the percent sign.`, ""},
		{"thousands", author.Draft{Answer: "1,234,567"}, `number | eval_int_exact_match {"gold":1234567} | Your answer should be a Python integer.`, ""},
		{"minus", author.Draft{Answer: "−3"}, `number | eval_int_exact_match {"gold":-3} | Your answer should be a Python integer.`, ""},
		{"bool", author.Draft{Answer: "No"}, `bool | eval_bool_exact_match {"gold":false} | Your answer should be a Python boolean, True or False.`, ""},
		{"string", author.Draft{Answer: "BERT <base>"}, `string | eval_string_exact_match {"gold":"BERT <base>","lowercase":true} | Your answer should be a single string, exactly as it is written in the paper.`, ""},
		{"quoted", author.Draft{Answer: `"8"`, Kind: author.String}, `string | eval_string_exact_match {"gold":"8","lowercase":true} | Your answer should be a single string, exactly as it is written in the paper.`, ""},
		{"fuzzy", author.Draft{Answer: "Stanford QA", Kind: author.Fuzzy}, `fuzzy | eval_string_fuzzy_match {"gold":"Stanford QA","lowercase":true,"threshold":90} | Your answer should be a single string.`, ""},
		{"date", author.Draft{Answer: "31 May 2024"}, `date | eval_string_exact_match {"gold":"2024-05-31"} | Your answer should be a date in the form YYYY-MM-DD.`, ""},
		{"set", author.Draft{Answer: "b; a"}, `set | eval_structured_object_exact_match {"gold":["b","a"],"ignore_order":true,"lowercase":true} | Your answer should be a Python list of strings, in any order.`, ""},
		{"list", author.Draft{Answer: "[1, 2.25]", Kind: author.List}, `list | eval_structured_object_exact_match {"gold":[1,2.25],"lowercase":true,"ndigits":2} | Your answer should be a Python list of floats, in order.`, ""},
		{"dict", author.Draft{Answer: `{"a": 1}`}, `dict | eval_structured_object_exact_match {"gold":{"a":1},"lowercase":true} | Your answer should be a Python dictionary with the keys "a".`, ""},
		{"one of", author.Draft{Answer: "GPU, graphics card", Kind: author.OneOf}, `one-of | eval_element_included {"gold":["GPU","graphics card"],"lowercase":true} | Your answer should be a single string.`, ""},
		{"subset", author.Draft{Answer: "1;2", Kind: author.Subset}, `subset | eval_element_list_included {"element_type":"int","gold":[1,2],"lowercase":true} | Your answer should be a Python list of integers.`, ""},
		{"some", author.Draft{Answer: "a;b;c", Kind: author.Some, Count: 2}, `some | eval_element_list_overlap {"count":2,"gold":["a","b","c"],"lowercase":true} | Your answer should be a Python list of strings with at least 2 right elements.`, ""},
		{
			"parts",
			author.Draft{Answer: "3; Adam", Kind: author.Parts},
			`parts | eval_conjunction {"eval_func_list":["eval_int_exact_match","eval_string_exact_match"],"eval_kwargs_list":[{"gold":3},{"gold":"Adam","lowercase":true}]} | ` +
				`Your answer should be a Python list of 2 elements: 1. a Python integer; 2. a single string, exactly as it is written in the paper.`,
			"",
		},
		{
			"paper",
			author.Draft{Answer: "lumen", Kind: author.Paper},
			`paper | eval_paper_relevance_with_reference_answer {"question":"Q?","reference_answer":"LumenParse: Lines"} | Your answer should be the exact title of the paper and nothing else.`,
			"retrieval text objective",
		},
		{"paper uuid", author.Draft{Answer: "lumen", Kind: author.PaperUUID}, `paper-uuid | eval_string_exact_match {"gold":"` + paperID + `","lowercase":true} | Your answer should be the uuid of the paper as a string, without any explanation.`, "retrieval text objective"},
		{"formula", author.Draft{Answer: `\frac{1}{2}`}, `formula | eval_complex_math_formula_with_llm {"formulas":"\\frac{1}{2}","question":"Q?"} | Your answer should be a single formula in LaTeX format.`, "comprehensive formula subjective"},
		{"text", author.Draft{Answer: "It saves a lot of memory."}, `text | eval_reference_answer_with_llm {"question":"Q?","reference_answer":"It saves a lot of memory."} | Your answer should be one or two sentences.`, "comprehensive text subjective"},
		{
			"text and points",
			author.Draft{Answer: "Model B", Kind: author.Text, Points: []string{"more data"}},
			`text | eval_reference_answer_and_scoring_points_with_llm {"question":"Q?","reference_answer":"Model B","scoring_points":["more data"]} | Your answer should be one or two sentences.`,
			"comprehensive text subjective",
		},
		{"any text", author.Draft{Answer: "It is slow; it is big, too", Kind: author.AnyText}, `any-text | eval_candidate_reference_answer_with_llm {"candidate_reference_answers":["It is slow","it is big, too"],"question":"Q?"} | Your answer should be one or two sentences.`, "comprehensive text subjective"},
		{"points", author.Draft{Answer: "slow; big", Kind: author.Points}, `points | eval_scoring_points_with_llm {"question":"Q?","scoring_points":["slow","big"]} | Your answer should be one or two sentences.`, "comprehensive text subjective"},
		{"some points", author.Draft{Answer: "slow; big", Kind: author.Points, Count: 1}, `points | eval_partial_scoring_points_with_llm {"count":1,"question":"Q?","scoring_points":["slow","big"]} | Your answer should be one or two sentences.`, "comprehensive text subjective"},
		{"none", author.Draft{Kind: author.None}, `none | none: answers stay unscored | `, "comprehensive text"},
		{
			"own evaluator",
			author.Draft{Evaluator: qa.Evaluator{Func: "eval_int_exact_match", Kwargs: []byte(`{"gold": 3}`)}, Format: "An int.", Papers: []string{paperID}, Tags: []string{"table"}},
			` | eval_int_exact_match {"gold": 3} | An int.`, "single table objective",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.draft.Question, tt.draft.Find = "Q?", find
			w, err := tt.draft.Write()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, fmt.Sprintf("%s | %s | %s", w.Kind, w.Describe(), w.AnswerFormat)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if tags := strings.Join(w.Tags, " "); tags != tt.tags && (tt.tags != "" || tags != "comprehensive text objective") {
				t.Errorf("tags %q", tags)
			}
			if w.UUID != qa.QuestionUUID("Q?") {
				t.Errorf("uuid %s", w.UUID)
			}
			if faults := eval.Check(w.Evaluator); w.Evaluator.Func != "" && len(faults) > 0 {
				t.Error(faults)
			}
		})
	}
}

func TestWriteErrors(t *testing.T) {
	tests := []struct {
		name  string
		draft author.Draft
		want  string
	}{
		{"no question", author.Draft{Answer: "3"}, "the question is empty"},
		{"no answer", author.Draft{Question: "Q", Kind: author.Number}, "the type number needs an answer"},
		{"number", author.Draft{Question: "Q", Answer: "many", Kind: author.Number}, `the answer "many" is not a number`},
		{"infinite number", author.Draft{Question: "Q", Answer: "1e999", Kind: author.Number}, `the answer "1e999" is not a number`},
		{"bool", author.Draft{Question: "Q", Answer: "3", Kind: author.Bool}, `the answer "3" is neither true nor false`},
		{"date", author.Draft{Question: "Q", Answer: "03/04/2024", Kind: author.Date}, "is not a day such as"},
		{"empty list", author.Draft{Question: "Q", Answer: "[]", Kind: author.Set}, "is not a list"},
		{"dict", author.Draft{Question: "Q", Answer: "[1]", Kind: author.Dict}, "is not a dictionary"},
		{"count", author.Draft{Question: "Q", Answer: "a;b", Kind: author.Some, Count: 3}, "a count of 3 is too large: the answer has 2 elements"},
		{"count of points", author.Draft{Question: "Q", Answer: "a;b", Kind: author.Points, Count: 3}, "a count of 3 is too large: there are 2 points"},
		{"points", author.Draft{Question: "Q", Answer: "3", Kind: author.Number, Points: []string{"p"}}, "points are for the types text and points"},
		{"one part", author.Draft{Question: "Q", Answer: "3", Kind: author.Parts}, "two or more parts"},
		{"empty part", author.Draft{Question: "Q", Answer: `["", "x"]`, Kind: author.Parts}, "needs an answer"},
		{"unknown paper", author.Draft{Question: "Q", Answer: "zzz", Kind: author.PaperUUID, Find: find}, `no paper "zzz"`},
		{"title", author.Draft{Question: "Q", Answer: "0f0f97f1-1997-5f33-b56c-5306eb27d631", Kind: author.Paper, Find: find}, "the title of paper 0f0f97f1-1997-5f33-b56c-5306eb27d631 is not known"},
		{"error message", author.Draft{Question: "Q", Answer: "[ERROR]: x"}, "the answer is an error message"},
		{"unknown function", author.Draft{Question: "Q", Evaluator: qa.Evaluator{Func: "eval_int", Kwargs: []byte("{}")}}, "there is no function"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := tt.draft.Write(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// Every evaluation function but the two for unusual questions is reached by a kind, and docs/questions.md has it in the row
// of the kind.
func TestKindsReachFunctions(t *testing.T) {
	answers := map[author.Kind]string{
		author.Number: "3", author.Bool: "yes", author.Dict: `{"a": 1}`, author.Date: "2024-05-31", author.Paper: "Deep Nets", author.PaperUUID: paperID,
	}
	docs, err := os.ReadFile(filepath.Join("..", "..", "docs", "questions.md"))
	if err != nil {
		t.Fatal(err)
	}
	row := func(kind string) string {
		return regexp.MustCompile("(?m)^\\|[^|]*`" + kind + "`.*$").FindString(string(docs))
	}
	var reached []string
	for _, name := range author.Kinds() {
		for _, d := range []author.Draft{{}, {Count: 1}, {Points: []string{"p"}}} {
			answer := answers[author.Kind(name)]
			if answer == "" {
				answer = "a;b"
			}
			d.Question, d.Kind, d.Answer = "Q", author.Kind(name), answer
			w, err := d.Write()
			if err == nil && !slices.Contains(reached, w.Evaluator.Func) {
				reached = append(reached, w.Evaluator.Func)
			}
			if err == nil && w.Kind != author.None && !strings.Contains(row(string(w.Kind)), "`"+w.Evaluator.Func+"`") {
				t.Errorf("docs/questions.md has no row of %s with %s", w.Kind, w.Evaluator.Func)
			}
		}
	}
	d := author.Draft{Question: "Q", Kind: author.Number, Answer: "2.5"}
	w, err := d.Write()
	if err != nil {
		t.Fatal(err)
	}
	reached = append(reached, w.Evaluator.Func)
	for _, f := range eval.Functions() {
		if !slices.Contains(reached, f.Name) && f.Name != "eval_disjunction" && f.Name != "eval_negation" {
			t.Errorf("no kind uses %s", f.Name)
		}
	}
}

func TestPreview(t *testing.T) {
	tests := []struct {
		kind   author.Kind
		answer string
		want   string
	}{
		{author.Number, "31", "31 right/right; 31.0 unparseable/right; about 31 unparseable/unparseable; 32 wrong/wrong"},
		{author.Number, "0.5", "0.5 right/right; 0.5% unparseable/unparseable; about 0.5 unparseable/unparseable; 0.6 wrong/wrong; 0.501 right/right"},
		{author.Date, "2024-12-31", "2024-12-31 right/right; 31 December 2024 wrong/wrong; 2025-01-01 wrong/wrong"},
		{author.List, "a;b", "['a', 'b'] right/right; ['b', 'a'] wrong/wrong; ['a'] wrong/wrong; a, b unparseable/unparseable"},
		{author.Set, "a;b", "['a', 'b'] right/right; ['b', 'a'] right/right; ['a'] wrong/wrong; a, b unparseable/unparseable"},
		{author.Dict, `{"a": 1, "b": 2}`, "{'a': 1, 'b': 2} right/right; {'a': 1} wrong/wrong"},
		{author.Text, "It saves memory.", "It saves memory. right/right; I do not know. wrong/wrong"},
		{author.None, "", ""},
	}
	for _, tt := range tests {
		t.Run(string(tt.kind)+" "+tt.answer, func(t *testing.T) {
			w, err := author.Draft{Question: "Q", Kind: tt.kind, Answer: tt.answer}.Write()
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range author.Preview(t.Context(), w) {
				got = append(got, fmt.Sprintf("%s %s/%s", s.Answer, s.Reference, s.Fixed))
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, "; ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Text is safe for a terminal and fits it.
func TestText(t *testing.T) {
	w, err := author.Draft{Question: "Q", Answer: strings.Repeat("red \x1b[31m ", 20), Kind: author.Fuzzy}.Write()
	if err != nil {
		t.Fatal(err)
	}
	text := w.Text(author.Preview(t.Context(), w), 60)
	for line := range strings.Lines(text) {
		if strings.Contains(line, "\x1b") || len([]rune(strings.TrimRight(line, "\n"))) > 60 {
			t.Errorf("line %q", line)
		}
	}
}

// A type that was chosen for an answer that may be of another one is noted; one that was given is not.
func TestDoubtfulTypes(t *testing.T) {
	for answer, want := range map[string]string{
		"007": `"007" is read as a number, without its zeros: the type string keeps them`, "-01.5": "without its zeros", "0.5": "", "0": "", "70": "",
		"Adam, SGD": `"Adam, SGD" is one text: the types set and list make it several values`, "Adam; SGD": "", "Adam": "",
	} {
		w, err := author.Draft{Question: "Q?", Answer: answer}.Write()
		if got := strings.Join(w.Notes, "; "); err != nil || !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%q: %v, notes %q, want %q", answer, err, got, want)
		}
		given, err := author.Draft{Question: "Q?", Answer: answer, Kind: author.String}.Write()
		if err != nil || len(given.Notes) > 0 {
			t.Errorf("%q as a string: %v, notes %q", answer, err, given.Notes)
		}
	}
}
