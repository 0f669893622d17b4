package review_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/extractor/candidate"
	"airqa/extractor/review"
	"airqa/internal/stats"
)

var now = time.Date(2031, 5, 1, 12, 0, 0, 0, time.UTC)

// record applies entries to the ledger of a directory.
func record(t *testing.T, dir string, entries ...review.Entry) (review.Applied, error) {
	t.Helper()
	l, err := candidate.OpenLedger(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return review.Record(dir, l, entries, "Ada", now)
}

// entry decides about question n.
func entry(c candidate.Category, n int, d candidate.Decision) review.Entry {
	return review.Entry{
		Candidate: candidate.ID{Category: c, Index: n}.String(), Category: c, Row: texts(c, n).Hash(), Decision: d, Texts: texts(c, n),
	}
}

// reviews are the reviews in a ledger, with their outcomes.
func reviews(t *testing.T, dir string) (all []candidate.Reviewed, outcomes []candidate.Outcome) {
	t.Helper()
	for line, err := range candidate.Lines(dir) {
		if err != nil {
			t.Fatal(err)
		}
		if line.Stage != candidate.Review {
			continue
		}
		var r candidate.Reviewed
		if err := json.Unmarshal(line.Data, &r); err != nil {
			t.Fatal(err)
		}
		all, outcomes = append(all, r), append(outcomes, line.Outcome)
	}
	return all, outcomes
}

func TestRecord(t *testing.T) {
	dir := synthesis(t, row("single-table", 0), row("single-table", 1), row("single-table", 2), row("single-table", 3))
	fix := entry("single-table", 1, candidate.Fix)
	fix.Question, fix.Evaluator.Kwargs = " What is\n <one>? ", json.RawMessage(`{ "gold": 1.50, "ndigits": 2 }`)
	fix.Reviewer, fix.Time = "Bob", now.Add(-time.Hour)
	reject := entry("single-table", 2, candidate.Reject)
	reject.Note = " wrong "
	entries := []review.Entry{entry("single-table", 0, candidate.Keep), fix, reject, entry("single-table", 3, "")}
	got, err := record(t, dir, entries...)
	if diff := cmp.Diff(review.Applied{Decisions: review.Decisions{Accepted: 1, Fixed: 1, Rejected: 1}, Open: 1}, got); diff != "" || err != nil {
		t.Fatalf("applied (-want +got):\n%s%v", diff, err)
	}
	fixed := texts("single-table", 1)
	fixed.Question, fixed.Evaluator.Kwargs = "What is <one>?", json.RawMessage(`{"gold":1.50,"ndigits":2}`)
	hash := func(n int) string { return texts("single-table", n).Hash() }
	want := []candidate.Reviewed{
		{Decision: candidate.Keep, Reviewer: "Ada", Time: now, Row: hash(0), Base: hash(0)},
		{Decision: candidate.Fix, Reviewer: "Bob", Time: now.Add(-time.Hour), Row: hash(1), Base: hash(1), Texts: &fixed},
		{Decision: candidate.Reject, Reviewer: "Ada", Time: now, Note: "wrong", Row: hash(2), Base: hash(2)},
	}
	all, outcomes := reviews(t, dir)
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("reviews (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]candidate.Outcome{candidate.Accepted, candidate.Done, candidate.Rejected}, outcomes); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	if again, err := record(t, dir, entries...); again.Unchanged != 3 || err != nil {
		t.Errorf("the same file again: %+v, %v", again, err)
	}

	// A second person accepts the fixed question: it stays as fixed.
	keep := review.Entry{Candidate: "single-table-1", Row: fixed.Hash(), Decision: candidate.Keep, Texts: fixed}
	if _, err := record(t, dir, keep); err != nil {
		t.Fatal(err)
	}
	all, _ = reviews(t, dir)
	last := candidate.Reviewed{Decision: candidate.Keep, Reviewer: "Ada", Time: now, Row: fixed.Hash(), Base: hash(1), Texts: &fixed}
	if diff := cmp.Diff(last, all[len(all)-1]); diff != "" {
		t.Errorf("second review (-want +got):\n%s", diff)
	}

	s, err := review.Summarize(dir)
	if err != nil {
		t.Fatal(err)
	}
	summary := review.Summary{
		Reviewed: 3, Decisions: review.Decisions{Accepted: 2, Rejected: 1}, Agreement: 2.0 / 3, Interval: stats.Wilson(2, 3, 0.95), Twice: 1,
		Reviewers: []review.Reviewer{
			{Name: "Ada", Reviewed: 3, Accepted: 2, First: now, Last: now},
			{Name: "Bob", Reviewed: 1, First: now.Add(-time.Hour), Last: now.Add(-time.Hour)},
		},
	}
	if diff := cmp.Diff(summary, s); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
}

// TestFixedQuestionInTheEvaluator changes the question, which is an argument of the evaluator too.
func TestFixedQuestionInTheEvaluator(t *testing.T) {
	r := row("single-text", 0)
	r.Example.Evaluator.Func = "eval_reference_answer_with_llm"
	r.Example.Evaluator.Kwargs = json.RawMessage(`{"question":"What is single-text 0?","reference_answer":"<0>"}`)
	dir := synthesis(t, r)
	e := review.Entry{Candidate: "single-text-0", Decision: candidate.Fix, Texts: candidate.Texts{
		Question: r.Example.Question, Answer: r.Answer, AnswerFormat: r.Example.AnswerFormat, Evaluator: r.Example.Evaluator,
	}}
	e.Row = e.Hash()
	e.Question = "What is it?"
	if _, err := record(t, dir, e); err != nil {
		t.Fatal(err)
	}
	all, _ := reviews(t, dir)
	if got := string(all[0].Texts.Evaluator.Kwargs); !strings.Contains(got, `"question":"What is it?"`) {
		t.Errorf("arguments %s", got)
	}
}

func TestRecordFaults(t *testing.T) {
	dir := synthesis(t, row("single-table", 0))
	edit := func(d candidate.Decision, change func(*review.Entry)) review.Entry {
		e := entry("single-table", 0, d)
		change(&e)
		return e
	}
	tests := []struct {
		name  string
		entry review.Entry
		want  string
	}{
		{"another candidate", entry("single-table", 7, candidate.Keep), "single-table-7: there is no such candidate"},
		{"another question", edit(candidate.Keep, func(e *review.Entry) { e.Row = "0" }), "the question has changed since this review was written"},
		{"an accepted edit", edit(candidate.Keep, func(e *review.Entry) { e.Answer = "2" }), `the decision is "accept", but the question differs: write "fix"`},
		{"a fix of nothing", edit(candidate.Fix, func(e *review.Entry) { e.Answer += " " }), `the decision is "fix", but nothing differs`},
		{"no arguments", edit(candidate.Fix, func(e *review.Entry) { e.Evaluator.Kwargs = json.RawMessage(`[1]`) }), "the arguments of the evaluator"},
		{"unknown function", edit(candidate.Fix, func(e *review.Entry) { e.Evaluator.Func = "eval_x" }), "eval_x"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			applied, err := record(t, dir, entry("single-table", 0, candidate.Reject), test.entry)
			if err == nil || !strings.Contains(err.Error(), test.want) || applied != (review.Applied{}) {
				t.Errorf("applied %+v, error %v, want %s", applied, err, test.want)
			}
			if all, _ := reviews(t, dir); len(all) > 0 {
				t.Errorf("recorded %+v", all)
			}
		})
	}
	l, err := candidate.OpenLedger(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if _, err := review.Record(dir, l, []review.Entry{entry("single-table", 0, candidate.Keep)}, "", now); err == nil ||
		!strings.Contains(err.Error(), "the reviewer's name is missing") {
		t.Errorf("no name: %v", err)
	}
}
