package judge

import "cmp"

// Summary is the result of checking a judge, with the labels that it does not share.
type Summary struct {
	Judge string `json:"judge"`
	Agreement
	Disagreements []LabelLine `json:"disagreements"`
	Without       []LabelLine `json:"without_verdict"`
	NotAsked      []LabelLine `json:"without_judge"`
	Spent         Spent       `json:"spent"`
}

// LabelLine is a label that a judge does not share or gave no verdict on.
type LabelLine struct {
	Line     int    `json:"line"`
	UUID     string `json:"uuid,omitempty"`
	Question string `json:"question"`
	Answer   string `json:"answer"`
	Label    bool   `json:"label"`
	Reason   string `json:"reason,omitempty"`
}

// Summarize measures a judge of a name by what was checked.
func Summarize(name string, checked []Checked, spent Spent) Summary {
	r := Summary{
		Judge: name, Agreement: Measure(checked), Spent: spent,
		Disagreements: []LabelLine{}, Without: []LabelLine{}, NotAsked: []LabelLine{},
	}
	for _, k := range checked {
		line := LabelLine{Line: k.Line, UUID: k.UUID, Question: k.Question, Answer: k.Text, Label: k.Right, Reason: cmp.Or(k.NotAsked, k.Unscored)}
		switch {
		case k.NotAsked != "":
			r.NotAsked = append(r.NotAsked, line)
		case k.Unscored != "":
			r.Without = append(r.Without, line)
		case k.Said != k.Right:
			r.Disagreements = append(r.Disagreements, line)
		}
	}
	return r
}
