package bench

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"airqa/internal/files"
	"airqa/internal/lazyregexp"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/qa/dataset"
)

// ReadRatings reads a table with a line for each unit and a column for each rater, as pandas, R and spreadsheets write it: see
// docs/bench.md. A value has one label, however it is written.
func ReadRatings(path string) (t Ratings, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("read ratings: %s: %w", path, err)
		}
	}()
	text, err := files.ReadText(path)
	if err != nil {
		return t, err
	}
	s, err := splitSheet(text)
	if err != nil {
		return t, err
	}
	s.dropEmpty()
	units, raters := s.split()
	t.Raters = qa.Map(raters, func(c int) string { return s.head[c] })
	switch {
	case len(raters) < 2:
		return t, fmt.Errorf("it has %s; agreement needs two. %s", terminal.Plural(len(raters), "rater"), s.unitNote(units))
	case len(s.rows) == 0:
		return t, fmt.Errorf("it has no units; the first line names the raters, each further one is a unit: %w", io.ErrUnexpectedEOF)
	}
	l := labeller{spellings: make(map[string]map[string]bool), missing: make(map[string]int)}
	for i, row := range s.rows {
		t.Names = append(t.Names, fmt.Sprintf("line %d", s.lines[i]))
		t.Units = append(t.Units, qa.Map(raters, func(c int) string { return l.label(row[c]) }))
	}
	l.joinBooleans(t.Units)
	t.Notes = append([]string{s.unitNote(units)}, l.notes()...)
	t.Faults = s.repeated(path, units, raters)
	return t, nil
}

// sheet is a table of texts. Rows have as many cells as the head.
type sheet struct {
	head []string
	rows [][]string
	// lines are the line numbers of the rows.
	lines []int
}

// splitSheet finds out what separates the columns: of tab, semicolon and comma, the one that gives most columns and the
// same number in each line.
func splitSheet(text []byte) (sheet, error) {
	n := 0
	for line := range bytes.Lines(text) {
		if n++; !utf8.Valid(line) {
			return sheet{}, fmt.Errorf("line %d is not text in UTF-8; save the table as CSV in UTF-8", n)
		}
	}
	best, problem := readSheet(text, '\t')
	for _, comma := range []rune{';', ','} {
		t, err := readSheet(text, comma)
		if rankSheet(t, err) > rankSheet(best, problem) {
			best, problem = t, err
		}
	}
	switch {
	case problem == nil && len(best.head) == 0:
		return best, fmt.Errorf("it is empty: %w", io.ErrUnexpectedEOF)
	case problem == nil && len(best.head) == 1:
		return best, errors.New("it has one column; columns are separated by commas, semicolons or tabs, and each rater needs one")
	}
	return best, problem
}

// rankSheet puts tables before other readings of a file, and more columns before fewer.
func rankSheet(s sheet, err error) int {
	if err == nil && len(s.head) > 1 {
		return math.MaxInt32 + len(s.head)
	}
	return len(s.head)
}

// readSheet reads a table. A line may have one cell more than the head: R writes the names of rows without one.
func readSheet(text []byte, comma rune) (s sheet, err error) {
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, r.FieldsPerRecord, r.TrimLeadingSpace = comma, -1, comma != '\t'
	for {
		row, e := r.Read()
		if errors.Is(e, io.EOF) {
			return s, err
		}
		if e != nil {
			return s, e
		}
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
		line, _ := r.FieldPos(0)
		switch {
		case s.head == nil:
			s.head = row
			continue
		case s.rows == nil && len(row) == len(s.head)+1:
			s.head = append([]string{""}, s.head...)
		}
		if len(row) != len(s.head) && err == nil {
			err = fmt.Errorf("line %d has %s, the first line %d", line, terminal.Plural(len(row), "column"), len(s.head))
		}
		s.rows, s.lines = append(s.rows, row), append(s.lines, line)
	}
}

// dropEmpty removes rows without any value and columns without name and values, which spreadsheets leave behind.
func (s *sheet) dropEmpty() {
	var kept sheet
	for i, row := range s.rows {
		if strings.Join(row, "") != "" {
			kept.rows, kept.lines = append(kept.rows, row), append(kept.lines, s.lines[i])
		}
	}
	s.rows, s.lines = kept.rows, kept.lines
	for c := len(s.head) - 1; c >= 0; c-- {
		switch {
		case s.head[c] != "":
		case strings.Join(s.column(c), "") == "":
			s.head = slices.Delete(s.head, c, c+1)
			for i, row := range s.rows {
				s.rows[i] = slices.Delete(row, c, c+1)
			}
		case c > 0:
			s.head[c] = fmt.Sprintf("column %d", c+1)
		}
	}
}

