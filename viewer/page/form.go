package page

import (
	"slices"

	"airqa/report/cause"
	"airqa/report/episodes"
	"airqa/report/evidence"
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

// field is a parameter of the filter and the values that a row has for it.
type field struct {
	name, title string
	of          func(episodes.Row) []string
	chosen      func(episodes.Filter) []string
	order       []string
}

func one(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}

// fields are the parameters with a menu, a chart or a table.
func fields() []field {
	return []field{
		{"status", "Status", func(w episodes.Row) []string { return one(string(w.Status)) }, func(f episodes.Filter) []string { return f.Status }, texts(episodes.Statuses())},
		{"lost-at", "Lost at", func(w episodes.Row) []string { return one(string(w.LostAt)) }, func(f episodes.Filter) []string { return f.LostAt }, texts(evidence.Levels())},
		{"cause", "Cause", func(w episodes.Row) []string { return one(string(w.Cause)) }, func(f episodes.Filter) []string { return f.Cause }, texts(cause.Codes())},
		{"outcome", "Outcome", func(w episodes.Row) []string { return one(string(w.Outcome)) }, func(f episodes.Filter) []string { return f.Outcome }, nil},
		{"error", "Errors", func(w episodes.Row) []string { return w.Errors }, func(f episodes.Filter) []string { return f.Error }, episodes.ErrorKinds()},
		{"tag", "Tag", func(w episodes.Row) []string { return w.Tags }, func(f episodes.Filter) []string { return f.Tag }, nil},
		{"function", "Function", func(w episodes.Row) []string { return one(w.Function) }, func(f episodes.Filter) []string { return f.Function }, nil},
	}
}

// values are the values of a field in some rows with their counts, in the order of the field or by number.
func (f field) values(rows []episodes.Row) []count {
	n := make(map[string]int)
	var names []string
	for _, w := range rows {
		for _, v := range f.of(w) {
			if n[v] == 0 {
				names = append(names, v)
			}
			n[v]++
		}
	}
	if f.order == nil {
		slices.Sort(names)
		slices.SortStableFunc(names, func(a, b string) int { return n[b] - n[a] })
	} else {
		slices.SortFunc(names, func(a, b string) int { return slices.Index(f.order, a) - slices.Index(f.order, b) })
	}
	list := make([]count, len(names))
	for i, name := range names {
		list[i] = count{Name: name, N: n[name]}
	}
	return list
}

func (s *Site) form(sel selection, all []episodes.Row) *filterForm {
	form := &filterForm{Grep: sel.Grep, Sort: sel.Sort}
	if len(s.Library.Runs) > 1 {
		runs := menu{Name: "run", Title: "Run", Set: len(sel.named)}
		for _, r := range s.Library.Runs {
			runs.Choices = append(runs.Choices, choice{Value: s.names[r], Chosen: slices.Contains(sel.named, s.names[r]), N: len(r.Rows)})
		}
		form.Menus = append(form.Menus, runs)
	}
	for _, f := range fields() {
		chosen := f.chosen(sel.Filter)
		m := menu{Name: f.name, Title: f.title, Set: len(chosen)}
		for _, v := range f.values(all) {
			m.Choices = append(m.Choices, choice{Value: v.Name, Chosen: slices.Contains(chosen, v.Name), N: v.N, Explain: levelText(f.name, v.Name)})
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

// levelText explains a level of the evidence ladder.
func levelText(field, value string) string {
	if field != "lost-at" {
		return ""
	}
	return map[evidence.Level]string{
		evidence.DB: "not in the database", evidence.Hits: "in no result", evidence.Limit: "beyond the limit of a retrieval",
		evidence.Cut: "in the part of a result that was cut off", evidence.Window: "shown, but not in the last request",
		evidence.Answer: "in the last request", evidence.Unknown: "not known, or no verdict",
	}[evidence.Level(value)]
}
