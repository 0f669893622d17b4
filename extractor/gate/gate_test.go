package gate_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env/paperdb"
	"airqa/eval"
	"airqa/eval/judge"
	"airqa/extractor/candidate"
	"airqa/extractor/gate"
	"airqa/qa"
	"airqa/tools"
)

// says is a model that always gives the same answer.
type says string

func (s says) Complete(context.Context, qa.Request) (qa.Reply, error) {
	return qa.Reply{Text: "```txt\n" + string(s) + "\n```"}, nil
}

// equal is a judge that accepts equal texts.
type equal struct{}

func (equal) Judge(_ context.Context, r eval.JudgeRequest) (bool, error) {
	return r.Prediction == r.Reference+strings.Join(r.Formulas, "")+strings.Join(r.Points, "\n"), nil
}

type papers struct {
	finds
	pages, abstracts map[string]string
}

func (p papers) PageTexts(_ context.Context, id string) ([]string, error) {
	return strings.Split(p.pages[id], "\f"), nil
}

func (p papers) Paper(_ context.Context, id string) (paperdb.Metadata, error) {
	return paperdb.Metadata{Abstract: p.abstracts[id]}, nil
}

// finds is a search that returns passages of these papers.
type finds []string

func (f finds) Retrieve(context.Context, string, int, tools.Scope) (hits []tools.Hit, _ error) {
	for _, id := range f {
		hits = append(hits, tools.Hit{PDFID: id})
	}
	return hits, nil
}

func gateOf(t *testing.T, name string) gate.Gate {
	t.Helper()
	list, err := gate.Select([]string{name})
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	return list[0]
}

func subject(category candidate.Category, question, format, answer, function, kwargs string) gate.Subject {
	return gate.Subject{
		Material: candidate.Material{
			ID:    candidate.ID{Category: category},
			Paper: candidate.Paper{ID: "own", Title: "Tallow: A Slow-Cooling Schedule", Abstract: "We cool hot routers slowly so that experts learn. We present a data set of router logs, RouterBarn, and compare with BERT. The tool, called Coolant, is free."},
			Parts: []candidate.Part{{ID: "s", Kind: candidate.Text, Title: "3 Method", Text: "Training takes 9.1 hours. The inter-\nleaved runs use Adam. The rig is 9.25cm wide, for 3 seeds.", Page: 1}},
		},
		Example: qa.Example{Question: question, AnswerFormat: format, Evaluator: qa.Evaluator{Func: function, Kwargs: []byte(kwargs)}},
		Answer:  answer,
	}
}

