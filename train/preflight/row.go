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
	// Trainer is what the trainer's own loader did with the row, if it was run.
	Trainer *TrainerRow
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
		Chosen   *counts     `json:"chosen,omitempty"`
		Rejected *counts     `json:"rejected,omitempty"`
		Trainer  *TrainerRow `json:"trainer,omitempty"`
	}{
		Row: r.Row, Dataset: r.Dataset, Outcome: r.Outcome, Reasons: r.Reasons,
		Chosen: countsOf(r.Chosen), Rejected: countsOf(r.Rejected), Trainer: r.Trainer,
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
	// Trainer is what the trainer's own loader did with the file, if it was run.
	Trainer *TrainerTotal `json:"trainer,omitempty"`

	// ends counts rows by their end: by that in the trainer's own loader if it has one.
	ends map[Outcome]int
}

// Unclean returns why training should not start with the file: it does not load, or loses rows, or that is not known; ""
// if it may. What the trainer's own loader did counts more than the prediction.
func (t Total) Unclean() string {
	load := t.Load
	if t.Trainer != nil {
		load = t.Trainer.Load
	}
	switch {
	case load == LoadCrash || t.ends[Crash] > 0:
		return "the trainer cannot load the file"
	case load == LoadNotChecked && t.Trainer != nil:
		return "the trainer's libraries did not check the file"
	case load == LoadNotChecked:
		return "it is unknown whether the trainer loads the file"
	case t.ends[Dropped] > 0:
		return "the trainer drops " + terminal.Plural(t.ends[Dropped], "row")
	case t.ends[NotChecked] > 0:
		return terminal.Plural(t.ends[NotChecked], "row") + " not checked"
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
	end := r.Outcome
	if r.Trainer != nil && r.Trainer.Outcome != NotChecked {
		end = r.Trainer.Outcome
		countIf(&t.Trainer.Differ, r.Outcome != end && r.Outcome != NotChecked)
	}
	if t.ends == nil {
		t.ends = make(map[Outcome]int)
	}
	t.ends[end]++
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
