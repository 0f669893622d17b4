package review

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"airqa/extractor/candidate"
	"airqa/qa"
	"airqa/qa/dataset"
)

// Row is an accepted question.
type Row struct {
	Example qa.Example
	Synth   candidate.Synth
	// Answer is the right answer as a respondent gives it; empty for a merged question.
	Answer string
	// Reviews are the earlier decisions about the candidate, oldest first.
	Reviews []candidate.Reviewed
}

// Rows returns the accepted rows of a synthesis in the order of its question file.
func Rows(dir string) ([]Row, error) {
	examples, faults, err := dataset.Load(filepath.Join(dir, candidate.QuestionsFile), nil)
	if err != nil {
		return nil, err
	}
	if len(faults) > 0 {
		return nil, faults[0]
	}
	past, err := readHistory(dir)
	if err != nil {
		return nil, err
	}
	rows := make([]Row, 0, len(examples))
	for _, e := range examples {
		row := Row{Example: e}
		ok := false
		if row.Synth, ok = candidate.SynthOf(e); !ok {
			return nil, fmt.Errorf("question %s has no origin (key %q)", e.UUID, candidate.SynthKey)
		}
		id := row.Synth.Candidate
		row.Reviews, row.Answer = past.reviews[id], past.tracked[id].Answer
		if last := past.last(id); last != nil && last.Texts != nil && last.Texts.Question == e.Question {
			row.Answer = last.Texts.Answer
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// texts returns what a reviewer sees of the row.
func (r Row) texts() candidate.Texts {
	e := r.Example
	return candidate.Texts{Question: e.Question, Answer: r.Answer, AnswerFormat: e.AnswerFormat, Evaluator: e.Evaluator}
}

// history is what the ledger of a synthesis has about reviews, by candidate.
type history struct {
	// tracked are the tracker's latest texts.
	tracked map[string]candidate.Texts
	reviews map[string][]candidate.Reviewed
	// lines have the identities of candidates.
	lines map[string]candidate.Line
}

func readHistory(dir string) (history, error) {
	h := history{map[string]candidate.Texts{}, map[string][]candidate.Reviewed{}, map[string]candidate.Line{}}
	for line, err := range candidate.Lines(dir) {
		if err != nil {
			return h, err
		}
		switch {
		case line.Stage == candidate.Track && line.Data != nil:
			var texts candidate.Texts
			err = json.Unmarshal(line.Data, &texts)
			h.tracked[line.Candidate] = texts
			h.lines[line.Candidate] = line.Identity()
		case line.Stage == candidate.Review:
			var r candidate.Reviewed
			err = json.Unmarshal(line.Data, &r)
			h.reviews[line.Candidate] = append(h.reviews[line.Candidate], r)
		}
		if err != nil {
			return h, fmt.Errorf("%s of %s: %w", line.Stage, line.Candidate, err)
		}
	}
	return h, nil
}

// last returns the latest review of a candidate, or nil.
func (h history) last(id string) *candidate.Reviewed {
	all := h.reviews[id]
	if len(all) == 0 {
		return nil
	}
	return &all[len(all)-1]
}

// Sample draws n rows, the same ones for the same seed: from each category in proportion to its rows, and at least one.
// Rows with a review come last.
func Sample(rows []Row, n int, seed uint64) []Row {
	groups := map[candidate.Category][]Row{}
	for _, r := range rows {
		groups[r.Synth.Category] = append(groups[r.Synth.Category], r)
	}
	rank := func(r Row) string {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", seed, r.Synth.Candidate))
		return fmt.Sprintf("%t %x", len(r.Reviews) > 0, sum)
	}
	chosen := map[string]bool{}
	for category, share := range shares(groups, min(n, len(rows))) {
		group := slices.Clone(groups[category])
		slices.SortFunc(group, func(a, b Row) int {
			if rank(a) < rank(b) {
				return -1
			}
			return 1
		})
		for _, r := range group[:share] {
			chosen[r.Synth.Candidate] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return !chosen[r.Synth.Candidate] })
}

// shares distributes n over categories: one each as long as it lasts, then by the largest remaining fraction.
func shares(groups map[candidate.Category][]Row, n int) map[candidate.Category]int {
	share := map[candidate.Category]int{}
	total := 0
	for _, group := range groups {
		total += len(group)
	}
	for range n {
		best, need := candidate.Category(""), 0.0
		for _, c := range candidate.Categories() {
			size := len(groups[c])
			if share[c] >= size {
				continue
			}
			lacks := float64(size)*float64(n)/float64(total) - float64(share[c])
			if share[c] == 0 {
				lacks += float64(n)
			}
			if best == "" || lacks > need {
				best, need = c, lacks
			}
		}
		share[best]++
	}
	return share
}