func TestSelfContained(t *testing.T) {
	tests := []struct {
		name, category, question, format, answer string
		want                                     candidate.Reason
	}{
		{"good", "single-table", "How many hours does training Tallow take?", "a float", "9.1", ""},
		{"this table", "single-table", "Which value in this table is largest?", "a float", "9.1", candidate.PointsAtPage},
		{"the text above", "single-text", "According to the text, how long is training?", "", "9.1", candidate.PointsAtPage},
		{"the section shown", "single-text", "What does the section below claim?", "", "9.1", candidate.PointsAtPage},
		{"this paper, given", "single-text", "How long does this paper train?", "", "9.1", ""},
		{"this paper, sought", "comprehensive-text", "How long does this paper train?", "", "9.1", candidate.PointsAtPage},
		{"answer in the question", "single-text", "Does training with the optimizer Adam take long?", "", "Adam", candidate.LeaksAnswer},
		{"a choice", "single-text", "Is the optimizer Adam or SGD?", "", "Adam", ""},
		{"answer in the format", "single-text", "Which optimizer is used?", `a name such as "Adam"`, "Adam", candidate.LeaksAnswer},
		{"an element in the question", "single-text", "Which optimizers besides Adam are used?", "", "['Adam', 'SGD']", candidate.LeaksAnswer},
		{"a short number by chance", "single-text", "In Table 3, how many seeds are used?", "", "3", ""},
		{"yes", "single-text", "Is the answer yes for all seeds?", "", "yes", ""},
		{"names itself", "comprehensive-text", "How long does Tallow train?", "", "9.1", candidate.NamesPaper},
		{"its title", "retrieval", "Which paper has a slow-cooling schedule and is called Tallow: a slow cooling schedule?", "", "x", candidate.NamesPaper},
		{"a choice with words before", "single-text", "Using only plain or using only warm steps, which is better?", "", "warm steps", ""},
		{"among several", "single-text", "Which is best among SGD, Adam and RMSProp?", "", "Adam", ""},
		{"a choice of three", "single-text", "Which optimizer is used: SGD, Adam, or RMSProp?", "", "Adam", ""},
		{"between two", "single-text", "Which optimizer is used, choosing between SGD and Adam?", "", "Adam", ""},
		{"a number next to an open or", "single-text", "Is it right that the number is 2029 or more, and which number is it?", "", "2029", candidate.LeaksAnswer},
		{"a number before or", "single-text", "The table of 2029 lists gives which number, SGD or Adam?", "", "2029", candidate.LeaksAnswer},
		{"between numbers", "single-text", "Which number between 1000 and 2029 is printed?", "", "2029", candidate.LeaksAnswer},
		{"the answer beside a choice", "single-text", "As Adam is used, is the rate fixed or decayed?", "", "Adam", candidate.LeaksAnswer},
		{"or a clause", "single-text", "Was Adam used, or which optimizer was it?", "", "Adam", candidate.LeaksAnswer},
		{"the number that is asked for", "single-text", "How many heads has the encoder with 12 heads?", "", "12", candidate.LeaksAnswer},
		{"a short number in the format", "single-text", "How many heads are there?", "Your answer should be an integer such as 12.", "12", candidate.LeaksAnswer},
		{"a written number in the format", "single-text", "How many heads are there?", "Your answer should be an integer, e.g. twelve.", "12", candidate.LeaksAnswer},
		{"another form in the format", "single-text", "How many heads are there?", "a float like 12.0", "12", candidate.LeaksAnswer},
		{"a letter in the format", "single-text", "Which letter marks the rate?", "a letter, for example x", "x", candidate.LeaksAnswer},
		{"decimals in the format", "single-text", "How many seeds?", "a float rounded to 2 decimals", "2", ""},
		{"items in the format", "single-text", "How many seeds?", "Your answer should be a list of 3 strings.", "3", ""},
		{"a range in the format", "single-text", "How much?", "a float ranging from 0 to 100", "100", ""},
		{"options in the format", "single-text", "Which optimizer?", "one of 'SGD', 'Adam' and 'RMSProp'", "Adam", ""},
		{"a data set of its own", "retrieval", "Which paper introduces RouterBarn?", "", "x", candidate.NamesPaper},
		{"a system of its own", "retrieval", "Which paper is about Coolant and routers?", "", "x", candidate.NamesPaper},
		{"the system of another paper", "retrieval", "Which paper compares slow cooling with BERT?", "", "x", ""},
		{"described", "retrieval", "Which paper cools routers?", "", "Tallow: A Slow-Cooling Schedule", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, err := gateOf(t, gate.SelfContained).Check(t.Context(), gate.Tools{}, subject(candidate.Category(tt.category), tt.question, tt.format, tt.answer, "", ""))
			if v.Reason != tt.want || err != nil {
				t.Errorf("%q (%s), %v; want %q", v.Reason, v.Detail, err, tt.want)
			}
		})
	}
}

