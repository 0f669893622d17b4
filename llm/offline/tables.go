package offline

import (
	"html"
	"regexp"
	"strconv"
	"strings"
)

// grid is a table of cells; the first rows, without numbers, head its columns.
type grid struct {
	rows    [][]string
	head    int
	caption map[string]bool
}

var (
	rowPattern  = regexp.MustCompile(`(?is)<tr[^>]*>(.*?)</tr>`)
	cellPattern = regexp.MustCompile(`(?is)<t[hd]([^>]*)>(.*?)</t[hd]>`)
	spanPattern = regexp.MustCompile(`(?i)(col|row)span\s*=\s*["']?(\d+)`)
	tagPattern  = regexp.MustCompile(`<[^>]*>`)
	cellNumber  = regexp.MustCompile(`^[+-]?\s*([\d,]*\.?\d+)\s*(?:%|±.*|[*†‡]+)?$`)
)

const maxCells = 20000

// readGrid reads an HTML table; cells that span rows or columns stand in each of them.
func readGrid(text, caption string) grid {
	g := grid{caption: stems(caption)}
	type hang struct {
		text string
		left int
	}
	hanging := make(map[int]hang)
	total := 0
	for _, tr := range rowPattern.FindAllStringSubmatch(text, -1) {
		var row []string
		fill := func() {
			for hanging[len(row)].left > 0 {
				h := hanging[len(row)]
				hanging[len(row)] = hang{h.text, h.left - 1}
				row = append(row, h.text)
			}
		}
		for _, td := range cellPattern.FindAllStringSubmatch(tr[1], -1) {
			fill()
			content := flat(html.UnescapeString(tagPattern.ReplaceAllString(td[2], " ")))
			across, down := spans(td[1])
			for range across {
				hanging[len(row)] = hang{content, down - 1}
				row = append(row, content)
			}
		}
		fill()
		if total += len(row); total > maxCells {
			break
		}
		g.rows = append(g.rows, row)
	}
	g.head = g.heads()
	return g
}

func spans(attributes string) (across, down int) {
	across, down = 1, 1
	for _, m := range spanPattern.FindAllStringSubmatch(attributes, -1) {
		n, _ := strconv.Atoi(m[2])
		n = min(max(n, 1), 40)
		if strings.EqualFold(m[1], "col") {
			across = n
		} else {
			down = n
		}
	}
	return across, down
}

// heads counts the rows before the first with a number, at least one.
func (g grid) heads() int {
	for i, row := range g.rows {
		for _, c := range row {
			if _, ok := g.number(c); ok && i > 0 {
				return i
			}
		}
	}
	return min(1, len(g.rows))
}

// number reads a cell; false when it is no number.
func (g grid) number(cell string) (numeral, bool) {
	m := cellNumber.FindStringSubmatch(cell)
	if m == nil {
		return numeral{}, false
	}
	text := strings.ReplaceAll(m[1], ",", "")
	n := numeral{}
	if _, tail, ok := strings.Cut(text, "."); ok {
		n.decimals = len(tail)
	}
	v, err := strconv.ParseFloat(text, 64)
	if strings.HasPrefix(cell, "-") {
		v = -v
	}
	n.value = v
	return n, err == nil
}

// column is what stands above column j, rowLabel the cells of row i that are no numbers.
func (g grid) column(j int) string {
	var parts []string
	for _, row := range g.rows[:g.head] {
		if j < len(row) {
			parts = append(parts, row[j])
		}
	}
	return strings.Join(parts, " ")
}

func (g grid) rowLabel(i int) string {
	var parts []string
	for _, c := range g.rows[i] {
		if _, ok := g.number(c); !ok && (len(parts) == 0 || parts[len(parts)-1] != c) {
			parts = append(parts, c)
		}
	}
	return strings.Join(parts, " ")
}

func (q *ask) grids() []grid {
	var list []grid
	for _, it := range q.items {
		if it.kind == isTable {
			list = append(list, readGrid(it.text, it.label))
		}
	}
	return list
}

// cells ranks the numbers of tables by the words of the question in caption, row and column. A question for the highest or
// lowest takes it from the best column.
func (q *ask) cells() []candidate {
	var list []candidate
	for _, g := range q.grids() {
		if c, ok := q.extreme(g); ok {
			list = append(list, c.candidate)
			continue
		}
		for i := g.head; i < len(g.rows); i++ {
			for j, text := range g.rows[i] {
				if n, ok := g.number(text); ok && q.fits(n) {
					list = append(list, candidate{n.value, q.crossing(g, i, j) + q.taste("", numeral{decimals: n.decimals})})
				}
			}
		}
	}
	return list
}

// crossing scores a cell: the words of the question in its labels, less for words of the labels that it lacks.
func (q *ask) crossing(g grid, i, j int) float64 {
	row, column := stems(g.rowLabel(i)), stems(g.column(j))
	r, c := q.words.sum(row), q.words.sum(column)
	if r == 0 || c == 0 {
		return r/2 + c/2
	}
	if tablePattern.MatchString(q.text) {
		r, c = 1.5*r, 1.5*c
	}
	return 1.5*r*q.share(row) + 1.5*c*q.share(column) + q.words.sum(g.caption)
}

// share is how much of a label the question says.
func (q *ask) share(label map[string]bool) float64 {
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

// extreme finds it in the column that the question names best; false when it asks for none.
func (q *ask) extreme(g grid) (extremal, bool) {
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
		if old, _ := best.value.(float64); !found || down && n.value < old || !down && n.value > old {
			best, found = extremal{candidate{n.value, score}, firstText(g, i)}, true
		}
	}
	return best, found
}

// bestColumn is the column of numbers whose heading holds most words of the question, -1 without one.
func (q *ask) bestColumn(g grid) (int, float64) {
	best, most := -1, 0.0
	if len(g.rows) <= g.head {
		return best, most
	}
	for j := range g.rows[g.head] {
		label := stems(g.column(j))
		score := q.words.sum(label) * (1 + q.share(label))
		if _, ok := g.number(g.rows[g.head][j]); ok && score > most {
			best, most = j, score
		}
	}
	return best, most + q.words.sum(g.caption)
}

func firstText(g grid, i int) string {
	for _, c := range g.rows[i] {
		if _, ok := g.number(c); !ok && c != "" {
			return c
		}
	}
	return ""
}

var aboveBelow = regexp.MustCompile(`(?i)\b(above|over|more than|at least|greater than|higher than|below|under|less than|lower than|at most|fewer than) ([\d.]+)`)

// rowsBeyond names the rows whose number in the best column lies above or below what the question says.
func (q *ask) rowsBeyond() []string {
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
			if n, ok := g.number(g.rows[i][j]); ok && (n.value > limit) == high && n.value != limit {
				list = append(list, firstText(g, i))
			}
		}
		if len(list) > 0 {
			return list
		}
	}
	return nil
}
