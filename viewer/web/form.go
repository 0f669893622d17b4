package web

import (
	"slices"

	"airqa/trace"
	"airqa/trace/cause"
)

// filterForm is the form of the overview.
type filterForm struct {
	Menus []menu
	Grep  string
	Sort  string
	// Clear is the address without a filter, "" if there is none.
	Clear string
}

// menu is a list of values to choose from.
type menu struct {
	Name, Title string
	Set         int
	Choices     []choice
}

type choice struct {
	Value   string
	Chosen  bool
	N       int
	Explain string
}

// titles are the names of the menus.
var titles = map[string]string{
	"status": "Status", "lost-at": "Lost at", "cause": "Cause", "outcome": "Outcome", "error": "Errors", "tag": "Tag", "function": "Function",
}

// explanations of values, by field.
var explanations = map[string]map[cause.Level]string{"lost-at": {
	cause.LevelDB: "not in the database", cause.LevelHits: "in no result", cause.LevelLimit: "beyond the limit of a retrieval",
	cause.LevelCut: "in the part of a result that was cut off", cause.LevelWindow: "shown, but not in the last request",
	cause.LevelAnswer: "in the last request", cause.LevelUnknown: "not known, or no verdict",
}}

func (s *Site) form(sel selection, all tallies) *filterForm {
	form := &filterForm{Grep: sel.Grep, Sort: sel.Sort}
	if len(s.Library.Runs) > 1 {
		runs := menu{Name: "run", Title: "Run", Set: len(sel.named)}
		for _, r := range s.Library.Runs {
			runs.Choices = append(runs.Choices, choice{Value: s.names[r], Chosen: slices.Contains(sel.named, s.names[r]), N: len(r.Rows)})
		}
		form.Menus = append(form.Menus, runs)
	}
	for _, f := range trace.Fields() {
		chosen := f.Chosen(sel.Filter)
		m := menu{Name: f.Name, Title: titles[f.Name], Set: len(chosen)}
		for _, v := range all[f.Name].values() {
			m.Choices = append(m.Choices, choice{
				Value: v.Name, Chosen: slices.Contains(chosen, v.Name), N: v.N, Explain: explanations[f.Name][cause.Level(v.Name)],
			})
		}
		for _, v := range chosen { // a value that no row has
			if !slices.ContainsFunc(m.Choices, func(c choice) bool { return c.Value == v }) {
				m.Choices = append(m.Choices, choice{Value: v, Chosen: true})
			}
		}
		if len(m.Choices) > 0 {
			form.Menus = append(form.Menus, m)
		}
	}
	if !sel.Empty() || sel.named != nil {
		form.Clear = "/"
	}
	return form
}
