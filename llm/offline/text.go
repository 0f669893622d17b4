package offline

import (
	"slices"
	"strconv"
	"strings"

	"airqa/internal/lazyregexp"

	"github.com/kljensen/snowball/english"
)

var wordPattern = lazyregexp.New(`[\p{L}\p{N}]+(?:[.,]\d+)*`)

// greek spells out Greek letters.
var greek = strings.NewReplacer("α", " alpha ", "β", " beta ", "γ", " gamma ", "κ", " kappa ", "λ", " lambda ", "η", " eta ", "θ", " theta ")

// words are the words of a text in lower case.
func words(text string) []string {
	return wordPattern.FindAllString(strings.ToLower(greek.Replace(text)), -1)
}

func stem(word string) string { return english.Stem(word, false) }

func setOf(text string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range words(text) {
		set[stem(w)] = true
	}
	return set
}

// filler are question words without content.
var filler = setOf("paper according answer author article work find name give please much many exactly propose use figure table section")

// terms are the distinct stems of the content words of a text, in order.
func terms(text string) []string {
	var list []string
	for _, w := range words(text) {
		if s := stem(w); !english.IsStopWord(w) && !filler[s] && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

var (
	hyphenBreak = lazyregexp.New(`(\p{Ll})-\s*\n\s*(\p{Ll})`)
	// A short line before a capital is a heading or the end of a paragraph.
	blockEnd    = lazyregexp.New(`(?m)([.?!:]|^.{1,40})\s*\n\s*([\p{Lu}\d])`)
	sentenceEnd = lazyregexp.New(`([\p{Ll}\p{N})”"][.?!]["”’)]*)\s+([\p{Lu}“])`)
)

// sentences joins the lines of a text and words hyphenated at their ends.
func sentences(text string) []string {
	var list []string
	for block := range strings.SplitSeq(blockEnd.ReplaceAllString(text, "$1\x00$2"), "\x00") {
		block = strings.Join(strings.Fields(hyphenBreak.ReplaceAllString(block, "$1$2")), " ")
		list = append(list, strings.Split(sentenceEnd.ReplaceAllString(block, "$1\x00$2"), "\x00")...)
	}
	return list
}

var counts = strings.Fields("zero one two three four five six seven eight nine ten")

// count reads a number in digits or, up to ten, as a word; 0 if it is neither.
func count(word string) int {
	if n, err := strconv.Atoi(word); err == nil {
		return max(n, 0)
	}
	return max(slices.Index(counts, strings.ToLower(word)), 0)
}

var (
	rowPattern  = lazyregexp.New(`(?is)<tr[^>]*>.*?</tr>`)
	cellPattern = lazyregexp.New(`(?is)<t[hd][^>]*>(.*?)</t[hd]>`)
)

// tableRows returns the cells of each row of an HTML table that has at least two.
func tableRows(html string) (rows [][]string) {
	for _, row := range rowPattern.FindAllString(html, 300) {
		var cells []string
		for _, m := range cellPattern.FindAllStringSubmatch(row, 50) {
			cells = append(cells, strings.TrimSpace(m[1]))
		}
		if len(cells) > 1 {
			rows = append(rows, cells)
		}
	}
	return rows
}

// cell is a cell of a table that has a row label and a column heading.
type cell struct {
	row          []string
	column, text string
}

// label comes before the content in the sentence for a cell.
func (c cell) label() string { return c.row[0] + "; " + c.column + ": " }

// tableCells returns the cells below the heading, which is the first row, or the second if the first has other columns.
func tableCells(rows [][]string) (list []cell) {
	for len(rows) > 1 && len(rows[0]) != len(rows[1]) {
		rows = rows[1:]
	}
	for _, row := range rows[min(1, len(rows)):] {
		for j := 1; j < min(len(rows[0]), len(row)); j++ {
			list = append(list, cell{row, rows[0][j], row[j]})
		}
	}
	return list
}
