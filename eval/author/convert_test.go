package author_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/eval/author"
	"airqa/qa/dataset"
)

// converted converts a text and returns the questions, one a line, and the summary.
func converted(t *testing.T, o author.Options, text string) (questions, notes []string, failed int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var c author.Conversion
	for ex, err := range author.Convert(path, o, &c) {
		if err != nil {
			t.Fatal(err)
		}
		questions = append(questions, fmt.Sprintf("%s | %s %s | %d papers", ex.Question, ex.Evaluator.Func, ex.Evaluator.Kwargs, len(ex.Papers())))
	}
	for _, line := range c.Summary() {
		notes = append(notes, strings.TrimPrefix(line, path+": "))
	}
	return questions, notes, c.Failed
}

func TestConvert(t *testing.T) {
	tests := []struct {
		name             string
		options          author.Options
		text             string
		questions, notes []string
		failed           int
	}{
		{
			"CSV",
			author.Options{Find: find},
			"question,answer,type,papers,source\nHow many?,8,,lumen,x\nHow many?,8,,,\nOpen?,yes,factoid,zzz,\n\"All, please\",a;b,list,,\n,orphan,,,\nWhy?,,,,\n",
			[]string{
				`How many? | eval_int_exact_match {"gold":8} | 1 papers`,
				`Open? | eval_bool_exact_match {"gold":true} | 0 papers`,
				`All, please | eval_structured_object_exact_match {"gold":["a","b"],"lowercase":true} | 0 papers`,
				"Why? |   | 0 papers",
			},
			[]string{
				`read as a table separated by commas: question, answer, type, papers; columns not used: "source" (known: ` + dataset.Fields + ")",
				"not converted: the same uuid is in line 2 already (line 3)", "not converted: the question is empty (line 6)",
				`lost: "factoid" is not a type of answer (line 4)`, "lost: no answer, so no evaluator: answers stay unscored (line 7)",
				`paper not found: no paper "zzz". Similar names: lumen; lumenparse (line 4)`,
				"guessed: type number (eval_int_exact_match) (lines 2-3)", "guessed: type bool (eval_bool_exact_match) (line 4)",
			},
			2,
		},
		{
			"same question about two papers",
			author.Options{Find: find},
			"question\tanswer\tpapers\nHow many?\t8\tlumen\nHow many?\t9\t0f0f97f1-1997-5f33-b56c-5306eb27d631\n",
			[]string{`How many? | eval_int_exact_match {"gold":8} | 1 papers`, `How many? | eval_int_exact_match {"gold":9} | 1 papers`},
			[]string{"read as a table separated by tabs: question, answer, papers", "guessed: type number (eval_int_exact_match) (lines 2-3)"},
			0,
		},
		{
			"blocks",
			author.Options{Papers: []string{paperID}},
			"Q: How many?\nA: 8\n\nQ2: Why?\nA: It is cheap,\nthey say.\nType: text\n\nstray\n",
			[]string{
				`How many? | eval_int_exact_match {"gold":8} | 1 papers`,
				`Why? | eval_reference_answer_with_llm {"question":"Why?","reference_answer":"It is cheap,\nthey say."} | 1 papers`,
			},
			[]string{"not converted: a line that is part of no question (line 9)", "guessed: type number (eval_int_exact_match) (line 1)"},
			1,
		},
		{
			"lines",
			author.Options{Kind: author.String},
			"# comment\nHow many?\t8\textra\nJust so?\nprose\n",
			[]string{`How many? | eval_string_exact_match {"gold":"8","lowercase":true} | 0 papers`},
			[]string{
				"not converted: the type string needs an answer (line 3)",
				"not converted: neither a question nor question, tab and answer (line 4)",
				"lost: everything after the second tab (line 2)",
			},
			2,
		},
		{
			"JSON",
			author.Options{},
			`[{"Query": "How?", "expected": ["a", "b"], "id": 7},
{"query": "What?", "answers": ["x", "y"]},
{"question": "D", "answer": 3.50, "gold": 4}]`,
			[]string{
				`How? | eval_structured_object_exact_match {"gold":["a","b"],"ignore_order":true,"lowercase":true} | 0 papers`,
				`What? | eval_element_included {"gold":["x","y"],"lowercase":true} | 0 papers`,
				`D | eval_float_exact_match {"gold":3.5,"ndigits":2} | 0 papers`,
			},
			[]string{
				`lost: the field "gold": another one means answer too (line 3)`,
				"guessed: type set (eval_structured_object_exact_match) (line 1)",
				"guessed: type one-of: the field answers has alternatives (line 2)",
				"guessed: type number (eval_float_exact_match) (line 3)",
			},
			0,
		},
		{
			"own evaluator",
			author.Options{},
			`{"question": "Q", "evaluator": {"eval_func": "eval_int_exact_match", "eval_kwargs": {"gold": 3, "x": 1}}}`,
			[]string{`Q | eval_int_exact_match {"gold": 3, "x": 1} | 0 papers`},
			[]string{"incomplete: missing uuid, answer_format, tags, anchor_pdf, reference_pdf, conference (line 1)", "faulty: eval_int_exact_match: the unknown argument x is ignored (line 1)"},
			0,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			questions, notes, failed := converted(t, tt.options, tt.text)
			if diff := cmp.Diff(tt.questions, questions); diff != "" {
				t.Errorf("questions (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.notes, notes); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
			if failed != tt.failed {
				t.Errorf("%d failed", failed)
			}
		})
	}
}

// A binary file is not converted, and neither is a missing one.
func TestConvertErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("\x7fELF\x00\x01?\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, path + "x"} {
		var c author.Conversion
		n := 0
		for _, err := range author.Convert(name, author.Options{}, &c) {
			if n++; err == nil {
				t.Errorf("%s is converted", name)
			}
		}
		if n != 1 {
			t.Errorf("%s: %d results", name, n)
		}
	}
}

