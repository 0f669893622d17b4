package author

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"airqa/eval"
	"airqa/internal/lazyregexp"
	"airqa/internal/python"
	"airqa/qa"
)

// Draft is a question as a person states it. Question is required.
type Draft struct {
	Question string `placeholder:"TEXT" help:"The question. On a terminal, airqa asks for missing values."`
	// Answer is the gold answer: a text, or a list or dictionary as JSON or Python. Lists may also be separated by line ends,
	// semicolons or commas.
	Answer string `placeholder:"TEXT" help:"Gold answer; list items are separated by semicolons, or as JSON."`
	// Kind is the type of the answer; empty is [Auto].
	Kind Kind `kong:"-"`
	// Points must be mentioned in addition to the answer; only for [Text].
	Points []string `name:"point" sep:"none" placeholder:"TEXT" help:"Statement that the answer must make, for the types text and points. Repeatable."`
	// Count is the number of right elements that suffice, for [Some] and [Points]; 0 is the default.
	Count int `placeholder:"N" help:"Minimum number of right elements or points, for the types some and points."`
	// Decimals are the digits behind the point that count; nil takes those of the answer.
	Decimals *int `placeholder:"N" help:"Decimal places that are compared. Default: as many as the answer has."`
	// Format is the answer format shown to the model; empty is the one of the kind.
	Format string `name:"answer-format" placeholder:"TEXT" help:"Answer format shown to the model. Default: depends on the type."`
	// Papers and References are UUIDs: of the papers that the question names, and of others that the answer needs.
	Papers     []string `kong:"-"`
	References []string `kong:"-"`
	// Find returns the paper that an answer names; may be nil.
	Find Finder `kong:"-"`
	// Conferences are venues with a year, such as acl2023.
	Conferences []string `name:"conference" placeholder:"VENUE" help:"Venues that a question without papers searches, such as acl2023."`
	// Tags replace those of the same family: question type, elements, evaluation.
	Tags []string `name:"tag" placeholder:"TAG" help:"Tags: question type, elements such as table, and evaluation type. Default: inferred from papers and answer."`
	UUID string   `name:"uuid" placeholder:"UUID" help:"Id of the question. Default: derived from its text."`
	// Evaluator replaces the one of the kind if its Func is set.
	Evaluator qa.Evaluator `kong:"-"`
}

// Written is a question that is ready to be scored.
type Written struct {
	qa.Example
	// Kind is the type of the answer; Guessed is true if it was chosen by [Guess].
	Kind    Kind
	Guessed bool
	// Notes are what was read differently from how it was written.
	Notes []string
}

// Write makes a question of the draft and checks that its own answer is right in both scoring modes.
func (d Draft) Write() (Written, error) {
	d.Question, d.Answer = strings.TrimSpace(d.Question), strings.TrimSpace(d.Answer)
	if d.Question == "" {
		return Written{}, errors.New("the question is empty")
	}
	w := Written{Kind: cmp.Or(d.Kind, Auto)}
	w.UUID = cmp.Or(d.UUID, qa.QuestionUUID(d.Question))
	w.Question, w.AnchorPDF, w.ReferencePDF, w.Conference = d.Question, listed(d.Papers), listed(d.References), listed(d.Conferences)
	if err := w.choose(d); err != nil {
		return w, err
	}
	w.Tags = w.tags(d)
	var all []error
	for _, f := range eval.Lint(context.Background(), w.Example) {
		if f.Severity == eval.Error {
			all = append(all, errors.New(f.Text))
		} else {
			w.Notes = append(w.Notes, f.Text)
		}
	}
	return w, errors.Join(all...)
}

// choose sets evaluator and answer format.
func (w *Written) choose(d Draft) error {
	if d.Evaluator.Func != "" {
		w.Evaluator, w.AnswerFormat, w.Kind = d.Evaluator, d.Format, ""
		return nil
	}
	if w.Kind == Auto {
		w.Kind, w.Guessed = Guess(d.Answer), true
	}
	if w.Kind == None {
		w.AnswerFormat = d.Format
		return nil
	}
	r, err := d.rule(w.Kind)
	if err != nil {
		return err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(python.JSON(r.dict()))); err != nil { // Python's json keeps 3 and 3.0 apart
		return err
	}
	w.Evaluator = qa.Evaluator{Func: r.function, Kwargs: compact.Bytes()}
	w.AnswerFormat, w.Notes = cmp.Or(d.Format, r.format), r.notes
	if text := doubtful(d.Answer, w.Kind); w.Guessed && text != "" {
		w.Notes = append(w.Notes, text)
	}
	return nil
}

// leadingZero matches a number that may be a code.
var leadingZero = lazyregexp.New(`^\s*[-+−]?0[0-9]`)

// doubtful warns of a type that was chosen although the answer may be of another one.
func doubtful(answer string, k Kind) string {
	switch {
	case k == Number && leadingZero.MatchString(answer):
		return fmt.Sprintf("%q is read as a number, without its zeros: the type %s keeps them", answer, String)
	case k == String && strings.Contains(answer, ","):
		return fmt.Sprintf("%q is one text: the types %s and %s make it several values", answer, Set, List)
	}
	return ""
}

// tags are those of the draft, with a default for each family that it leaves out.
func (w *Written) tags(d Draft) []string {
	element := "text"
	if w.Kind == Formula {
		element = "formula"
	}
	defaults := []string{w.questionType(), element, eval.Tag(w.Evaluator)}
	if w.Evaluator.Func == "" {
		defaults = defaults[:2]
	}
	given := listed(d.Tags)
	var all []string // by family, then the tags of none
	for i, family := range [][]string{qa.TypeTags, qa.ElementTags, qa.EvaluationTags} {
		other := func(tag string) bool { return !slices.Contains(family, tag) }
		own := slices.DeleteFunc(slices.Clone(given), other)
		if len(own) == 0 && i < len(defaults) {
			own = defaults[i : i+1]
		}
		all = append(all, own...)
		given = slices.DeleteFunc(given, func(tag string) bool { return !other(tag) })
	}
	return append(all, given...)
}

func (w *Written) questionType() string {
	switch n := len(w.Papers()); {
	case n == 1 && len(w.AnchorPDF) == 1:
		return "single"
	case n > 0:
		return "multiple"
	case w.Kind == Paper || w.Kind == PaperUUID:
		return "retrieval"
	}
	return "comprehensive"
}

// listed is a list without empty and duplicate elements; empty rather than nil, as files have it.
func listed(list []string) []string {
	out := []string{}
	for _, s := range list {
		if s = strings.TrimSpace(s); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// Describe is the evaluator in one line.
func (w *Written) Describe() string {
	if w.Evaluator.Func == "" {
		return "none: answers stay unscored"
	}
	return fmt.Sprintf("%s %s", w.Evaluator.Func, w.Evaluator.Kwargs)
}
