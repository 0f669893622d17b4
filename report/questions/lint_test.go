package questions_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/eval"
	"airqa/fixtures"
	"airqa/internal/testkit/golden"
	"airqa/qa/dataset"
	"airqa/report/questions"
	"airqa/report/render"
)

const sound = `{"uuid":"cea9de1e-fd82-51d8-9d7f-d932182a27e3","question":"How many?","answer_format":"An integer.","tags":["single","text","objective"],` +
	`"anchor_pdf":["b5b14f78-ae1f-5cfb-8fb7-20a1ba0dfc5a"],"reference_pdf":[],"conference":[],` +
	`"evaluator":{"eval_func":"eval_int_exact_match","eval_kwargs":{"gold":3}}}`

func TestLint(t *testing.T) {
	const evaluator = `"eval_func":"eval_int_exact_match","eval_kwargs":{"gold":3}`
	tests := []struct {
		name, old, now string
		want           []string // severity, rule, and a part of the text
	}{
		{"sound", "", "", nil},
		{"no JSON", sound[:40], sound[1:40], []string{"error form not a JSON object"}},
		{"no question", `"question"`, `"frage"`, []string{`error form missing question`}},
		{"no answer format", `"answer_format"`, `"format"`, []string{`warning form missing answer_format`}},
		{"misspelt argument", `{"gold":3}`, `{"gold":3,"lowercas":true}`, []string{"warning evaluator the unknown argument lowercas is ignored"}},
		{"missing argument", `{"gold":3}`, `{"glod":3}`, []string{"warning evaluator the unknown argument glod", "error evaluator the argument gold is missing"}},
		{"no such function", "eval_int_exact_match", "eval_int_match", []string{`error evaluator there is no function "eval_int_match"`}},
		{
			"gold that fails", evaluator, `"eval_func":"eval_float_exact_match","eval_kwargs":{"gold":"2463.5","ndigits":1}`,
			[]string{"warning evaluator gold is of type text", "error gold scoring reference"},
		},
		{"no type", `"single",`, ``, []string{"error tags no question type tag"}},
		{"two types", `"single",`, `"single","multiple",`, []string{"error tags more than one question type tag: single, multiple", "warning papers names one paper only"}},
		{"no evaluation", `,"objective"`, ``, []string{"error tags no evaluation tag"}},
		{"no element", `"text",`, ``, []string{"warning tags no element tag"}},
		{"stray tag", `"text"`, `"figure"`, []string{`warning tags the tag "figure" is counted as image`}},
		{"unknown tag", `"text"`, `"text","odd","odd"`, []string{`warning tags the tag "odd" is unknown`, "warning tags duplicate tag"}},
		{"tagged subjective", `"objective"`, `"subjective"`, []string{"warning evaluation tagged subjective, but eval_int_exact_match uses no judge"}},
		{
			"tagged objective", evaluator, `"eval_func":"eval_reference_answer_with_llm","eval_kwargs":{"reference_answer":"3","question":"How many?"}`,
			[]string{"warning evaluation tagged objective, but eval_reference_answer_with_llm uses a judge"},
		},
		{"a conference", `"conference":[]`, `"conference":["acl2023"]`, []string{"warning conference a question about given papers names a conference: acl2023"}},
		{"no conference", `"single"`, `"retrieval"`, []string{"warning papers a retrieval question names 1 paper", "warning conference a question about a conference names papers and no conference"}},
		{"all papers", `"single","text","objective"],"anchor_pdf":["b5b14f78-ae1f-5cfb-8fb7-20a1ba0dfc5a"]`, `"comprehensive","text","objective"],"anchor_pdf":[]`, nil},
		{
			"odd conference", `"single","text","objective"],"anchor_pdf":["b5b14f78-ae1f-5cfb-8fb7-20a1ba0dfc5a"],"reference_pdf":[],"conference":[]`,
			`"retrieval","text","objective"],"anchor_pdf":[],"reference_pdf":[],"conference":["acl2023","ACL 2023"]`,
			[]string{`warning conference the conference "ACL 2023" is not`},
		},
		{"odd id", `"cea9de1e-fd82-51d8-9d7f-d932182a27e3"`, `"q1"`, []string{`warning id the id "q1" is not a UUID`}},
		{"odd paper", `"b5b14f78-ae1f-5cfb-8fb7-20a1ba0dfc5a"`, `"p"`, []string{`warning id the paper "p" is not a UUID`}},
		{"a paper twice", `"reference_pdf":[]`, `"reference_pdf":["b5b14f78-ae1f-5cfb-8fb7-20a1ba0dfc5a"]`, []string{"warning papers needs one anchor and no reference, not 1 and 1", "warning duplicate duplicate paper"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			line := strings.Replace(sound, tt.old, tt.now, 1)
			other := strings.NewReplacer("How many?", "How few?", "cea9de1e", "dea9de1e").Replace(sound)
			f := read(t, "q.jsonl", other+"\n\n"+line)
			list, err := questions.Lint(t.Context(), f)
			if err != nil {
				t.Fatal(err)
			}
			if len(list) != len(tt.want) {
				t.Fatalf("found %v, want %d findings", list, len(tt.want))
			}
			for i, w := range tt.want {
				parts := strings.SplitN(w, " ", 3)
				got := list[i]
				if string(got.Severity) != parts[0] || string(got.Rule) != parts[1] || !strings.Contains(got.Text, parts[2]) || got.Line != 3 || got.File != "q.jsonl" {
					t.Errorf("finding %d is %+v, want line 3, %s", i, got, w)
				}
			}
		})
	}
}