func (s *sheet) column(c int) []string {
	return qa.Map(s.rows, func(row []string) string { return row[c] })
}

// unitHead matches the heads of columns that name units: id, question_id, itemID, number and the like.
var unitHead = lazyregexp.New(`^(?i:(?:.+[ _.-])?(?:id|uuid|qid|index|idx|key|nr)|` +
	`unit|item|row|number|#|question|example|sample|instance|case|subject|paper|document|doc|pair|record|task)$|[a-z]I[Dd]$`)

// unnamed matches the head of an index column without a name; pandas gives it one when it reads such a file.
var unnamed = lazyregexp.New(`(?i)^(unnamed: \d+)?$`)

// split returns the columns that name the unit, and those of the raters. The former have a head such as "item" or none;
// failing that, it is the first column if its values are names rather than ratings.
func (s *sheet) split() (units, raters []int) {
	named := slices.ContainsFunc(s.head, unitHead.MatchString)
	for c, head := range s.head {
		index := c == 0 && unnamed.MatchString(head)
		first := c == len(units) && !named && (c == 0 || c == 1 && unnamed.MatchString(s.head[0]))
		if index || unitHead.MatchString(head) || first && len(s.head) > c+2 && s.names(c) {
			units = append(units, c)
			continue
		}
		raters = append(raters, c)
	}
	return units, raters
}

// names reports whether the values of a column can only be names of units: all are different, and none could be a rating
// of the columns after it. Numbers from 0 or 1 on are names, too, unless the other columns are such rankings themselves.
func (s *sheet) names(c int) bool {
	values := s.column(c)
	if slices.Contains(values, "") || !allDistinct(values) {
		return false
	}
	numbers, whole := extentOf(values)
	if !whole {
		return false
	}
	among, repeats := false, false
	for other := c + 1; other < len(s.head); other++ {
		list := s.column(other)
		repeats = repeats || !allDistinct(list)
		among = among || slices.ContainsFunc(list, func(v string) bool {
			return v != "" && slices.Contains(values, v) || numbers.contains(v)
		})
	}
	return !among || numbers.isCount(len(values)) && repeats
}

// extent is the range of the numbers in a column. low is above high if there are none.
type extent struct{ low, high float64 }

// extentOf returns the range of the numbers among values; false if one of them is not whole, so that it names no unit.
func extentOf(values []string) (extent, bool) {
	e := extent{math.Inf(1), math.Inf(-1)}
	for _, v := range values {
		x, number := parseNumber(v)
		switch {
		case !number:
		case x != math.Trunc(x):
			return e, false
		default:
			e.low, e.high = min(e.low, x), max(e.high, x)
		}
	}
	return e, true
}

// contains reports whether a value is a number in the range.
func (e extent) contains(value string) bool {
	x, number := parseNumber(value)
	return number && e.low <= x && x <= e.high
}

// isCount reports whether n different numbers with this range count from 0 or 1 on.
func (e extent) isCount(n int) bool {
	return (e.low == 0 || e.low == 1) && e.high-e.low == float64(n-1)
}

func allDistinct(values []string) bool {
	return len(slices.Compact(slices.Sorted(slices.Values(values)))) == len(values)
}

// unitNote describes what was taken as the unit, and as raters.
func (s *sheet) unitNote(units []int) string {
	var names, raters []string
	for c, head := range s.head {
		switch {
		case !slices.Contains(units, c):
			raters = append(raters, head)
		case unnamed.MatchString(head):
			names = append(names, "the first column, an index")
		default:
			names = append(names, strconv.Quote(head))
		}
	}
	if len(names) == 0 {
		names = []string{"no column, each line is one"}
	}
	return fmt.Sprintf("Units: %s. Raters: %s.", strings.Join(names, ", "), strings.Join(raters, ", "))
}

