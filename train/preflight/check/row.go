package check

import (
	"encoding/json"

	"airqa/train/preflight"
)

// Row is the prediction for one row of a file. Its numbers are those of the chosen answer if it is a pair.
type Row struct {
	Row int // from 0
	// Dataset is set for a data set for evaluation.
	Dataset string
	preflight.Verdict
	Chosen, Rejected *preflight.Verdict
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

func countsOf(v *preflight.Verdict) *counts {
	if v == nil {
		return nil
	}
	return &counts{v.Tokens, v.Trained, v.Cut, v.HeadWhole, v.TargetWhole}
}

// MarshalJSON writes the numbers of kept rows alone.
func (r Row) MarshalJSON() ([]byte, error) {
	line := struct {
		Row     int               `json:"row"`
		Dataset string            `json:"dataset,omitempty"`
		Outcome preflight.Outcome `json:"outcome"`
		Reasons []string          `json:"reasons"`
		*counts
		Chosen   *counts `json:"chosen,omitempty"`
		Rejected *counts `json:"rejected,omitempty"`
	}{Row: r.Row, Dataset: r.Dataset, Outcome: r.Outcome, Reasons: r.Reasons, Chosen: countsOf(r.Chosen), Rejected: countsOf(r.Rejected)}
	if r.Outcome == preflight.Kept {
		line.counts = countsOf(&r.Verdict)
	}
	return json.Marshal(line)
}

// Total is the prediction for a file.
type Total struct {
	// Load is "ok" or "crash"; Error is the reason.
	Load  string  `json:"load"`
	Error *string `json:"error"`
	// Rows is the number of rows of the file if it can be read, TrainerRows of those that the trainer gets: packed rows if
	// packing is on, nil after a crash.
	Rows        int  `json:"rows"`
	TrainerRows *int `json:"trainer_rows"`
	Kept        int  `json:"kept"`
	Dropped     int  `json:"dropped"`
	Crash       int  `json:"crash"`
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

// Clean reports whether the file loads and no row is dropped.
func (t Total) Clean() bool { return t.Load == "ok" && t.Dropped == 0 }

func (t *Total) fail(err error) {
	t.Load, t.TrainerRows = "crash", nil
	if t.Error == nil {
		text := err.Error()
		t.Error = &text
	}
}

func (t *Total) add(r Row) {
	switch r.Outcome {
	case preflight.Dropped:
		t.Dropped++
		return
	case preflight.Crash:
		t.Crash++
		return
	}
	t.Kept++
	t.Tokens += r.Tokens
	t.Trained += r.Trained
	t.CutTokens += r.Cut
	t.CutRows += one(r.Cut > 0)
	t.HeadLost += one(!r.HeadWhole)
	t.TargetLost += one(!r.TargetWhole)
	t.CutImages += one(r.Cut > 0 && r.Images)
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}
