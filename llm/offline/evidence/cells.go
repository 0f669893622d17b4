package evidence

import (
	"regexp"
	"strconv"
	"strings"

	"airqa/llm/offline/task"
	"airqa/llm/offline/words"
)

func (q *Case) grids() []grid {
	var list []grid
	for _, it := range q.items {
		if it.Kind == task.IsTable {
			list = append(list, readGrid(it.Text, it.Label))
		}
	}
	return list
}

// cells ranks the numbers of tables by the words of the question in caption, row and column. A question for the highest or
// lowest takes it from the best column.
func (q *Case) cells() []candidate {
	var list []candidate
	for _, g := range q.grids() {
		if c, ok := q.extreme(g); ok {
			list = append(list, c.candidate)
			continue
		}
		for i := g.head; i < len(g.rows); i++ {
			for j, text := range g.rows[i] {
				if n, ok := g.number(text); ok && q.fits(n) {
					list = append(list, candidate{n.Value, q.crossing(g, i, j) + q.taste("", words.Numeral{Decimals: n.Decimals})})
				}
			}
		}
	}
	return list
}

// crossing scores a cell: the words of the question in its labels, less for words of the labels that it lacks.
func (q *Case) crossing(g grid, i, j int) float64 {
	row, column := words.Stems(g.rowLabel(i)), words.Stems(g.column(j))
	r, c := q.words.Sum(row), q.words.Sum(column)
	if r == 0 || c == 0 {
		return r/2 + c/2
	}
	if task.SaysTable(q.text) {
		r, c = 1.5*r, 1.5*c
	}
	return 1.5*r*q.share(row) + 1.5*c*q.share(column) + q.words.Sum(g.caption)
}

// share is how much of a label the question says.
func (q *Case) share(label map[string]bool) float64 {
	said := 0
	for s := range label {
		if q.words[s] > 0 {
			said++
		}
	}
	return (0.5 + float64(said)) / (0.5 + float64(len(label)))
}

// extremal is the row of a table that holds the highest or lowest number of a column.
type extremal struct {
	candidate
	label string
}

var (
	superlative = regexp.MustCompile(`(?i)\b(highest|largest|best|most|greatest|maximum|lowest|smallest|least|minimum|fewest|worst)\b`)
	downwards   = regexp.MustCompile(`(?i)\b(lowest|smallest|least|minimum|fewest|worst)\b`)
)

// Compares tells that a question asks for the highest or lowest, or for what lies above or below a number.
func Compares(question string) bool {
	return aboveBelow.MatchString(question) || superlative.MatchString(question)
}

// extreme finds it in the column that the question names best; false when it asks for none.
func (q *Case) extreme(g grid) (extremal, bool) {
	j, score := q.bestColumn(g)
	if j < 0 || !superlative.MatchString(q.text) {
		return extremal{}, false
	}
	down := downwards.MatchString(q.text)
	best, found := extremal{}, false
	for i := g.head; i < len(g.rows); i++ {
		if j >= len(g.rows[i]) {
			continue
		}
		n, ok := g.number(g.rows[i][j])
		if !ok {
			continue
		}
		if old, _ := best.value.(float64); !found || down && n.Value < old || !down && n.Value > old {
			best, found = extremal{candidate{n.Value, score}, firstText(g, i)}, true
		}
	}
	return best, found
}

// bestColumn is the column of numbers whose heading holds most words of the question, -1 without one.
func (q *Case) bestColumn(g grid) (int, float64) {
	best, most := -1, 0.0
	if len(g.rows) <= g.head {
		return best, most
	}
	for j := range g.rows[g.head] {
		label := words.Stems(g.column(j))
		score := q.words.Sum(label) * (1 + q.share(label))
		if _, ok := g.number(g.rows[g.head][j]); ok && score > most {
			best, most = j, score
		}
	}
	return best, most + q.words.Sum(g.caption)
}

var aboveBelow = regexp.MustCompile(`(?i)\b(above|over|more than|at least|greater than|higher than|below|under|less than|lower than|at most|fewer than) ([\d.]+)`)

// rowsBeyond names the rows whose number in the best column lies above or below what the question says.
func (q *Case) rowsBeyond() []string {
	m := aboveBelow.FindStringSubmatch(q.text)
	if m == nil {
		return nil
	}
	limit, err := strconv.ParseFloat(strings.Trim(m[2], "."), 64)
	if err != nil {
		return nil
	}
	high := strings.Contains("above over more than at least greater than higher than", strings.ToLower(m[1])) &&
		!strings.EqualFold(m[1], "at most")
	var list []string
	for _, g := range q.grids() {
		j, _ := q.bestColumn(g)
		for i := g.head; j >= 0 && i < len(g.rows); i++ {
			if j >= len(g.rows[i]) {
				continue
			}
			if n, ok := g.number(g.rows[i][j]); ok && (n.Value > limit) == high && n.Value != limit {
				list = append(list, firstText(g, i))
			}
		}
		if len(list) > 0 {
			return list
		}
	}
	return nil
}
