package viewer

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"strings"

	"airqa/trace"
	"airqa/trace/diff"
)

// diffRow is a row of steps; two steps that only one episode has share a row.
type diffRow struct {
	Title string
	A, B  *diff.Step
}

// diffRows lays out the pairs of a comparison.
func diffRows(pairs []diff.Pair) []diffRow {
	titles := map[diff.Kind]string{
		diff.Equal: "Equal", diff.OtherResult: "Same action, different result",
		diff.ChangedArgs: "Different arguments", diff.OnlyA: "Only in A", diff.OnlyB: "Only in B",
	}
	var rows []diffRow
	for _, p := range pairs {
		row := diffRow{titles[p.Kind], p.A, p.B}
		if len(p.Arguments) > 0 {
			row.Title += ": " + strings.Join(p.Arguments, ", ")
		}
		if last := len(rows) - 1; last >= 0 && p.Kind == diff.OnlyB && rows[last].B == nil {
			rows[last].Title, rows[last].B = "Different steps", p.B
			continue
		}
		rows = append(rows, row)
	}
	return rows
}

// Diff writes the steps of two episodes side by side. The parameters "cell" name them, RUN/EPISODE each.
func (s *Site) Diff(ctx context.Context, w io.Writer, q url.Values) error {
	cells := q["cell"]
	if len(cells) != 2 {
		return fmt.Errorf("%w: check two cells of the matrix", ErrNotFound)
	}
	var v struct { // the data of diff.html
		diff.Diff
		A, B         linkedRow
		First, Other string
		Rows         []diffRow
	}
	var found [2]trace.Episode
	for i, side := range []*linkedRow{&v.A, &v.B} {
		r, episode, err := s.cell(cells[i])
		if err != nil {
			return err
		}
		if found[i], err = r.Episode(ctx, episode); err != nil {
			return fmt.Errorf("%s: %w", cells[i], ErrNotFound)
		}
		*side = linkedRow{found[i].Row, s.names[r], s.href(found[i].Row, nil)}
	}
	v.Diff = diff.Of(found[0].Traced.Recorded, found[1].Traced.Recorded)
	v.Rows = diffRows(v.Pairs)
	v.First, v.Other = point("First different action", v.FirstAction), point("first different result", v.FirstResult)
	return s.write(w, frame{
		Title: "Two episodes", Section: "matrix", Content: "diff", Place: listPage,
		Command: command("diff", found[0].Run, found[1].Run, v.A.Episode, v.B.Episode), Body: v,
	})
}

// cell finds the run that a name of an episode, RUN/EPISODE, begins with. A run may be named by its whole path.
func (s *Site) cell(name string) (r *trace.Run, episode string, err error) {
	for _, other := range s.Library.Runs {
		rest, ok := strings.CutPrefix(name, s.names[other]+"/")
		if ok && (r == nil || len(rest) < len(episode)) {
			r, episode = other, rest
		}
	}
	if r == nil {
		return nil, "", fmt.Errorf("no run of %q: %w", name, ErrNotFound)
	}
	return r, episode, nil
}

// point describes where two episodes part.
func point(name string, p *diff.Point) string {
	switch {
	case p == nil:
		return "No " + strings.TrimPrefix(strings.ToLower(name), "first ")
	case p.A == 0:
		return fmt.Sprintf("%s: step %d of B", name, p.B)
	case p.B == 0:
		return fmt.Sprintf("%s: step %d of A", name, p.A)
	}
	return fmt.Sprintf("%s: step %d of A, step %d of B", name, p.A, p.B)
}