// repeated reports units and raters that occur twice. An index does not count if another column names the unit.
func (s *sheet) repeated(path string, units, raters []int) (faults []*dataset.Fault) {
	fault := func(line int, format string, args ...any) {
		faults = append(faults, &dataset.Fault{Place: dataset.Place{File: path, Line: line}, Text: fmt.Sprintf(format, args...), Loaded: true})
	}
	heads := make(map[string]bool)
	for _, c := range raters {
		if heads[s.head[c]] {
			fault(1, "two raters are named %q; each column counts as a rater of its own", s.head[c])
		}
		heads[s.head[c]] = true
	}
	if len(units) > 1 && unnamed.MatchString(s.head[units[0]]) {
		units = units[1:]
	}
	lines := make(map[string]int)
	for i, row := range s.rows {
		id := qa.Map(units, func(c int) string { return row[c] })
		name := strings.Join(id, ", ")
		if first := lines[name]; first > 0 && strings.Join(id, "") != "" {
			fault(s.lines[i], "unit %q is in line %d, too; each line counts as a unit of its own", name, first)
			continue
		}
		lines[name] = s.lines[i]
	}
	return faults
}

// labeller gives each value one label.
type labeller struct {
	// spellings are the texts of each label, missing counts those of missing values.
	spellings map[string]map[string]bool
	missing   map[string]int
}

// missingValues are the texts that pandas and R write and read for a missing value, in small letters. "None" is one of
// them, "none" is a word.
var missingValues = []string{
	"na", "n/a", "#n/a", "#na", "<na>", "nan", "-nan", "null", "nat", "#n/a n/a", "1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan",
}

func (l labeller) label(text string) string {
	switch {
	case text == "", text == ".":
		return ""
	case text == "None" || slices.Contains(missingValues, strings.ToLower(text)):
		l.missing[text]++
		return ""
	}
	label := text
	if x, ok := parseNumber(text); ok {
		label = strconv.FormatFloat(x+0, 'f', -1, 64) // + 0: there is no -0
	} else if lower := strings.ToLower(text); lower == "true" || lower == "false" {
		label = lower
	}
	l.spell(label, text)
	return label
}

func (l labeller) spell(label, text string) {
	if l.spellings[label] == nil {
		l.spellings[label] = make(map[string]bool)
	}
	l.spellings[label][text] = true
}

var decimalComma = lazyregexp.New(`^[+-]?\d*,\d+(?:[eE][+-]?\d+)?$`)

// parseNumber reads a finite decimal number, with a point or a comma.
func parseNumber(text string) (float64, bool) {
	if decimalComma.MatchString(text) {
		text = strings.Replace(text, ",", ".", 1)
	}
	digits := strings.Trim(text, "+-0123456789") == ""
	const exactDigits = 15 // the number of digits that a floating-point number keeps. Longer integers are names.
	if strings.ContainsAny(text, "xXpP_") || digits && len(text) > exactDigits {
		return 0, false
	}
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil && !math.IsNaN(x) && !math.IsInf(x, 0)
}

// joinBooleans makes numbers of truth values if all other values are 0 and 1: one rater's column was written as numbers.
func (l labeller) joinBooleans(units [][]string) {
	words := map[string]string{"false": "0", "true": "1"}
	kinds := make(map[bool]bool)
	for label := range l.spellings {
		_, word := words[label]
		if !word && label != "0" && label != "1" {
			return
		}
		kinds[word] = true
	}
	if len(kinds) < 2 {
		return
	}
	for _, unit := range units {
		for i, v := range unit {
			unit[i] = cmp.Or(words[v], v)
		}
	}
	for word, number := range words {
		for text := range l.spellings[word] {
			l.spell(number, text)
		}
		delete(l.spellings, word)
	}
}

// notes list the texts that were taken as missing, those that share a label, and labels that differ only in their case.
func (l labeller) notes() []string {
	var notes, same, alike []string
	if len(l.missing) > 0 {
		texts := slices.Sorted(maps.Keys(l.missing))
		list := qa.Map(texts, func(text string) string { return fmt.Sprintf("%s (%d)", text, l.missing[text]) })
		notes = append(notes, "Read as missing: "+strings.Join(list, ", ")+".")
	}
	folded := make(map[string]string)
	for _, label := range slices.Sorted(maps.Keys(l.spellings)) {
		if texts := slices.Sorted(maps.Keys(l.spellings[label])); len(texts) > 1 {
			same = append(same, strings.Join(texts, " = "))
		}
		lower := strings.ToLower(label)
		if other, ok := folded[lower]; ok {
			alike = append(alike, other+" and "+label)
		}
		folded[lower] = label
	}
	if len(same) > 0 {
		notes = append(notes, "Spellings of one value: "+few(same)+".")
	}
	if len(alike) > 0 {
		notes = append(notes, "Labels that differ only in capital letters count as different: "+few(alike)+".")
	}
	return notes
}

// few lists the first texts.
func few(list []string) string {
	const most = 5
	if more := len(list) - most; more > 0 {
		list = append(slices.Clone(list[:most]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, "; ")
}
