package prompts

import (
	_ "embed"
	"encoding/csv"
	"slices"
	"strings"
	"sync"
)

// Prompt describes a text that a model is shown.
type Prompt struct {
	Name string `json:"name"`
	// About is what it is for, Paper the section in which the authors' own text is printed; empty if none is.
	About string `json:"about"`
	Paper string `json:"paper,omitempty"`
	// Placeholders are the names that a text may have in braces, the built-in text's first.
	Placeholders []string `json:"placeholders"`
	// Required are the placeholders without which the model would not see what it is asked about. Those with a bar between
	// them do for each other.
	Required []string `json:"required"`
	// Tool means that it describes a tool; the built-in text is in package tools.
	Tool bool `json:"tool"`
	// Means maps a name that papers and evaluators use to the placeholder that it stands for.
	Means map[string]string `json:"means,omitempty"`
}

// table has a line for each prompt: its name, what it is for, the section of the paper, the required placeholders, and others
// than the built-in text has, with an equals sign before the one that they stand for.
//
//go:embed prompts.csv
var table string

// All lists the prompts by use: baselines, tools, judges, synthesis, enrichment, annotation.
func All() []Prompt { return slices.Clone(described()) }

var described = sync.OnceValue(func() (list []Prompt) {
	lines, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil {
		panic(err) // the table is compiled in
	}
	for _, cells := range lines[1:] {
		p := Prompt{
			Name: cells[0], About: cells[1], Paper: cells[2], Required: strings.Fields(cells[3]), Placeholders: []string{},
			Means: make(map[string]string),
		}
		text, err := Set{}.Source(p.Name)
		p.Tool = err != nil
		for _, name := range namesIn(text) {
			if !slices.Contains(p.Placeholders, name) {
				p.Placeholders = append(p.Placeholders, name)
			}
		}
		for word := range strings.FieldsSeq(cells[4]) {
			name, target, _ := strings.Cut(word, "=")
			p.Placeholders = append(p.Placeholders, name)
			if target != "" {
				p.Means[name] = target
			}
		}
		list = append(list, p)
	}
	return list
})

// Find returns the prompt with a name.
func Find(name string) (Prompt, bool) {
	i := slices.IndexFunc(described(), func(p Prompt) bool { return p.Name == name })
	if i < 0 {
		return Prompt{}, false
	}
	return described()[i], true
}

// target returns the placeholder that a name stands for.
func (p Prompt) target(name string) string {
	if target, ok := p.Means[name]; ok {
		return target
	}
	return name
}
