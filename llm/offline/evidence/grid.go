package evidence

import (
	"html"
	"regexp"
	"strconv"
	"strings"

	"airqa/llm/offline/words"
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
	g := grid{caption: words.Stems(caption)}
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
			content := words.Flat(html.UnescapeString(tagPattern.ReplaceAllString(td[2], " ")))
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
func (g grid) number(cell string) (words.Numeral, bool) {
	m := cellNumber.FindStringSubmatch(cell)
	if m == nil {
		return words.Numeral{}, false
	}
	text := strings.ReplaceAll(m[1], ",", "")
	n := words.Numeral{}
	if _, tail, ok := strings.Cut(text, "."); ok {
		n.Decimals = len(tail)
	}
	v, err := strconv.ParseFloat(text, 64)
	if strings.HasPrefix(cell, "-") {
		v = -v
	}
	n.Value = v
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

func firstText(g grid, i int) string {
	for _, c := range g.rows[i] {
		if _, ok := g.number(c); !ok && c != "" {
			return c
		}
	}
	return ""
}
