package ingest_test

import (
	"fmt"
	"html"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"airqa/env/paperdb"
)

// madeText is the text of a paper in the parts that fields are searched in.
type madeText struct {
	paper paperdb.Paper
	parts map[string]view // title, abstract, pages, chunks, sections, cells, captions
	lines map[string]bool
	rows  [][]string
	heads []string // captions
}

// view is a text with one space for all whitespace, and the same in the form that numbers are compared in.
type view struct{ text, number string }

var (
	madeRow  = regexp.MustCompile(`(?s)<tr[^>]*>(.*?)</tr>`)
	madeCell = regexp.MustCompile(`(?s)<t[dh][^>]*>(.*?)</t[dh]>`)
	madeTag  = regexp.MustCompile(`<[^>]*>`)
)

func newMadeText(p paperdb.Paper) madeText {
	m := madeText{paper: p, lines: make(map[string]bool)}
	text := map[string]string{"title": p.Metadata.Title, "abstract": p.Metadata.Abstract}
	for _, page := range p.Pages {
		text["pages"] += page.Content + "\n"
	}
	for _, c := range p.Chunks {
		text["chunks"] += c.Text + "\n"
	}
	for _, s := range p.Sections {
		text["sections"] += s.Title + "\n" + s.Content + "\n"
	}
	for line := range strings.Lines(text["pages"] + text["sections"]) {
		m.lines[fold(line)] = true
	}
	for _, image := range p.Images {
		m.heads = append(m.heads, fold(image.Caption))
	}
	for _, table := range p.Tables {
		m.heads = append(m.heads, fold(table.Caption))
		for _, tr := range madeRow.FindAllStringSubmatch(table.Content, -1) {
			var row []string
			for _, td := range madeCell.FindAllStringSubmatch(tr[1], -1) {
				row = append(row, fold(html.UnescapeString(madeTag.ReplaceAllString(td[1], " "))))
			}
			m.rows = append(m.rows, row)
			text["cells"] += strings.Join(row, " | ") + "\n"
		}
	}
	text["captions"] = strings.Join(m.heads, "\n")
	m.parts = make(map[string]view)
	for name, t := range text {
		m.parts[name] = view{fold(t), foldNumber(t)}
	}
	return m
}

// judge compares a field with what was read.
func (m madeText) judge(f madeField) finding {
	out := finding{field: f}
	switch f.Kind {
	case "absent":
		if out.read = m.whereIs(f); out.read != "" {
			out.verdict = wrong
		}
	case "warning":
		out.read = strings.Join(m.paper.File.Problems, "; ")
		if !strings.Contains(strings.ToLower(out.read), f.Text) {
			out.verdict = missing
		}
	case "number":
		out.verdict, out.read = m.number(f)
		out.lost = out.verdict == missing && !slices.ContainsFunc(slices.Collect(maps.Values(m.parts)), f.in)
	default:
		out.verdict, out.read = m.words(f)
	}
	return out
}

// whereIs returns the name of a part that has a text that must be absent, or "".
func (m madeText) whereIs(f madeField) string {
	if f.Where == "line" {
		if m.lines[f.Text] {
			return "a line"
		}
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(m.parts)) {
		if f.in(m.parts[name]) {
			return name
		}
	}
	return ""
}

// number judges a number by its cell, or by the text between the words around it, in all parts that have them.
func (m madeText) number(f madeField) (verdict, string) {
	if f.Where == "cell" {
		return m.cell(f)
	}
	main := "pages"
	if f.Where == "abstract" {
		main = "abstract"
	}
	for _, name := range []string{main, "pages", "chunks", "sections"} {
		between, ok := f.between(m.parts[name].text)
		if !ok || hasNumber(foldNumber(between), f.forms()) {
			continue
		}
		if strings.ContainsFunc(between, unicode.IsDigit) {
			return wrong, between
		}
		return missing, between
	}
	if f.in(m.parts[main]) {
		return right, f.Text
	}
	return missing, ""
}

