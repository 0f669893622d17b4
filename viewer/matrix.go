package viewer

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"

	"airqa/trace"
)

// matrix is the data of matrix.html: questions by runs, with the repeats of a run as columns.
type matrix struct {
	Columns []matrixColumn
	Lines   []matrixLine
	// Differing counts the questions whose columns do not agree; Only means that no others are listed.
	Differing, Total int
	Only             bool
	All, Differ      string
	// Sort is the number of the column that sorts the lines, wrong answers first, or -1; ByRight is the address of the
	// lines with the fewest right answers first.
	Sort    int
	ByRight string
}

type matrixColumn struct {
	Run, Name, Href string
	Right, All      int
}

type matrixLine struct {
	UUID, Question string
	Cells          []*matrixCell
	Right, All     int
}

type matrixCell struct {
	trace.Row
	Href, Value string
}

// grid is the cells of a matrix by question and column.
type grid struct {
	order    []string
	question map[string]string
	cells    map[string]map[int]*matrixCell
}

// mostRepeats is the maximum number of columns of a run: a log may have any number in the name of an episode.
const mostRepeats = 100

// add adds the episodes of a run from a column on, and returns its columns.
func (g *grid) add(s *Site, r *trace.Run, first int) []matrixColumn {
	repeats := 1
	for _, w := range r.Rows {
		if w.Repeat >= mostRepeats {
			continue
		}
		repeats = max(repeats, w.Repeat+1)
		if g.cells[w.UUID] == nil {
			g.cells[w.UUID] = make(map[int]*matrixCell)
			g.order = append(g.order, w.UUID)
			g.question[w.UUID] = w.Question
		}
		g.cells[w.UUID][first+w.Repeat] = &matrixCell{Row: w, Href: s.href(w, nil), Value: s.names[r] + "/" + w.Episode}
	}
	columns := make([]matrixColumn, repeats)
	for i := range columns {
		columns[i] = matrixColumn{Run: s.names[r], Name: s.names[r]}
		if repeats > 1 {
			columns[i].Name = fmt.Sprintf("%s #%d", s.names[r], i)
		}
	}
	return columns
}

// Matrix writes the questions by runs.
func (s *Site) Matrix(_ context.Context, w io.Writer, q url.Values) error {
	m := matrix{Only: q.Get("only") == "differing", All: "/matrix", Differ: "/matrix?only=differing"}
	g := grid{cells: make(map[string]map[int]*matrixCell), question: make(map[string]string)}
	for _, r := range s.Library.Runs {
		m.Columns = append(m.Columns, g.add(s, r, len(m.Columns))...)
	}
	for _, id := range g.order {
		line := matrixLine{UUID: id, Question: g.question[id], Cells: make([]*matrixCell, len(m.Columns))}
		for i, c := range g.cells[id] {
			line.Cells[i] = c
			line.All++
			m.Columns[i].All++
			if c.Status == trace.Right {
				line.Right++
				m.Columns[i].Right++
			}
		}
		m.Total++
		differs := line.differs()
		if differs {
			m.Differing++
		}
		if differs || !m.Only {
			m.Lines = append(m.Lines, line)
		}
	}
	m.sort(q)
	args := append([]string{"compare"}, s.paths(s.Library.Runs)...)
	return s.write(w, frame{Title: "Questions by run", Section: "matrix", Content: "matrix", Command: command(args...), Body: m})
}

// sort orders the lines by the parameter "sort": the number of a column, whose wrong answers come first, or "right", the
// questions with the fewest right answers first.
func (m *matrix) sort(q url.Values) {
	address := func(key string) string {
		next := url.Values{"sort": {key}}
		if m.Only {
			next.Set("only", "differing")
		}
		return "/matrix?" + next.Encode()
	}
	m.Sort, m.ByRight = -1, address("right")
	for i := range m.Columns {
		m.Columns[i].Href = address(strconv.Itoa(i))
	}
	key := q.Get("sort")
	if key == "right" {
		slices.SortStableFunc(m.Lines, func(a, b matrixLine) int { return cmp.Compare(a.Right*b.All, b.Right*a.All) })
	}
	if n, err := strconv.Atoi(key); err == nil && n >= 0 && n < len(m.Columns) {
		m.Sort = n
		rank := func(l matrixLine) int {
			switch c := l.Cells[n]; {
			case c == nil:
				return 3
			case c.Status == trace.Wrong:
				return 0
			case c.Status == trace.Right:
				return 2
			}
			return 1
		}
		slices.SortStableFunc(m.Lines, func(a, b matrixLine) int { return rank(a) - rank(b) })
	}
}

// differs reports whether two columns have different statuses.
func (l matrixLine) differs() bool {
	var seen []trace.Status
	for _, c := range l.Cells {
		if c != nil && !slices.Contains(seen, c.Status) {
			seen = append(seen, c.Status)
		}
	}
	return len(seen) > 1
}
