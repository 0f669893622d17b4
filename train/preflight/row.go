package preflight

import (
	"encoding/json"
	"errors"

	"airqa/internal/terminal"
	"airqa/train/preflight/rows"
)

// Row is the prediction for one row of a file. Its numbers are those of the chosen answer if it is a pair.
type Row struct {
	Row int // from 0
	// Dataset is set for a data set for evaluation.
	Dataset string
	Verdict
	Chosen, Rejected *Verdict
	// Images reports whether the row has images, of which none may be cut.
	Images bool
}

// counts are the numbers of a kept row.
type counts struct {
	Tokens      int  `json:"tokens"`
	Trained     int  `json:"trained"`
	Cut         int  `json:"cut"`
	HeadWhole   bool `json:"head_whole"`
	TargetWhole bool `json:"target_whole"`
}

func countsOf(v *Verdict) *counts {
	if v == nil {
		return nil
	}
	return &counts{v.Tokens, v.Trained, v.Cut, v.HeadWhole, v.TargetWhole}
}

// MarshalJSON writes the numbers of kept rows alone.
func (r Row) MarshalJSON() ([]byte, error) {
	line := struct {
		Row     int      `json:"row"`
		Dataset string   `json:"dataset,omitempty"`
		Outcome Outcome  `json:"outcome"`
		Reasons []string `json:"reasons"`
		*counts
		Chosen   *counts `json:"chosen,omitempty"`
		Rejected *counts `json:"rejected,omitempty"`
	}{
		Row: r.Row, Dataset: r.Dataset, Outcome: r.Outcome, Reasons: r.Reasons,
		Chosen: countsOf(r.Chosen), Rejected: countsOf(r.Rejected),
	}
	if r.Outcome == Kept {
		line.counts = countsOf(&r.Verdict)
	}
	return json.Marshal(line)
}

// Load is what becomes of a file as a whole.
type Load string

// Loads.
const (
	LoadOK         Load = "ok"
	LoadCrash      Load = "crash"
	LoadNotChecked Load = "not_checked"
)

// Total is the prediction for a file.
type Total struct {
	Load Load `json:"load"`
	// Error is the reason of a crash, or why the file is not checked.
	Error *string `json:"error"`
	// Rows is the number of rows of the file if it can be read, TrainerRows of those that the trainer gets: packed rows if
	// packing is on, nil after a crash.
	Rows        int  `json:"rows"`
	TrainerRows *int `json:"trainer_rows"`
	Kept        int  `json:"kept"`
	Dropped     int  `json:"dropped"`
	Crash       int  `json:"crash"`
	NotChecked  int  `json:"not_checked,omitempty"`
	Tokens      int  `json:"tokens"`
	Trained     int  `json:"trained"`
	CutRows     int  `json:"cut_rows"`
	CutTokens   int  `json:"cut_tokens"`
	HeadLost    int  `json:"head_lost"`
	TargetLost  int  `json:"target_lost"`
	// CutImages is the number of cut rows with images: they stop the training step.
	CutImages int `json:"cut_images,omitempty"`
	// EndUntrained is why the token that ends a turn is not trained; empty if it is.
	EndUntrained string `json:"end_untrained,omitempty"`
	// Dataset is set for a data set for evaluation.
	Dataset string `json:"dataset,omitempty"`
	// Estimated reports whether tokens were counted without the model's tokenizer.
	Estimated bool `json:"estimated,omitempty"`
}

// Unclean returns why training should not start with the file: it does not load, or loses rows, or that is not known; ""
// if it may.
func (t Total) Unclean() string {
	switch {
	case t.Load == LoadCrash:
		return "the trainer cannot load the file"
	case t.Load == LoadNotChecked:
		return "it is not known whether the trainer loads the file"
	case t.Dropped > 0:
		return "the trainer drops " + terminal.Plural(t.Dropped, "row")
	}
	return ""
}

// fail notes why the file does not load, or why it is not checked. A crash counts more.
func (t *Total) fail(err error) {
	load := LoadCrash
	if unknown := rows.NotChecked(""); errors.As(err, &unknown) {
		load = LoadNotChecked
	}
	if t.Error == nil || t.Load == LoadNotChecked && load == LoadCrash {
		text := err.Error()
		t.Load, t.Error = load, &text
	}
	t.TrainerRows = nil
}

func (t *Total) add(r Row) {
	switch r.Outcome {
	case Dropped:
		t.Dropped++
		return
	case Crash:
		t.Crash++
		return
	case NotChecked:
		t.NotChecked++
		return
	}
	t.Kept++
	t.Tokens += r.Tokens
	t.Trained += r.Trained
	t.CutTokens += r.Cut
	countIf(&t.CutRows, r.Cut > 0)
	countIf(&t.HeadLost, !r.HeadWhole)
	countIf(&t.TargetLost, !r.TargetWhole)
	countIf(&t.CutImages, r.Cut > 0 && r.Images)
}

func countIf(n *int, yes bool) {
	if yes {
		*n++
	}
}