// cell judges a cell by its row and column.
func (m madeText) cell(f madeField) (verdict, string) {
	for _, row := range m.rows {
		at := slices.Index(row, f.Row)
		if at < 0 {
			continue
		}
		at += f.Column - f.Key
		switch {
		case at < 0 || at >= len(row) || row[at] == "":
			return missing, strings.Join(row, " | ")
		case hasNumber(foldNumber(row[at]), f.forms()):
			return right, f.Text
		case strings.ContainsFunc(row[at], unicode.IsDigit):
			return wrong, row[at]
		}
		return missing, row[at]
	}
	return missing, "no such row"
}

// words judges words. Those of a title, a caption or a reference must be the whole of it.
func (m madeText) words(f madeField) (verdict, string) {
	var wholes []string
	switch f.Where {
	case "title":
		wholes = []string{m.paper.Metadata.Title}
	case "section":
		for _, s := range m.paper.Sections {
			wholes = append(wholes, s.Title)
		}
	case "reference":
		for _, r := range m.paper.References {
			wholes = append(wholes, r.Content)
		}
	case "caption":
		wholes = m.heads
	case "abstract":
		return m.parts["abstract"].words(f)
	case "content":
		return m.parts["sections"].words(f)
	default:
		return m.parts["pages"].words(f)
	}
	best := ""
	for _, whole := range wholes {
		whole = fold(whole)
		for _, form := range f.forms() {
			if f.Kind == "label" && hasNumber(foldNumber(whole), []string{form}) || madeLabel.ReplaceAllString(whole, "") == madeLabel.ReplaceAllString(form, "") {
				return right, whole
			}
		}
		if likeness(whole, f.Text) > likeness(best, f.Text) {
			best = whole
		}
	}
	if f.Kind != "label" && (likeness(best, f.Text) > 0.4 || f.Where == "title" && best != "") {
		return wrong, best
	}
	return missing, best
}

// madeLabel is the number of a heading, a caption or a reference.
var madeLabel = regexp.MustCompile(`^((Table|Figure) [0-9]+[.:]?|\[[0-9]+\]|[0-9]+\.?) `)

var digits = regexp.MustCompile(`[0-9]+([.,][0-9]+)*`)

// hasOtherNumber reports whether a title, a caption or a reference is read with a number in place of a true one.
func (f madeField) hasOtherNumber(read string) bool {
	if !slices.Contains([]string{"title", "section", "caption", "reference"}, f.Where) {
		return false
	}
	got := digits.FindAllString(madeLabel.ReplaceAllString(read, ""), -1)
	return !slices.ContainsFunc(f.forms(), func(form string) bool {
		want := digits.FindAllString(form, -1)
		changed := func(n string) bool { return !slices.Contains(want, n) }
		lost := func(n string) bool { return !slices.Contains(got, n) }
		return !slices.ContainsFunc(got, changed) || !slices.ContainsFunc(want, lost)
	})
}

// words looks for words between those around them, else anywhere.
func (v view) words(f madeField) (verdict, string) {
	between, ok := f.between(v.text)
	for _, form := range f.forms() {
		if ok && strings.Contains(between, form) || !ok && strings.Contains(v.text, form) {
			return right, form
		}
	}
	if ok {
		return wrong, between
	}
	known, words := 0, strings.Fields(f.Text)
	for _, w := range words {
		if hasNumber(v.number, []string{w}) {
			known++
		}
	}
	if known*2 >= len(words) {
		return wrong, fmt.Sprintf("%d of %d words", known, len(words))
	}
	return missing, ""
}

// in reports whether a text has the field.
func (f madeField) in(v view) bool { return hasNumber(v.number, f.forms()) }

// between returns the text between the words around a field, which are at most 60 bytes apart.
func (f madeField) between(text string) (string, bool) {
	_, rest, ok := strings.Cut(" "+text, " "+f.Before+" ")
	if !ok || f.Before == "" {
		return "", false
	}
	if at := strings.Index(rest+" ", f.After+" "); at == 0 {
		return "", true
	}
	between, _, ok := strings.Cut(rest+" ", " "+f.After+" ")
	if !ok || len(between) > 60 {
		return "", false
	}
	return between, true
}

