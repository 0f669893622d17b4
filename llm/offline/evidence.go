package offline

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"airqa/internal/lazyregexp"
	"airqa/internal/python"
)

// evidence is what was seen, ranked by the words of the question.
type evidence struct {
	terms     []string
	items     []item
	sentences []sentence // best first
}

type sentence struct {
	text  string
	stems map[string]bool
	score float64
}

func newEvidence(question string, items []item) evidence {
	e := evidence{terms: terms(question), items: items}
	seen := make(map[string]bool)
	for _, it := range items {
		for _, s := range it.sentences() {
			if !seen[s] {
				seen[s] = true
				e.sentences = append(e.sentences, sentence{text: s, stems: setOf(s)})
			}
		}
	}
	before := 0.0
	for i := range e.sentences {
		s := &e.sentences[i]
		// A short sentence or a heading introduces the next one.
		own := e.sum(s.stems) / (1 + float64(max(12-len(s.stems), 0))/4)
		s.score, before = own+before, 0.7*own
	}
	slices.SortStableFunc(e.sentences, func(a, b sentence) int { return cmp.Compare(b.score, a.score) })
	return e
}

// sum adds the weights of the terms in a set.
func (e evidence) sum(set map[string]bool) float64 {
	total := 0.0
	for _, s := range e.terms {
		if set[s] {
			total += float64(len(s)) // long words are rare
		}
	}
	return total
}

// best is the item of a kind with the best label and text, or nil. A label that begins with prefix comes first.
func (e evidence) best(k kind, prefix string) *item {
	var found *item
	most := -1.0
	for i, it := range e.items {
		if it.kind != k {
			continue
		}
		score := 3*e.sum(setOf(it.label)) + e.sum(setOf(it.text))
		if prefix != "" && strings.HasPrefix(strings.ToLower(it.label), strings.ToLower(prefix)) {
			score += 1000
		}
		if score > most {
			found, most = &e.items[i], score
		}
	}
	return found
}

var (
	namePattern   = lazyregexp.New(`\p{Lu}[\p{L}\p{N}]+(?:[- ]\p{Lu}[\p{L}\p{N}]*)*`)
	numberPattern = lazyregexp.New(`\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d*\.?\d+`)
	// A number after a label, or joined to a letter, counts nothing.
	labelBefore = lazyregexp.New(`(?i)(?:\b(?:table|figure|section|equation|page|step) |[\p{L}\d@_./\[(−×]-?)$`)
	joinedAfter = lazyregexp.New(`^-?\p{L}`)
	year        = lazyregexp.New(`^(?:19|20)\d\d$`)
)

// isQuantity reports whether a number in a text counts or measures something.
func isQuantity(text string, m []int) bool {
	return !year.MatchString(text[m[0]:m[1]]) && !joinedAfter.MatchString(text[m[1]:]) && !labelBefore.MatchString(text[max(0, m[0]-12):m[0]])
}

// numbers ranks the numbers that fit a shape.
func (e evidence) numbers(want shape) []python.Value {
	return e.rank(numberPattern, func(text string, m []int) python.Value {
		digits := strings.ReplaceAll(text[m[0]:m[1]], ",", "")
		_, decimals, fraction := strings.Cut(digits, ".")
		x, err := strconv.ParseFloat(digits, 64)
		switch {
		case err != nil, !isQuantity(text, m), fraction && want.class == asInteger, want.decimals > 0 && len(decimals) != want.decimals:
			return nil
		case want.class == asInteger && x < 1e15:
			return int64(x)
		}
		return x
	})
}

// names ranks the capitalised words that are not in the question.
func (e evidence) names() []python.Value {
	return e.rank(namePattern, func(text string, m []int) python.Value {
		for _, w := range words(text[m[0]:m[1]]) {
			// The first word is always capitalised.
			if m[0] > 0 && !slices.Contains(e.terms, stem(w)) {
				return text[m[0]:m[1]]
			}
		}
		return nil
	})
}

