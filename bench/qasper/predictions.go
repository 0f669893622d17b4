package qasper

import (
	"encoding/json"
	"io"
	"slices"

	"airqa/bench"
	"airqa/qa/dataset"
)

// Prediction is a line of the official format of predictions.
type Prediction struct {
	ID       string   `json:"question_id"`
	Answer   string   `json:"predicted_answer"`
	Evidence []string `json:"predicted_evidence"` // verbatim texts of paragraphs; see [Verbatim]
}

// ReadPredictions reads a file of predictions. A faulty line is left out and the others are read; a faulty answer or evidence counts
// as none. A file without any prediction is an error.
func ReadPredictions(path string) ([]Prediction, []*dataset.Fault, error) {
	var list []Prediction
	faults, err := bench.ReadPredictions(path, func(raw []byte, fault func(id, text string, loaded bool)) {
		var l struct {
			ID       *string         `json:"question_id"`
			Answer   json.RawMessage `json:"predicted_answer"`
			Evidence json.RawMessage `json:"predicted_evidence"`
		}
		if err := json.Unmarshal(raw, &l); err != nil {
			fault("", "not a prediction: "+dataset.FieldError(err).Error(), false)
			return
		}
		if l.ID == nil {
			fault("", "a line needs question_id, predicted_answer (a text) and predicted_evidence (a list)", false)
			return
		}
		p := Prediction{ID: *l.ID}
		if json.Unmarshal(l.Answer, &p.Answer) != nil || string(l.Answer) == "null" {
			fault(p.ID, "predicted_answer is "+bench.Kind(l.Answer)+", not a string; it counts as empty", true)
		}
		if json.Unmarshal(l.Evidence, &p.Evidence) != nil || string(l.Evidence) == "null" {
			fault(p.ID, "predicted_evidence is "+bench.Kind(l.Evidence)+", not a list of strings; it counts as none", true)
			p.Evidence = nil
		}
		list = append(list, p)
	})
	return list, faults, err
}

// WritePredictions writes predictions in the official format.
func WritePredictions(w io.Writer, predictions []Prediction) error {
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
func Verbatim(data *bench.Dataset, predictions []Prediction) (list []Prediction, unknown int) {
	papers := make(map[string]map[string]string) // text by id and by text
	for _, d := range data.Documents {
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
	for _, it := range data.Items {
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
