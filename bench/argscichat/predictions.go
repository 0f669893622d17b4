package argscichat

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"airqa/bench"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/qa/dataset"
)

// Predictions are the answers of a file, and what was wrong with it.
type Predictions struct {
	// Answers are by the id of the turn.
	Answers map[string]qa.Answer
	// Read counts the lines with an answer to a turn of the data, Unknown those to other turns, Repeated those whose turn
	// had an answer already: the last one counts. Bad counts answers whose evidence cannot be read and is left out,
	// Unreadable the other lines.
	Read, Unknown, Repeated, Bad, Unreadable int
	// Missing counts test turns without an answer, Others answers to other turns.
	Missing, Others int
	Faults          []*dataset.Fault
}

// prediction is a line of the file.
type prediction struct {
	Pair     string          `json:"pair_id"`
	Article  string          `json:"article_id"`
	Answer   *string         `json:"predicted_answer"`
	Evidence json.RawMessage `json:"predicted_evidence"`
}

// ReadPredictions reads JSON Lines in the format of the authors' predictor: pair_id, article_id, predicted_answer and
// predicted_evidence. Evidence is a mask with a 0 or 1 for each sentence of the paper, a list of indices from 0, or a
// list of unit ids such as "s3".
func ReadPredictions(path string, c *bench.Dataset) (Predictions, error) {
	r := predictionReader{
		p: Predictions{Answers: make(map[string]qa.Answer)}, items: make(map[string]bench.Item), papers: make(map[string]bench.Document),
	}
	for _, d := range c.Documents {
		r.papers[d.ID] = d
	}
	for _, it := range c.Items {
		r.items[it.UUID] = it
	}
	for block, err := range dataset.Blocks(path) {
		if err != nil {
			return r.p, fmt.Errorf("read predictions: %w", err)
		}
		for line, raw := range block.Records() {
			r.at = dataset.Fault{File: filepath.Base(block.File), Line: line}
			r.line(raw)
		}
	}
	folds := Folds(c)
	for _, it := range c.Items {
		_, given := r.p.Answers[it.UUID]
		switch tested := Tested(folds, it); {
		case tested && !given:
			r.p.Missing++
		case given && !tested:
			r.p.Others++
		}
	}
	return r.p, nil
}

type predictionReader struct {
	p      Predictions
	items  map[string]bench.Item
	papers map[string]bench.Document
	at     dataset.Fault
}

func (r *predictionReader) fault(loaded bool, format string, args ...any) {
	f := r.at
	f.Loaded, f.Text = loaded, fmt.Sprintf(format, args...)
	r.p.Faults = append(r.p.Faults, &f)
}

func (r *predictionReader) line(raw []byte) {
	var p prediction
	if err := json.Unmarshal(raw, &p); err != nil {
		r.p.Unreadable++
		r.fault(false, "not a prediction: %v", dataset.FieldError(err))
		return
	}
	r.at.UUID = p.Pair
	it, ok := r.items[p.Pair]
	if !ok {
		r.p.Unknown++
		r.fault(false, "field \"pair_id\": no turn has this id")
		return
	}
	r.p.Read++
	if p.Article != "" && p.Article != it.Document {
		r.fault(true, "field \"article_id\": the turn is about %q, not %q", it.Document, p.Article)
	}
	if _, twice := r.p.Answers[p.Pair]; twice {
		r.p.Repeated++
		r.fault(true, "field \"pair_id\": the turn has a prediction already; this one counts")
	}
	a := qa.Answer{Given: true}
	if p.Answer != nil {
		a.Text = *p.Answer
	} else {
		r.fault(true, "field \"predicted_answer\" is missing; it counts as empty")
	}
	var err error
	if a.Evidence, err = evidence(r.papers[it.Document], p.Evidence); err != nil {
		r.p.Bad++
		r.fault(true, "field \"predicted_evidence\": %v; it counts as none", err)
	}
	r.p.Answers[p.Pair] = a
}

// evidence returns the ids of the units that a mask or a list selects.
func evidence(d bench.Document, given json.RawMessage) ([]string, error) {
	var list []json.RawMessage
	if given != nil && json.Unmarshal(given, &list) != nil {
		return nil, fmt.Errorf("%s is not a list", shown(given))
	}
	all := ids(d.Units)
	isNoBit := func(raw json.RawMessage) bool { return string(raw) != "0" && string(raw) != "1" }
	mask := len(list) == len(all) && !slices.ContainsFunc(list, isNoBit)
	var selected []string
	for i, raw := range list {
		id := unit(all, raw)
		switch {
		case mask && string(raw) == "0":
			continue
		case mask:
			id = all[i]
		case id == "":
			return nil, fmt.Errorf("%s is not a sentence of the paper, which has %d, and the list is not a mask", shown(raw), len(all))
		case slices.Contains(selected, id):
			return nil, fmt.Errorf("%s is repeated: a mask needs %d numbers, an index list distinct ones", shown(raw), len(all))
		}
		selected = append(selected, id)
	}
	return selected, nil
}

// shown is the beginning of a value, for a message.
func shown(raw json.RawMessage) string { return terminal.Clip(string(raw), 40) }

// unit returns the id that an index from 0 or an id names; "" if there is none.
func unit(all []string, raw json.RawMessage) string {
	id := ""
	n, err := strconv.Atoi(string(raw))
	switch {
	case err == nil && n >= 0 && n < len(all):
		return all[n]
	case json.Unmarshal(raw, &id) == nil && slices.Contains(all, id):
		return id
	}
	return ""
}