// Many places of one note are cut.
func TestSummaryIsShort(t *testing.T) {
	_, notes, failed := converted(t, author.Options{}, strings.Repeat("prose\n\n", 1000))
	if failed != 1000 || len(notes) != 1 || !strings.HasSuffix(notes[0], "39, and 980 more)") {
		t.Errorf("%d failed: %q", failed, notes)
	}
}

// script answers the prompts of an interview in order.
type script struct {
	replies, asked, said []string
}

func (s *script) ask(prompt, byDefault string) (string, error) {
	s.asked = append(s.asked, prompt)
	if len(s.replies) == 0 {
		return "", io.EOF
	}
	reply := s.replies[0]
	s.replies = s.replies[1:]
	if reply == "" {
		return byDefault, nil
	}
	return reply, nil
}

func TestInterview(t *testing.T) {
	s := &script{replies: []string{"", "How many?", "?", "blah", "number", "many", "8", "zzz", "lumen", "", "", "single, table"}}
	i := author.Interview{Ask: s.ask, Say: func(text string) { s.said = append(s.said, text) }, Find: find}
	w, err := i.Run(author.Draft{})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(w.Tags, " ") + " " + w.Describe() + " " + strings.Join(w.AnchorPDF, " "); got != `single table objective eval_int_exact_match {"gold":8} `+paperID {
		t.Errorf("got %q", got)
	}
	said := strings.Join(s.said, "\n")
	for _, want := range []string{"a date such as 2024-05-31", `there is no answer type "blah"`, `the answer "many" is not a number`, `no paper "zzz"`} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not said: %s", want, said)
		}
	}
}

// What is given is not asked; some asks for a count, and again after a wrong one.
func TestInterviewOfDraft(t *testing.T) {
	s := &script{replies: []string{"x", "5", "a; b", "2"}}
	i := author.Interview{Ask: s.ask, Say: func(string) {}, Find: find}
	w, err := i.Run(author.Draft{Question: "Name two.", Kind: author.Some, Answer: "a; b", Papers: []string{paperID}, Tags: []string{"table"}, Format: "A list."})
	if err != nil {
		t.Fatal(err)
	}
	if got := w.Describe(); got != `eval_element_list_overlap {"count":2,"gold":["a","b"],"lowercase":true}` {
		t.Errorf("got %s", got)
	}
}

// The end of the input ends an interview.
func TestInterviewEnds(t *testing.T) {
	for n := range 7 {
		replies := []string{"How many?", "some", "a;b", "1", "", "", ""}[:n]
		s := &script{replies: replies}
		if _, err := (author.Interview{Ask: s.ask, Say: func(string) {}}).Run(author.Draft{}); !errors.Is(err, io.EOF) {
			t.Errorf("after %d replies: %v", n, err)
		}
	}
}
