package extractor

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"airqa/extractor/candidate"
	"airqa/extractor/syndir"
	"airqa/extractor/track"
	"airqa/qa/dataset"
)

// TextsOf returns what a reviewer can change of a tracked question.
func TextsOf(t track.Tracked) candidate.Texts {
	return candidate.Texts{Question: t.Question, Answer: t.Answer, AnswerFormat: t.AnswerFormat, Evaluator: t.Evaluator}
}

// reviewed applies a reviewer's decision to the tracker's texts; a non-nil result ends the candidate. A decision about
// other texts than the present ones is void.
func (w *work) reviewed() (*Result, error) {
	line, ok, err := w.c.Ledger.Get(w.identity.Candidate, candidate.Review)
	if err != nil || !ok {
		return nil, err
	}
	var r candidate.Reviewed
	if err := json.Unmarshal(line.Data, &r); err != nil {
		return nil, fmt.Errorf("read the review: %w", err)
	}
	switch {
	case r.Base != TextsOf(w.tracked).Hash():
		return nil, nil
	case r.Decision == candidate.Reject:
		return &Result{Outcome: candidate.Rejected, Reason: candidate.ByReviewer, Detail: r.Note, Line: w.identity}, nil
	case r.Texts != nil:
		t := r.Texts
		w.tracked = track.Tracked{Question: t.Question, Answer: t.Answer, AnswerFormat: t.AnswerFormat, Evaluator: t.Evaluator}
	}
	w.synth.Reviewed = r.Decision
	return nil, nil
}

// decided returns the recorded decision about a candidate when only reviews are applied and it has none; false if its
// stages have to run.
func (p *Pipeline) decided(id candidate.ID) (r Result, ok bool, err error) {
	if !p.c.ReviewOnly {
		return r, false, nil
	}
	if _, reviewed, err := p.c.Ledger.Get(id.String(), candidate.Review); err != nil || reviewed {
		return r, false, err
	}
	line, ok, err := p.c.Ledger.Get(id.String(), candidate.Accept)
	if err != nil || !ok {
		return r, false, err
	}
	r = Result{Outcome: line.Outcome, Reason: line.Reason, Detail: line.Detail, Line: bare(line)}
	if line.Outcome != candidate.Accepted {
		return r, true, nil
	}
	row, faults, usable := dataset.Decode(line.Data)
	if !usable {
		return r, false, errors.New("read an accepted row: " + fmt.Sprint(faults))
	}
	r.Outcome, r.Row = candidate.Done, &row
	return r, true, nil
}

// known limits quotas to the candidates that have been decided.
func known(dir string, quotas []syndir.Quota) ([]syndir.Quota, error) {
	states, err := syndir.States(dir)
	if err != nil {
		return nil, err
	}
	limited := make([]syndir.Quota, len(quotas))
	for i, q := range quotas {
		most := 0
		for most < q.Most {
			s, ok := states[candidate.ID{Category: q.Category, Index: most}.String()]
			if !ok || s.Outcome == candidate.Pending {
				break
			}
			most++
		}
		limited[i] = syndir.Quota{Category: q.Category, Count: q.Count, Most: most}
	}
	return limited, nil
}

// noLimit is the number of consecutive failures that end a schedule which makes nothing new.
const noLimit = math.MaxInt
