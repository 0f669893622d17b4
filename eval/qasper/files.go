package qasper

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"airqa/qa"
	"airqa/qa/dataset"
)

// Prediction is a line of the official format of predictions.
type Prediction struct {
	ID       string   `json:"question_id"`
	Answer   string   `json:"predicted_answer"`
	Evidence []string `json:"predicted_evidence"` // verbatim texts of paragraphs
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

// FromAnswer translates an answer about a document: ids of units become their texts. Evidence that is neither an id nor
// a text of the document stays as it is, so that it lowers precision; unknown has it.
func FromAnswer(it dataset.Item, doc dataset.Document, a qa.Answer) (p Prediction, unknown []string) {
	texts, known := make(map[string]string), make(map[string]bool)
	for _, u := range doc.Units {
		texts[u.ID], known[u.Text] = u.Text, true
	}
	p = Prediction{ID: it.UUID, Answer: a.Text}
	for _, e := range a.Evidence {
		text, ok := texts[e]
		if !ok {
			text = e
			if !known[e] {
				unknown = append(unknown, e)
			}
		}
		p.Evidence = append(p.Evidence, text)
	}
	return p, unknown
}
