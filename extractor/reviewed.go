package extractor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"airqa/extractor/candidate"
	"airqa/extractor/explore"
	"airqa/qa/dataset"
)

// TextsOf returns what a reviewer can change of a tracked question.
func TextsOf(t explore.Tracked) candidate.Texts {
	return candidate.Texts{Question: t.Question, Answer: t.Answer, AnswerFormat: t.AnswerFormat, Evaluator: t.Evaluator}
}

// applyReview applies a reviewer's decision to the tracker's texts. A decision about other texts than the present ones is
// void.
func (w *work) applyReview(context.Context) ([]candidate.Line, error) {
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
		return []candidate.Line{w.ended(candidate.Rejected, candidate.ByReviewer, r.Note)}, nil
	case r.Texts != nil:
		t := r.Texts
		w.tracked = explore.Tracked{Question: t.Question, Answer: t.Answer, AnswerFormat: t.AnswerFormat, Evaluator: t.Evaluator}
	}
	w.synth.Reviewed = r.Decision
	return nil, nil
}

// recordedDecision returns the recorded decision about a candidate when only reviews are applied and it has none; false if
// its steps have to run.
func (p *Pipeline) recordedDecision(id candidate.ID) (r result, ok bool, err error) {
	if !p.c.ReviewOnly {
		return r, false, nil
	}
	if _, reviewed, err := p.c.Ledger.Get(id.String(), candidate.Review); err != nil || reviewed {
		return r, false, err
	}
	r.Line, ok, err = p.c.Ledger.Get(id.String(), candidate.Accept)
	if err != nil || !ok || r.Outcome != candidate.Accepted {
		return r, ok, err
	}
	row, faults, usable := dataset.Decode(r.Data)
	if !usable {
		return r, false, errors.New("read an accepted row: " + fmt.Sprint(faults))
	}
	r.Outcome, r.row = candidate.Done, &row
	return r, true, nil
}

// limitToDecided limits quotas to the candidates that have been decided.
func limitToDecided(dir string, quotas []candidate.Quota) ([]candidate.Quota, error) {
	history, err := candidate.ReadHistory(dir)
	if err != nil {
		return nil, err
	}
	states := history.States()
	limited := make([]candidate.Quota, len(quotas))
	for i, q := range quotas {
		most := 0
		for most < q.Most {
			s, ok := states[candidate.ID{Category: q.Category, Index: most}.String()]
			if !ok || s.Outcome == candidate.Pending {
				break
			}
			most++
		}
		limited[i] = candidate.Quota{Category: q.Category, Count: q.Count, Most: most}
	}
	return limited, nil
}