func TestEvidence(t *testing.T) {
	table := candidate.Part{ID: "t", Kind: candidate.Table, Title: "Table 1: Speed", Text: "<tr><td>Base</td><td>1,024</td></tr><tr><td>Ours</td><td>7</td></tr>", Page: 3, Box: []int{1, 2, 3, 4}}
	text := candidate.Part{ID: "s", Kind: candidate.Text, Text: "Training takes 9.1 hours. The inter-\nleaved runs use Adam.", Page: 1}
	tests := []struct {
		name   string
		parts  []candidate.Part
		quotes []string
		want   []candidate.Evidence
	}{
		{"text, on its page", []candidate.Part{text}, []string{"training takes 9.1 hours"}, []candidate.Evidence{{Paper: "own", Page: 2, Element: "s", Kind: "text", Span: []int{0, 24}, Quote: "Training takes 9.1 hours"}}},
		{"hyphenated", []candidate.Part{text}, []string{"made up", "“interleaved runs”"}, []candidate.Evidence{{Paper: "own", Page: 2, Element: "s", Kind: "text", Span: []int{30, 48}, Quote: "inter-\nleaved runs"}}},
		{"a row of cells", []candidate.Part{table}, []string{"Base | 1024"}, []candidate.Evidence{{Paper: "own", Page: 3, Element: "t", Kind: "table", Box: []int{1, 2, 3, 4}, Span: []int{8, 26}, Quote: "Base</td><td>1,024"}}},
		{"the caption", []candidate.Part{table}, []string{"Table 1: Speed"}, []candidate.Evidence{{Paper: "own", Page: 3, Element: "t", Kind: "table", Box: []int{1, 2, 3, 4}, Quote: "Table 1: Speed"}}},
		{"one word", []candidate.Part{text}, []string{"the", "Adam"}, nil},
		{"filler", []candidate.Part{text}, []string{"The"}, nil},
		{"invented", []candidate.Part{text}, []string{"training takes 8 hours"}, nil},
		{"none", []candidate.Part{text}, nil, nil},
		{"only one of two sections", []candidate.Part{text, table}, []string{"training takes 9.1 hours"}, nil},
	}
	library := papers{pages: map[string]string{"own": "Nothing here.\fTraining takes 9.1 hours. The interleaved runs use Adam."}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := subject("single-text", "", "", "", "", "")
			s.Material.Parts, s.Draft.Evidence = tt.parts, tt.quotes
			v, err := gateOf(t, gate.Located).Check(t.Context(), gate.Tools{Library: library}, s)
			if err != nil || (v.Reason == candidate.NoEvidence) != (tt.want == nil) {
				t.Errorf("%q (%s), %v", v.Reason, v.Detail, err)
			}
			if diff := cmp.Diff(tt.want, v.Evidence); diff != "" && tt.want != nil {
				t.Errorf("evidence (-want +got):\n%s", diff)
			}
		})
	}
}

// A short answer must be in the quotes, unless it is counted, compared or judged.
func TestSupport(t *testing.T) {
	const exact = "eval_string_exact_match"
	for _, tt := range []struct {
		name, question, answer, quote, function string
		want                                    candidate.Reason
	}{
		{"a number", "How long is training?", "9.1", "training takes 9.1 hours", "", ""},
		{"with its unit", "How wide is the rig?", "9.25", "the rig is 9.25cm wide", "", ""},
		{"in words", "How many seeds?", "three", "9.25cm wide, for 3 seeds", exact, ""},
		{"rounded", "How long is training?", "9", "training takes 9.1 hours", "", ""},
		{"another number", "How long is training?", "8.4", "training takes 9.1 hours", "", candidate.NoEvidence},
		{"another number of the same unit", "How many hours does training take?", "7", "training takes 9.1 hours", "", candidate.NoEvidence},
		{"counted", "How many optimizers are used?", "1", "interleaved runs use Adam", "", ""},
		{"too many to count", "How many optimizers are used?", "2029", "interleaved runs use Adam", "", candidate.NoEvidence},
		{"compared", "How much longer is training than testing?", "2.5", "training takes 9.1 hours", "", ""},
		{"a name", "Which optimizer?", "Adam", "interleaved runs use Adam", exact, ""},
		{"another name", "Which optimizer?", "Lion", "interleaved runs use Adam", exact, candidate.NoEvidence},
		{"an alternative of the question", "Is the optimizer Lion or SGD?", "Lion", "interleaved runs use Adam", exact, ""},
		{"a list", "Which?", "['Adam', 'Lion']", "interleaved runs use Adam", exact, candidate.NoEvidence},
		{"a truth value", "Is Adam used?", "True", "interleaved runs use Adam", "", ""},
		{"judged", "Which?", "Lion", "interleaved runs use Adam", "eval_reference_answer_with_llm", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := subject("single-text", tt.question, "", tt.answer, tt.function, "{}")
			s.Draft.Evidence = []string{tt.quote}
			v, err := gateOf(t, gate.Located).Check(t.Context(), gate.Tools{Library: papers{}}, s)
			if v.Reason != tt.want || err != nil {
				t.Errorf("%q (%s), %v; want %q", v.Reason, v.Detail, err, tt.want)
			}
		})
	}
}

