// Package preflight checks a file of training data before training: each row is read by the codec of its format, and its
// tokens are counted against a limit. The markup that a chat template adds is an upper bound. Everything else is known to the
// trainer alone; [Dataset.RunTrainer] runs its own loader.
//
// Start from [Open] and [Dataset.Rows] for files, or from [New] and [Counter.Measure] for one conversation.
package preflight

import (
	"airqa/internal/terminal"
	"airqa/train/format"
)

// Trainer names a program that trains on a file.
type Trainer string

// Trainers.
const (
	LLaMAFactory Trainer = "llamafactory"
	TRL          Trainer = "trl"
	OpenAI       Trainer = "openai"
)

// Outcome is the result of a check of a row.
type Outcome string

// Outcomes.
const (
	OK         Outcome = "ok"
	TooLong    Outcome = "too_long" // it has more tokens than the limit
	Wrong      Outcome = "wrong"    // its format does not allow it
	NotChecked Outcome = "not_checked"
)

// Row is the result for one row.
type Row struct {
	Row int `json:"row"` // from 0, over all files
	// File and Line are its place, the line from 1. In JSON other than lines, rows count.
	File    string        `json:"file"`
	Line    int           `json:"line"`
	Format  format.Format `json:"format,omitempty"`
	Outcome Outcome       `json:"outcome"`
	Reason  string        `json:"reason,omitempty"`
	*Size
	// Trainer is what the trainer's own loader did with the row, if it was run.
	Trainer *TrainerRow `json:"trainer,omitempty"`
}

// Total is the result for all rows.
type Total struct {
	Rows       int `json:"rows"`
	OK         int `json:"ok"`
	TooLong    int `json:"too_long"`
	Wrong      int `json:"wrong"`
	NotChecked int `json:"not_checked"`
	// Tokens and Trained are sums, Longest is the size of the longest row.
	Tokens  int `json:"tokens"`
	Trained int `json:"trained"`
	Longest int `json:"longest"`
	// CutoffLen is 0 without a limit.
	CutoffLen int    `json:"cutoff_len,omitempty"`
	Template  string `json:"template"`
	// Vocabulary is the size of the vocabulary for which tokens were estimated; 0 if they were counted.
	Vocabulary int `json:"vocabulary,omitempty"`
	// Trainer is what the trainer's own loader did with each file, if it was run.
	Trainer []*TrainerTotal `json:"trainer,omitempty"`
}

// Unclean returns why training should not start with the files; "" if it may.
func (t Total) Unclean() string {
	for _, run := range t.Trainer {
		switch {
		case run.Load == LoadCrash || run.Crash > 0:
			return "the trainer cannot load " + run.File
		case run.Load == LoadNotChecked:
			return "the trainer's libraries did not check " + run.File
		case run.Dropped > 0:
			return "the trainer drops " + terminal.Plural(run.Dropped, "row") + " of " + run.File
		}
	}
	switch {
	case t.Wrong > 0:
		return terminal.Plural(t.Wrong, "wrong row")
	case t.TooLong > 0:
		return terminal.Plural(t.TooLong, "row") + " longer than the limit"
	case t.NotChecked > 0 && t.Trainer == nil:
		return terminal.Plural(t.NotChecked, "row") + " not checked"
	}
	return ""
}
