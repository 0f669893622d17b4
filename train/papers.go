package train

import (
	"encoding/json"
	"slices"

	"airqa/qa"
)

// WithPapers returns a question with all papers that are known to be its subject: those that it names, those of its
// synthesized evidence, and those of its gold answer, which a run records. The added ones are reference papers.
func WithPapers(ex qa.Example, gold []string) qa.Example {
	known := ex.Papers()
	add := slices.Clone(gold)
	var synth struct { // as the extractor writes it
		Evidence []struct {
			Paper string `json:"paper"`
		} `json:"evidence"`
	}
	if raw, ok := ex.Extra["synth"]; ok && json.Unmarshal(raw, &synth) == nil {
		for _, e := range synth.Evidence {
			add = append(add, e.Paper)
		}
	}
	ex.ReferencePDF = slices.Clone(ex.ReferencePDF)
	for _, id := range add {
		if id != "" && !slices.Contains(known, id) {
			known = append(known, id)
			ex.ReferencePDF = append(ex.ReferencePDF, id)
		}
	}
	return ex
}