func TestUnique(t *testing.T) {
	library := papers{abstracts: map[string]string{"twin": "Experts learn because hot routers cool slowly.", "other": "Charts are mostly empty."}}
	tests := []struct {
		name     string
		question string
		found    finds
		want     candidate.Reason
	}{
		{"the only one", "Which paper cools hot routers slowly so that experts learn?", finds{"own", "other", "own"}, ""},
		{"another is first", "Which paper cools hot routers slowly so that experts learn?", finds{"other", "own"}, candidate.NotRetrieved},
		{"nothing is found", "Which paper cools hot routers?", nil, candidate.NotRetrieved},
		{"another fits as well", "Which paper cools hot routers slowly so that experts learn?", finds{"own", "twin"}, candidate.SecondPaper},
		{"about something else", "Which paper measures tides with wooden gauges?", finds{"own"}, candidate.NotRetrieved},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, err := gateOf(t, gate.Unique).Check(t.Context(), gate.Tools{Library: papers{finds: tt.found, abstracts: library.abstracts}}, subject("retrieval", tt.question, "", "", "", ""))
			if v.Reason != tt.want || err != nil {
				t.Errorf("%q (%s), %v; want %q", v.Reason, v.Detail, err, tt.want)
			}
		})
	}
}

func TestEvaluatorAndMutation(t *testing.T) {
	tests := []struct {
		name, function, kwargs, answer string
		gold, altered                  candidate.Reason
		tried                          string
	}{
		{"int", "eval_int_exact_match", `{"gold": 12}`, "12", "", "", "empty, question, value"},
		{"wrong answer", "eval_int_exact_match", `{"gold": 12}`, "13", candidate.GoldFails, "", "empty, question, value"},
		{"float", "eval_float_exact_match", `{"gold": 72.9, "ndigits": 1}`, "72.9", "", "", "empty, question, value, value"},
		{"rounded", "eval_float_exact_match", `{"gold": 72.94, "ndigits": 0}`, "72.94", "", candidate.AlteredPasses, ""},
		{"rounded down", "eval_float_exact_match", `{"gold": 1.4, "ndigits": 0}`, "1.4", "", candidate.AlteredPasses, ""},
		{"too tolerant", "eval_float_exact_match", `{"gold": 72.9, "tolerance": 0.1}`, "72.9", "", candidate.AlteredPasses, ""},
		{"bool", "eval_bool_exact_match", `{"gold": true}`, "True", "", "", "empty, question, value"},
		{"list", "eval_structured_object_exact_match", `{"gold": ["a", "b", 3]}`, "['a', 'b', 3]", "", "", "empty, question, value, missing, order"},
		{"list in any order", "eval_structured_object_exact_match", `{"gold": ["a", "b"], "ignore_order": true}`, "['b', 'a']", "", "", "empty, question, missing"},
		{"part of a list", "eval_element_list_included", `{"gold": ["a", "b"]}`, "['a']", "", "", "empty, question"},
		{"any letter", "eval_string_fuzzy_match", `{"gold": "gradient 5", "fuzz_method": "partial_ratio", "threshold": 5}`, "gradient 5", "", candidate.AlteredPasses, ""},
		{"judged", "eval_reference_answer_with_llm", `{"question": "q", "reference_answer": "it saves 5 hours"}`, "it saves 5 hours", "", "", "empty, question, value"},
		{"judged wrong", "eval_reference_answer_with_llm", `{"question": "q", "reference_answer": "it saves time"}`, "no", candidate.GoldFails, "", "empty, question"},
		{"merged", "eval_conjunction", `{"eval_func_list": ["eval_int_exact_match", "eval_string_exact_match"], "eval_kwargs_list": [{"gold": 3}, {"gold": "x"}]}`, "", "", "", "empty, question, value, missing, order"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := subject("single-text", "How many?", "", tt.answer, tt.function, tt.kwargs)
			use := gate.Tools{Judge: equal{}}
			v, err := gateOf(t, gate.GoldPasses).Check(t.Context(), use, s)
			if v.Reason != tt.gold || err != nil {
				t.Errorf("evaluator: %q (%s), %v; want %q", v.Reason, v.Detail, err, tt.gold)
			}
			v, err = gateOf(t, gate.Mutation).Check(t.Context(), use, s)
			if v.Reason != tt.altered || err != nil || tt.altered == "" && v.Detail != tt.tried {
				t.Errorf("mutation: %q (%s), %v; want %q (%s)", v.Reason, v.Detail, err, tt.altered, tt.tried)
			}
		})
	}
}

