package offline

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"airqa/internal/evidence"
	"airqa/internal/lazyregexp"
	"airqa/internal/python"
	internal "airqa/internal/words"

	"github.com/kljensen/snowball/english"
)

// ranking is the evidence seen so far, ranked by the words of the question.
type ranking struct {
	terms     []string
	items     []item
	sentences []sentence // best first
}

type sentence struct {
	text  string
	score float64
}

func newRanking(question string, items []item) ranking {
	e := ranking{terms: terms(question), items: items}
	introduction := 0.0
	for _, it := range items {
		list := sentences(it.text)
		if it.kind == "table_content" {
			list = tableRows(it.text)
		}
		for _, s := range list {
			// A short sentence or a heading introduces the next one.
			own := e.sum(s) / (1 + float64(max(12-len(setOf(s)), 0))/4)
			e.sentences = append(e.sentences, sentence{s, own + introduction})
			introduction = 0.7 * own
		}
	}
	slices.SortStableFunc(e.sentences, func(a, b sentence) int { return cmp.Compare(b.score, a.score) })
	return e
}

func (e ranking) sum(text string) float64 {
	set, total := setOf(text), 0.0
	for _, s := range e.terms {
		if set[s] {
			total += float64(len(s)) // long words are rare
		}
	}
	return total
}

// best is the item of a kind with the best label and text, or nil.
func (e ranking) best(kind string) *item {
	var found *item
	most := -1.0
	for i, it := range e.items {
		if it.kind != kind {
			continue
		}
		if score := 3*e.sum(it.label) + e.sum(it.text); score > most {
			found, most = &e.items[i], score
		}
	}
	return found
}

var numberPattern = lazyregexp.New(`\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d*\.?\d+`)

// isQuantity reports whether a number in a text is not a part of a name or an expression.
func isQuantity(text string, m []int) bool {
	before, after := " "+text[:m[0]], text[m[1]:]+" "
	return strings.Contains(" (", before[len(before)-1:]) && strings.Contains(" .,;:)%", after[:1])
}

// number reads digits with separators of thousands as an integer or a float. Other texts stay.
func number(digits string) python.Value {
	digits = strings.ReplaceAll(digits, ",", "")
	if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
		return n
	}
	if x, err := strconv.ParseFloat(digits, 64); err == nil {
		return x
	}
	return digits
}

