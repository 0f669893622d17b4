package qasper

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"

	"airqa/qa/dataset"
)

// Prediction is a line of the official format of predictions.
type Prediction struct {
	ID       string   `json:"question_id"`
	Answer   string   `json:"predicted_answer"`
	Evidence []string `json:"predicted_evidence"` // verbatim texts of paragraphs; see [Verbatim]
}

// Read reads a file of predictions.
func Read(path string) ([]Prediction, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list []Prediction
	number := 0
	for line := range bytes.Lines(text) {
		number++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var raw struct {
			ID       *string   `json:"question_id"`
			Answer   *string   `json:"predicted_answer"`
			Evidence *[]string `json:"predicted_evidence"`
		}
		if err := json.Unmarshal(line, &raw); err != nil {
			return nil, fmt.Errorf("%s:%d: read prediction: %w", path, number, err)
		}
		if raw.ID == nil || raw.Answer == nil || raw.Evidence == nil {
			return nil, fmt.Errorf("%s:%d: read prediction: a line needs question_id, predicted_answer (a text) and predicted_evidence (a list)", path, number)
		}
		list = append(list, Prediction{*raw.ID, *raw.Answer, *raw.Evidence})
	}
	return list, nil
}

// Write writes predictions in the official format.
func Write(w io.Writer, predictions []Prediction) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, p := range predictions {
		if p.Evidence == nil {
			p.Evidence = []string{} // the evaluator expects a list
		}
		if err := enc.Encode(p); err != nil {
			return err
		}
	}
	return nil
}

// Verbatim replaces ids of units in evidence, such as "p12", by their texts. Evidence that is neither an id nor a text of
// the question's paper stays as it is, so that it lowers precision; unknown counts it.
func Verbatim(c dataset.Companion, predictions []Prediction) (list []Prediction, unknown int) {
	papers := make(map[string]map[string]string) // text by id and by text
	for _, d := range c.Documents {
		texts := make(map[string]string, 2*len(d.Units))
		for _, u := range d.Units {
			texts[u.Text] = u.Text
		}
		for _, u := range d.Units {
			texts[u.ID] = u.Text
		}
		papers[d.ID] = texts
	}
	about := make(map[string]string)
	for _, it := range c.Items {
		about[it.UUID] = it.Document
	}
	for _, p := range predictions {
		texts := papers[about[p.ID]]
		p.Evidence = slices.Clone(p.Evidence)
		for i, e := range p.Evidence {
			text, ok := texts[e]
			if ok {
				p.Evidence[i] = text
			} else if texts != nil {
				unknown++
			}
		}
		list = append(list, p)
	}
	return list, unknown
}