// fold makes one space of all whitespace.
func fold(s string) string { return strings.Join(strings.Fields(s), " ") }

// foldNumber also writes all dashes as "-" and keeps a space only between letters, digits and points: "5 × 10^ −4" and
// "5×10^-4" are the same, "250 1" and "2501" are not.
func foldNumber(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune("‐‑‒–—−", r):
			return '-'
		case r == '∗':
			return '*'
		case r == '◦', r == '∘':
			return '°'
		case r >= 0x1D400 && r <= 0x1D7FF: // italic and bold letters and digits of formulas
			plain, _ := utf8.DecodeRuneInString(norm.NFKC.String(string(r)))
			return plain
		}
		return r
	}, fold(s))
	var b strings.Builder
	last := ' '
	for i, r := range s {
		next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
		if r == ' ' && (!wordRune(last) || !wordRune(next)) {
			continue
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '.' || r == ',' }

// hasNumber reports whether a text, as [foldNumber] returns it, has one of the forms as it is: no digit, sign, point,
// exponent or index joins it.
func hasNumber(text string, forms []string) bool {
	for _, form := range forms {
		form = foldNumber(form)
		for from := 0; ; {
			at := strings.Index(text[from:], form)
			if at < 0 {
				break
			}
			at += from
			if standsAlone(text[:at], form, text[at+len(form):]) {
				return true
			}
			from = at + 1
		}
	}
	return false
}

func standsAlone(before, form, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	if first, _ := utf8.DecodeRuneInString(form); wordRune(first) {
		if unicode.IsLetter(last) || unicode.IsDigit(last) || strings.ContainsRune("^_-+", last) {
			return false
		}
		if trimmed := strings.TrimRight(before, ".,"); trimmed != before && unicode.IsDigit(first) {
			if r, _ := utf8.DecodeLastRuneInString(trimmed); unicode.IsDigit(r) {
				return false
			}
		}
	}
	next, size := utf8.DecodeRuneInString(after)
	end, _ := utf8.DecodeLastRuneInString(form)
	if !wordRune(end) {
		return true
	}
	follows, _ := utf8.DecodeRuneInString(after[min(size, len(after)):])
	joins := unicode.IsLetter(next) || unicode.IsDigit(next) || strings.ContainsRune("^_", next)
	return !joins && (!strings.ContainsRune(".,-", next) || !unicode.IsDigit(follows))
}

func TestMadeNumbersAreComparedWhole(t *testing.T) {
	tests := []struct {
		text, number string
		want         bool
	}{
		{"10^20 joules", "10^20", true},
		{"10^ 20 joules", "10^20", true},
		{"1020 joules", "10^20", false},
		{"10 20 joules", "10^20", false},
		{"5 × 10^ −4 of", "5×10^-4", true},
		{"10^−4", "10", false},
		{"used 250 1 papers", "250", true},
		{"used 2501 papers", "250", false},
		{"in 1998. 7 The", "1998", true},
		{"in 1998.7 The", "1998", false},
		{"1,234", "234", false},
		{"0.31_0.02", "0.31", false},
		{"3.5a", "3.5", false},
		{"is 3.5.", "3.5", true},
		{"− 1.5", "−1.5", true},
		{"−1.5", "1.5", false},
		{"1.5", "−1.5", false},
		{"117 119", "117–119", false},
		{"117-119", "117–119", true},
		{"25 ◦C", "25 °C", true},
		{"𝑝 ≤ 0.05", "p ≤ 0.05", true},
		{"p 0.05", "p ≤ 0.05", false},
	}
	for _, tt := range tests {
		if got := hasNumber(foldNumber(tt.text), []string{tt.number}); got != tt.want {
			t.Errorf("%q in %q: %v", tt.number, tt.text, got)
		}
	}
}