// The answer format says how many decimals count.
func TestDecimals(t *testing.T) {
	for _, tt := range []struct {
		format, kwargs string
		want           candidate.Reason
	}{
		{"a float rounded to 1 decimals", `{"gold": 1.8, "ndigits": 0}`, candidate.AlteredPasses},
		{"a float with one decimal place", `{"gold": 1.8, "ndigits": 1}`, ""},
		{"rounded to the nearest integer", `{"gold": 1.8, "ndigits": 0}`, ""},
		{"a float with two decimal places", `{"gold": 1.84, "ndigits": 1}`, candidate.AlteredPasses},
		{"a float with one decimal place", `{"gold": 1.84, "ndigits": 1}`, ""},
		{"a float", `{"gold": 0.0042, "ndigits": 2}`, candidate.AlteredPasses},
	} {
		s := subject("single-text", "How much?", tt.format, "", "eval_float_exact_match", tt.kwargs)
		v, err := gateOf(t, gate.Mutation).Check(t.Context(), gate.Tools{}, s)
		if v.Reason != tt.want || err != nil {
			t.Errorf("%s, %s: %q (%s), %v; want %q", tt.format, tt.kwargs, v.Reason, v.Detail, err, tt.want)
		}
	}
}

// undecided is a judge without a verdict.
type undecided struct{}

func (undecided) Judge(context.Context, eval.JudgeRequest) (bool, error) {
	return false, judge.ErrNoVerdict
}

// A judge without a verdict proves nothing.
func TestNoVerdict(t *testing.T) {
	s := subject("single-text", "Why?", "", "because", "eval_reference_answer_with_llm", `{"question": "q", "reference_answer": "because"}`)
	for _, name := range []string{gate.GoldPasses, gate.Mutation, gate.ClosedBook} {
		v, err := gateOf(t, name).Check(t.Context(), gate.Tools{Model: says("because"), Judge: undecided{}, Solve: 1}, s)
		if v.Reason != candidate.EvaluatorUnscored || err != nil {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
}

func TestClosedBookAndSolvedAgain(t *testing.T) {
	s := subject("single-text", "How many?", "an integer", "12", "eval_int_exact_match", `{"gold": 12}`)
	for answer, want := range map[says][2]candidate.Reason{"12": {candidate.WithoutPaper, ""}, "7": {"", candidate.NotSolved}} {
		use := gate.Tools{Model: answer, Judge: equal{}, Solve: 3}
		v, err := gateOf(t, gate.ClosedBook).Check(t.Context(), use, s)
		if v.Reason != want[0] || err != nil {
			t.Errorf("closed book, %s: %q, %v", answer, v.Reason, err)
		}
		v, err = gateOf(t, gate.SolvedAgain).Check(t.Context(), use, s)
		if v.Reason != want[1] || err != nil || v.Agreement == nil || (*v.Agreement == 1) != (answer == "12") {
			t.Errorf("solved again, %s: %+v, %v", answer, v, err)
		}
	}
	s.Material.ID.Category = candidate.Multiple
	v, err := gateOf(t, gate.SolvedAgain).Check(t.Context(), gate.Tools{}, s)
	if !v.NotApplicable || err != nil {
		t.Errorf("a merged question: %+v, %v", v, err)
	}
}

// broken is a model and a judge whose calls fail.
type broken struct{}

var errDown = errors.New("down")

func (broken) Complete(context.Context, qa.Request) (qa.Reply, error) { return qa.Reply{}, errDown }
func (broken) Judge(context.Context, eval.JudgeRequest) (bool, error) { return false, errDown }
func TestFailedCallsAreErrors(t *testing.T) {
	s := subject("single-text", "Why?", "", "because", "eval_reference_answer_with_llm", `{"question": "q", "reference_answer": "because"}`)
	for _, name := range []string{gate.GoldPasses, gate.Mutation, gate.ClosedBook, gate.SolvedAgain} {
		v, err := gateOf(t, name).Check(t.Context(), gate.Tools{Model: broken{}, Judge: broken{}, Solve: 1}, s)
		if !errors.Is(err, errDown) || v.Reason != "" {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
}

func TestSelect(t *testing.T) {
	if list, err := gate.Select([]string{"!" + gate.Mutation}); err != nil || len(list) != len(gate.Names(gate.All()))-1 {
		t.Errorf("%d gates, %v", len(list), err)
	}
	if _, err := gate.Select([]string{"nothing"}); err == nil {
		t.Error("an unknown gate was skipped")
	}
}
