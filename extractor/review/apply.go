package review

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"airqa/agent/action"
	"airqa/eval"
	"airqa/extractor/candidate"
)

// Applied counts the entries of a review file.
type Applied struct {
	Decisions
	// Open entries have no decision, Unchanged ones are in the ledger already.
	Open      int `json:"open"`
	Unchanged int `json:"unchanged"`
}

// Record checks a review file against a synthesis and adds its decisions to the ledger. Nothing is added if an entry is
// faulty; the error lists all of them. reviewer is the name for entries without one, now the time of those without one.
// A pipeline that runs with ReviewOnly then applies the decisions.
func Record(dir string, l *candidate.Ledger, entries []Entry, reviewer string, now time.Time) (Applied, error) {
	var a Applied
	past, err := readHistory(dir)
	if err != nil {
		return a, err
	}
	var lines []candidate.Line
	var faults []error
	for _, e := range entries {
		if e.Decision == "" {
			a.Open++
			continue
		}
		if e.Reviewer == "" {
			e.Reviewer = reviewer
		}
		if e.Time.IsZero() {
			e.Time = now.UTC()
		}
		r, err := past.decide(e)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", e.Candidate, err))
			continue
		}
		if last := past.last(e.Candidate); last != nil && sameDecision(*last, r) {
			a.Unchanged++
			continue
		}
		a.count(r.Decision)
		line, err := past.line(e, r)
		if err != nil {
			return a, err
		}
		lines = append(lines, line)
	}
	if len(faults) > 0 {
		return Applied{}, errors.Join(faults...)
	}
	return a, l.Add(lines...)
}

// sameDecision reports whether a decision was made before by the same person. Its time does not matter.
func sameDecision(a, b candidate.Reviewed) bool {
	hash := func(t *candidate.Texts) string {
		if t == nil {
			return ""
		}
		return t.Hash()
	}
	return a.Decision == b.Decision && a.Reviewer == b.Reviewer && a.Note == b.Note && a.Base == b.Base && hash(a.Texts) == hash(b.Texts)
}

// ErrNoReviewer is returned for a decision that names no reviewer.
var ErrNoReviewer = errors.New("the reviewer's name is missing")

// decide checks an entry and makes the review of it.
func (h history) decide(e Entry) (candidate.Reviewed, error) {
	r := candidate.Reviewed{
		Decision: e.Decision, Reviewer: strings.TrimSpace(e.Reviewer), Time: e.Time, Note: strings.TrimSpace(e.Note), Row: e.Row,
	}
	base, tracked := h.tracked[e.Candidate]
	seen, ok := h.seen(e)
	switch {
	case !tracked:
		return r, errors.New("there is no such candidate")
	case !ok:
		return r, errors.New("the question has changed since this review was written; write the review again")
	case r.Reviewer == "":
		return r, ErrNoReviewer
	}
	r.Base = base.Hash()
	changed := e.Hash() != e.Row
	switch {
	case e.Decision == candidate.Fix && changed:
		fixed, err := fixed(e.Texts, seen)
		r.Texts = &fixed
		return r, err
	case e.Decision == candidate.Fix:
		return r, errors.New(`the decision is "fix", but nothing differs`)
	case e.Decision == candidate.Keep && changed:
		return r, errors.New(`the decision is "accept", but the question differs: write "fix"`)
	case r.Row != r.Base:
		r.Texts = &seen // an earlier fix
	}
	return r, nil
}

// seen returns the texts that the reviewer saw: the tracker's, or those of a review. ok is false if there are none such.
func (h history) seen(e Entry) (texts candidate.Texts, ok bool) {
	versions := []candidate.Texts{h.tracked[e.Candidate]}
	for _, r := range h.reviews[e.Candidate] {
		if r.Texts != nil && r.Base == versions[0].Hash() {
			versions = append(versions, *r.Texts)
		}
	}
	i := slices.IndexFunc(versions, func(t candidate.Texts) bool { return t.Hash() == e.Row })
	if i < 0 {
		return texts, false
	}
	return versions[i], true
}

// fixed returns edited texts in their final form. A question that is also an argument of the evaluator changes there too.
func fixed(t, before candidate.Texts) (candidate.Texts, error) {
	t.Question, t.Answer, t.AnswerFormat = action.OneLine(t.Question), strings.TrimSpace(t.Answer), action.OneLine(t.AnswerFormat)
	var kwargs map[string]json.RawMessage // numbers keep their form
	if err := json.Unmarshal(t.Evaluator.Kwargs, &kwargs); err != nil {
		return t, fmt.Errorf("the arguments of the evaluator: %w", err)
	}
	var asked string
	if json.Unmarshal(kwargs["question"], &asked) == nil && asked == before.Question {
		var err error
		if kwargs["question"], err = json.Marshal(t.Question); err != nil {
			return t, err
		}
	}
	var err error
	if t.Evaluator.Kwargs, err = json.Marshal(kwargs); err != nil {
		return t, err
	}
	if faults := eval.Check(t.Evaluator); len(faults) > 0 {
		return t, errors.New(strings.Join(faults, "; "))
	}
	return t, nil
}

// line is the review as a line of the ledger.
func (h history) line(e Entry, r candidate.Reviewed) (candidate.Line, error) {
	line := h.lines[e.Candidate]
	line.Stage, line.Reason, line.Detail = candidate.Review, "", r.Note
	line.Outcome = map[candidate.Decision]candidate.Outcome{
		candidate.Keep: candidate.Accepted, candidate.Fix: candidate.Done, candidate.Reject: candidate.Rejected,
	}[r.Decision]
	if r.Decision == candidate.Reject {
		line.Reason = candidate.ByReviewer
	}
	var err error
	line.Data, err = json.Marshal(r)
	return line, err
}