func TestLintDuplicates(t *testing.T) {
	again := strings.Replace(sound, "cea9de1e", "dea9de1e", 1)
	list, err := questions.Lint(t.Context(), read(t, "q.jsonl", sound+"\n"+sound+"\n"+strings.Replace(again, "How many?", "how  MANY?", 1)))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range list {
		got = append(got, fmt.Sprintf("%d %s %s", f.Line, f.Severity, f.Rule))
	}
	if diff := cmp.Diff([]string{"2 error form", "3 warning duplicate"}, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// A question without an evaluator is read, with the line that it is on.
func TestLintWithoutEvaluator(t *testing.T) {
	bare := `{"uuid":"dea9de1e-fd82-51d8-9d7f-d932182a27e3","question":"Why?","tags":["single","text","subjective"]}`
	for _, text := range []string{bare + "\n", sound + "\n" + bare + "\n"} {
		list, err := questions.Lint(t.Context(), read(t, "q.jsonl", text))
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Count(text, "\n")
		for _, f := range list {
			if f.Line != want {
				t.Errorf("line %d, want %d: %s", f.Line, want, f.Text)
			}
		}
		if len(list) == 0 {
			t.Error("no finding")
		}
	}
}

// The released file has exactly these faults (the authors' code cannot score the first two right).
func TestLintReleased(t *testing.T) {
	list, err := questions.Lint(t.Context(), readReleased(t))
	if err != nil {
		t.Fatal(err)
	}
	var errs []string
	odd := make(map[string][]string)
	for _, f := range list {
		if f.Severity == eval.Error {
			errs = append(errs, f.UUID[:8]+" "+string(f.Rule))
			continue
		}
		rule := string(f.Rule)
		if f.Rule == questions.RuleReward {
			rule += " " + f.Text
		}
		odd[rule] = append(odd[rule], f.UUID[:8])
	}
	if diff := cmp.Diff([]string{"bb6ffb6d gold", "de8d9b7f evaluator", "de8d9b7f gold"}, errs); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
	want := map[string][]string{
		"reward scoring in both modes: one of two guesses passes":               {"9640f248", "ab369ade", "e4b24c60"},
		"reward scoring fixed: half of the gold's text passes":                  {"06e6f397", "14225073", "4697c604", "681c2bb8"},
		"reward scoring fixed: one safe element passes":                         {"0318f9e2", "08a9f15f", "4cd78a42", "dc151869"},
		"reward scoring reference: None and I don't know both pass":             {"bc5c4cf7"},
		"reward scoring reference: a long text that contains the answer passes": {"681c2bb8"},
		"reward scoring reference: a text of every candidate passes":            {"06e6f397", "4697c604"},
		"reward scoring reference: an empty list passes":                        {"0318f9e2", "08a9f15f", "4cd78a42", "dc151869"},
		"reward scoring reference: x and nan both pass":                         {"14225073"},
		"evaluation": {"1aa41ae8"}, "papers": {"31c0e826"}, "duplicate": {"3bec1f83"}, "tags": {"55c4fae8", "a49ce3ea"},
		"evaluator": {
			"17c12592", "25c34c03", "2719728b", "282710e9", "5c49a736", "807fdd37", "a49ce3ea", "bb6ffb6d",
			"bc5c4cf7", "bc5c4cf7", "c50576c6", "d170af87", "d82a4438", "de8d9b7f", "f1adf502",
		},
	}
	if diff := cmp.Diff(want, odd); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// The sample questions are sound, because people copy from them. Some show evaluators with a weak reward, and one a
// disjunction, whose answer format states the reading.
func TestLintFixtures(t *testing.T) {
	list, err := questions.Lint(t.Context(), read(t, "q.jsonl", string(fixtures.Questions())))
	list = slices.DeleteFunc(list, func(f questions.Finding) bool {
		return f.Severity == eval.Warning && (f.Rule == questions.RuleReward || strings.Contains(f.Text, "two readings"))
	})
	if err != nil || len(list) > 0 {
		t.Error(err, list)
	}
}

func TestWriteFindings(t *testing.T) {
	f := read(t, "q.jsonl", sound)
	const id = "cea9de1e-fd82-51d8-9d7f-d932182a27e3"
	list := []questions.Finding{
		{Severity: eval.Warning, Place: dataset.Place{File: "q.jsonl", Line: 1, UUID: id}, Rule: questions.RuleTags, Text: `the tag "a|b <i>" is unknown`},
		{Severity: eval.Error, Place: dataset.Place{File: "q.jsonl", Line: 1, UUID: id}, Rule: questions.RuleGold, Mode: eval.Reference, Text: "the gold does not pass"},
		{Severity: eval.Error, Place: dataset.Place{File: "q.jsonl", Line: 2}, Rule: questions.RuleForm, Text: "not a JSON object"},
	}
	for _, format := range render.Formats() {
		var b bytes.Buffer
		if err := questions.WriteFindings(&b, list, questions.Collect(f), render.Options{Format: format}); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, "findings."+format, withoutCharts(b.String()))
	}
	if got := questions.FindingsSummary(nil, questions.Stats{Source: "q.jsonl", Questions: 1}); got != "q.jsonl: 1 question, no errors or warnings" {
		t.Error(got)
	}
}