// rank scores the matches of a pattern in the best sentences by the words around them. read returns nil for a match
// that is not a candidate.
func (e evidence) rank(pattern *lazyregexp.Regexp, read func(text string, match []int) python.Value) []python.Value {
	scores := make(map[python.Value]float64)
	var list []python.Value
	for _, s := range e.sentences[:min(30, len(e.sentences))] {
		for _, m := range pattern.FindAllStringIndex(s.text, 50) {
			v := read(s.text, m)
			if v == nil || slices.Contains(e.terms, python.Str(v)) {
				continue
			}
			if _, again := scores[v]; !again {
				list = append(list, v)
			}
			scores[v] = max(scores[v], s.score+e.nearness(s.text, m))
		}
	}
	slices.SortStableFunc(list, func(a, b python.Value) int { return cmp.Compare(scores[b], scores[a]) })
	return list
}

// nearness adds the weights of the terms around a match, discounted by distance.
func (e evidence) nearness(text string, m []int) float64 {
	const reach = 150
	left := words(text[max(0, m[0]-reach):m[0]])
	slices.Reverse(left)
	total := 0.0
	for _, side := range [][]string{left, words(text[m[1]:min(m[1]+reach, len(text))])} {
		for i, w := range side {
			if s := stem(w); slices.Contains(e.terms, s) {
				total += float64(len(s)) / (1 + float64(i)/2)
			}
		}
	}
	return total
}

// item is a unit of evidence: a row of a result, or a part of the context.
type item struct {
	kind        kind
	text, label string // label is a caption or title
	paper       string // uuid or title; empty when unknown
	page        int64  // from 1; 0 when unknown
	box         python.List
}

// sentences are those of the text, or one for each cell of a table: row label, column heading, content.
func (it item) sentences() (list []string) {
	if it.kind != table {
		return sentences(it.text)
	}
	for _, c := range tableCells(tableRows(it.text)) {
		list = append(list, c.label()+c.text)
	}
	return list
}

type kind int

const (
	passage kind = iota
	table
	figure
	equation
	paper
	result // the text is the answer
)

// columns map a row's columns to its kind; the first match decides.
var columns = []struct {
	kind        kind
	text, label string
}{
	{result, "answer", ""},
	{table, "table_content", "table_caption"},
	{figure, "image_caption", "image_caption"},
	{equation, "equation_content", ""},
	{passage, "text", ""},
	{paper, "abstract", "title"},
}

// readItems reads the JSON objects of a result, one per line.
func readItems(text string) []item {
	var items []item
	for line := range strings.Lines(text) {
		v, _ := python.FromJSON([]byte(strings.TrimSpace(strings.TrimPrefix(line, "[Observation]:"))))
		if row, ok := v.(*python.Dict); ok {
			items = append(items, readRow(row))
		}
	}
	return items
}

func readRow(row *python.Dict) item {
	cell := func(name string) string {
		if v, _ := row.Get(name); v != nil {
			return python.Str(v)
		}
		return ""
	}
	it := item{paper: cell("paper_id") + cell("pdf_id")}
	page, _ := row.Get("page_number")
	it.page, _ = page.(int64)
	box, _ := row.Get("bounding_box")
	it.box, _ = box.(python.List)
	for _, c := range columns {
		if _, ok := row.Get(c.text); ok {
			it.kind, it.text, it.label = c.kind, cell(c.text), cell(c.label)
			break
		}
	}
	return it
}

// readContext reads rows if there are any, otherwise papers or prose.
func readContext(text string) []item {
	if fieldPattern.MatchString(text) {
		return materialItems(materialFields(text))
	}
	items := readItems(text)
	if items != nil || strings.Contains(text, "[Error]") || strings.HasPrefix(strings.TrimSpace(text), "none, because") {
		return items
	}
	for part := range strings.SplitSeq(text, "\n\n---\n\n") {
		if _, title, ok := strings.Cut(part, "[Title]: "); ok {
			title, part, _ = strings.Cut(title, "\n")
			items = append(items, item{kind: paper, label: title, text: part, paper: title})
		}
		items = append(items, item{text: part})
	}
	return items
}

// materialItems returns the parts of a paper in a prompt of question synthesis. Title and abstract hold no answer.
func materialItems(fields map[string]string) (items []item) {
	kinds := map[string]kind{"Table in HTML": table, "Formula": equation, "Caption": figure}
	for _, label := range slices.Sorted(maps.Keys(fields)) {
		if label != "Title" && label != "Abstract" {
			items = append(items, item{kind: kinds[label], text: fields[label]})
		}
	}
	return items
}