// numbers ranks the numbers that fit a shape and are not in the question, by their sentence and the words around them.
func (e ranking) numbers(want shape) (list []python.Value) {
	scores := make(map[python.Value]float64)
	for _, s := range e.sentences[:min(30, len(e.sentences))] {
		for _, m := range numberPattern.FindAllStringIndex(s.text, 50) {
			digits := s.text[m[0]:m[1]]
			_, decimals, fraction := strings.Cut(digits, ".")
			fits := isQuantity(s.text, m) && (!fraction || want.class != "integer") && (want.decimals == 0 || len(decimals) == want.decimals)
			v := number(digits)
			if _, again := scores[v]; fits && !again && !slices.Contains(e.terms, python.Str(v)) {
				list, scores[v] = append(list, v), s.score+e.around(s.text, m)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b python.Value) int { return cmp.Compare(scores[b], scores[a]) })
	return list
}

// around adds the weights of the terms around a match, discounted by distance.
func (e ranking) around(text string, m []int) (total float64) {
	before := words(text[:m[0]])
	slices.Reverse(before)
	for _, side := range [][]string{before, words(text[m[1]:])} {
		for i, w := range side[:min(20, len(side))] {
			if s := english.Stem(w, false); slices.Contains(e.terms, s) {
				total += float64(len(s)) / (1 + float64(i)/2)
			}
		}
	}
	return total
}

// item is a unit of evidence: a row of a result, or a part of the context.
type item struct {
	kind        string // a column of kinds
	text, label string // label is a caption or title
	paper       string // uuid or title; empty when unknown
	page        int64  // from 1; 0 when unknown
	box         python.List
}

// visible reports whether it is an item whose place on a page is known.
func (it *item) visible() bool { return it != nil && it.page > 0 && len(it.box) == 4 }

// The kinds of items are the columns with their text, and the columns with their label. The first that a row has decides.
var kinds = [][2]string{
	{"answer", ""},
	{"table_content", "table_caption"},
	{"image_caption", "image_caption"},
	{"equation_content", ""},
	{"text", ""},
	{"abstract", "title"},
}

func readItems(text string) (items []item) {
	for _, row := range evidence.Rows(strings.TrimPrefix(strings.TrimSpace(text), "[Observation]:")) {
		if row.Cells == nil {
			continue // it was cut off
		}
		cells := make(map[string]string)
		for _, c := range row.Cells {
			if cells[c.Name] = c.Text; c.Null() {
				cells[c.Name] = ""
			}
		}
		it := item{paper: cells["paper_id"] + cells["pdf_id"], page: int64(row.Page)}
		box, _ := python.FromJSON([]byte(cells["bounding_box"]))
		it.box, _ = box.(python.List)
		for _, k := range kinds {
			if _, ok := cells[k[0]]; ok {
				it.kind, it.text, it.label = k[0], cells[k[0]], cells[k[1]]
				break
			}
		}
		items = append(items, it)
	}
	return items
}

// readContext reads rows if there are any, otherwise papers, a material of question synthesis, or prose.
func readContext(text string) []item {
	items := readItems(text)
	if items != nil || strings.Contains(text, "[Error]") || strings.HasPrefix(strings.TrimSpace(text), "none, because") {
		return items
	}
	if fields := materialFields(text); len(fields) > 0 {
		text = strings.ReplaceAll(text, fields["Table in HTML"], "")
		items = []item{{kind: "table_content", text: fields["Table in HTML"]}}
	}
	for part := range strings.SplitSeq(text, "\n\n---\n\n") {
		if _, title, ok := strings.Cut(part, "[Title]: "); ok {
			title, part, _ = strings.Cut(title, "\n")
			items = append(items, item{kind: "abstract", label: title, text: part, paper: title})
		}
		items = append(items, item{text: part})
	}
	return items
}

func words(text string) []string { return strings.Fields(internal.Fold(text)) }

func setOf(text string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range words(text) {
		set[english.Stem(w, false)] = true
	}
	return set
}

// filler are question words without content.
var filler = setOf("paper according answer author article work find name give please much many exactly propose use figure table section")

// terms are the distinct stems of the content words of a text, in order.
func terms(text string) (list []string) {
	for _, w := range words(text) {
		if s := english.Stem(w, false); !english.IsStopWord(w) && !filler[s] && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

var (
	hyphenBreak = lazyregexp.New(`(\p{Ll})-\s*\n\s*(\p{Ll})`)
	// A short line before a capital is a heading or the end of a paragraph.
	blockEnd = lazyregexp.New(`(?m)([.?!:]|^.{1,40})\s*\n\s*([\p{Lu}\d])`)
)

// sentences are the sentences of a text, with lines and words hyphenated at their ends joined.
func sentences(text string) (list []string) {
	for block := range strings.SplitSeq(blockEnd.ReplaceAllString(text, "$1\x00$2"), "\x00") {
		list = append(list, internal.Sentences(strings.Join(strings.Fields(hyphenBreak.ReplaceAllString(block, "$1$2")), " "))...)
	}
	return list
}

// count reads a number in digits or, up to ten, as a word; 0 if it is neither.
func count(word string) int {
	n, err := strconv.Atoi(word)
	if err != nil {
		n = slices.Index(internal.Numerals[:11], strings.ToLower(word))
	}
	return max(n, 0)
}

// tableRows returns the text of each row of an HTML table.
func tableRows(html string) (list []string) {
	for _, cells := range evidence.TableCells(html) {
		list = append(list, strings.Join(cells, " "))
	}
	return list
}
