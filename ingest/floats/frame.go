package floats

import (
	"cmp"
	"slices"

	"airqa/env/pdf"
	"airqa/ingest/layout"
)

// frames returns the areas between horizontal rules with about the same ends: tables. A rule that is much longer than
// its neighbours starts a new frame.
func frames(page *layout.Page) []layout.Box {
	rules := horizontals(page)
	var out []layout.Box
	used := make([]bool, len(rules))
	for i := range rules {
		if used[i] {
			continue
		}
		frame, members := rules[i], 1
		for k := i + 1; k < len(rules); k++ {
			if used[k] || abs(frame.X0-rules[k].X0) >= 5 || abs(frame.X1-rules[k].X1) >= 5 {
				continue
			}
			if isHeadRule(page, frame, rules[k]) {
				break
			}
			if joins(page, frame, rules[k]) {
				frame, used[k] = frame.Union(rules[k]), true
				members++
			}
		}
		if members > 1 && frame.Height() > 8 {
			out = append(out, frame)
		}
	}
	return out
}

// joins reports whether a rule with the same ends belongs to the frame above it.
func joins(page *layout.Page, frame, rule layout.Box) bool {
	const farApart, nearCaption = 330, 24
	near := rule.Y0-frame.Y1 < farApart || rowsBetween(page, frame, rule)
	for _, l := range page.Lines {
		if l.Role != layout.Caption || l.Box.OverlapX(frame) <= 0 {
			continue
		}
		if l.Baseline > frame.Y1 && l.Box.Y1 < rule.Y1 {
			return false // a caption in between: they belong to two tables
		}
		// Two rules with a caption right above or right below are a frame, however far apart.
		above, below := frame.Y0-l.Box.Y1, l.Box.Y0-rule.Y1
		near = near || frame.Height() < 3 && (above > -2 && above < nearCaption || below > -2 && below < nearCaption)
	}
	return near
}

// isHeadRule reports whether there is nothing between a single rule and the next: the rule under a running head may be
// as long as those of a table.
func isHeadRule(page *layout.Page, single, next layout.Box) bool {
	const doubled = 8 // maximum distance
	if single.Height() > doubled || next.Y0-single.Y1 < doubled {
		return false
	}
	space := layout.Box{X0: single.X0, Y0: single.Y1, X1: single.X1, Y1: next.Y0}
	holds := func(l layout.Line) bool { return space.OverlapY(l.Box) > 0 && len(within(l, space).Words) > 0 }
	return !slices.ContainsFunc(page.Lines, holds) &&
		!slices.ContainsFunc(page.Shapes, func(s layout.Shape) bool { return space.Holds(s.Box) })
}

// horizontals returns the rules of a page from top to bottom, merging those of one row: each cell may draw its own.
func horizontals(page *layout.Page) []layout.Box {
	var rules []layout.Box
	for _, s := range page.Shapes {
		if s.IsRule() || s.Kind == pdf.Path && s.Box.Height() < 1.5 && s.Box.Width() > 3 {
			rules = append(rules, s.Box)
		}
	}
	slices.SortFunc(rules, func(a, b layout.Box) int { return cmp.Or(cmp.Compare(a.Y0, b.Y0), cmp.Compare(a.X0, b.X0)) })
	var out []layout.Box
	for _, b := range rules {
		at := slices.IndexFunc(out, func(o layout.Box) bool { return abs(o.Y0-b.Y0) < 1 && b.OverlapX(o) > -1.5 })
		if at >= 0 {
			out[at] = out[at].Union(b)
			continue
		}
		out = append(out, b)
	}
	return slices.DeleteFunc(out, func(b layout.Box) bool { return b.Width() < 30 })
}

// rowsBetween reports whether almost all lines between two rules are rows of cells: a table may fill a page.
func rowsBetween(page *layout.Page, upper, lower layout.Box) bool {
	rows, all := 0, 0
	for _, l := range page.Lines {
		if l.Role == layout.Sideways || l.Baseline < upper.Y1 || l.Baseline > lower.Y0 || l.Box.OverlapX(upper) <= 0 {
			continue
		}
		l = within(l, layout.Box{X0: upper.X0, Y0: l.Box.Y0, X1: upper.X1, Y1: l.Box.Y1})
		all++
		if len(l.Cells()) > 2 {
			rows++
		}
	}
	return all > 3 && rows*10 >= all*9
}
