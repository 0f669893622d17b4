package offline

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"airqa/internal/python"
)

// readMaterial returns the labelled parts of a context as items.
func readMaterial(text string) (items []item) {
	a := author{material: text, fields: make(map[string]string)}
	a.readFields()
	caption := a.fields["Caption"]
	for _, label := range slices.Sorted(maps.Keys(a.fields)) {
		value := a.fields[label]
		switch label {
		case "Table in HTML":
			items = append(items, item{kind: table, text: value, label: caption})
		case "Formula":
			items = append(items, item{kind: equation, text: value})
		case "Abstract", "Title":
			// They identify the paper and hold no answer.
		case "Caption":
			items = append(items, item{kind: figure, text: value, label: value})
		case "Section", "Section 2":
			// They are the labels of the texts.
		case "Text", "Text 2":
			heading := a.fields["Section"+strings.TrimPrefix(label, "Text")]
			items = append(items, item{text: value, label: sectionNumber.ReplaceAllString(heading, "")})
		default:
			items = append(items, item{text: value})
		}
	}
	return items
}

var (
	quotedStatement = regexp.MustCompile(`“([^”]*` + blank + `[^”]*)”`)
	quotedCaption   = regexp.MustCompile(`number of the figure with the caption “([^”]+)”`)
	quotedPlace     = regexp.MustCompile(`Which section of the paper says “([^”]+)”: “`)
	quotedCell      = regexp.MustCompile(`In the results on “([^”]*)”, which value does “(.+)” have in the column “([^”]+)”`)
	symbolValue     = regexp.MustCompile(`(?:Which value does the symbol|do the authors set) (\S+?)(?: have|\?)`)
	metadataQuery   = regexp.MustCompile(`(?:How many (pages|authors)|the (first|last) (author)|In which (year)|At which (conference))\b.*\bpaper\b`)
	spaces          = regexp.MustCompile(`[\s-]+`)
)

// stated answers questions whose exact answer is in a text: a number missing from a quoted statement, a cell of a table,
// the number of a figure, bibliographic data.
func (t *task) stated() (python.Value, bool) {
	if m := quotedCell.FindStringSubmatch(t.question); m != nil {
		return t.cell(m[1], m[2], m[3])
	}
	if m := quotedPlace.FindStringSubmatch(t.question); m != nil {
		return t.sectionOf(m[1])
	}
	if m := quotedCaption.FindStringSubmatch(t.question); m != nil {
		return t.match(`(?i)\b(?:Figure|Fig\.) (\d+)[:.]? ` + loosely(m[1]))
	}
	if m := symbolValue.FindStringSubmatch(t.question); m != nil {
		return t.match(regexp.QuoteMeta(m[1]) + ` = (\d+(?:\.\d+)?)`)
	}
	if m := metadataQuery.FindStringSubmatch(t.question); m != nil {
		return t.metadata(strings.Join(m[1:], ""))
	}
	var list python.List
	for _, m := range quotedStatement.FindAllStringSubmatch(t.question, -1) {
		before, after, _ := strings.Cut(m[1], blank)
		v, ok := t.match(loosely(before) + `(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)` + loosely(after))
		if !ok {
			return nil, false
		}
		list = append(list, v)
	}
	switch len(list) {
	case 0:
		return nil, false
	case 1:
		return list[0], true
	}
	return list, true
}

// loosely matches a text with any line breaks and hyphenation.
func loosely(text string) string {
	var b strings.Builder
	for i, part := range spaces.Split(text, -1) {
		if i > 0 {
			b.WriteString(`[\s-]*`)
		}
		b.WriteString(regexp.QuoteMeta(part))
	}
	return b.String()
}

// match returns the number that a pattern captures in one of the items.
func (t *task) match(pattern string) (python.Value, bool) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, false
	}
	for _, it := range t.items {
		for _, text := range []string{it.text, it.label} {
			if m := re.FindStringSubmatch(text); m != nil {
				return number(m[1]), true
			}
		}
	}
	return nil, false
}

// number reads an integer or a decimal.
func number(text string) python.Value {
	digits := strings.ReplaceAll(text, ",", "")
	if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
		return n
	}
	x, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return text
	}
	return x
}

// sectionOf returns the heading of the section with a statement.
func (t *task) sectionOf(statement string) (python.Value, bool) {
	re, err := regexp.Compile(loosely(statement))
	if err != nil {
		return nil, false
	}
	for _, it := range t.items {
		if it.label != "" && re.MatchString(it.text) {
			return it.label, true
		}
	}
	return nil, false
}

// cell returns the cell of a row and a column, in the table whose caption contains a text.
func (t *task) cell(caption, row, column string) (python.Value, bool) {
	for _, it := range t.items {
		if it.kind != table || !strings.Contains(it.label, caption) {
			continue
		}
		at := -1
		for _, cells := range tableRows(it.text) {
			for j, c := range cells {
				if c == column && at < 0 {
					at = j
				}
			}
			if cells[0] == row && at > 0 && at < len(cells) {
				return number(cells[at]), true
			}
		}
	}
	return nil, false
}

// metadata returns a line of bibliographic data.
func (t *task) metadata(what string) (python.Value, bool) {
	labels := map[string]string{
		"pages": "Number of pages", "authors": "Number of authors", "firstauthor": "Authors", "lastauthor": "Authors", "year": "Year", "conference": "Conference",
	}
	for _, it := range t.items {
		for line := range strings.Lines(it.text) {
			value, found := strings.CutPrefix(strings.TrimSpace(line), labels[what]+": ")
			if !found {
				continue
			}
			names := strings.Split(value, ", ")
			switch what {
			case "firstauthor":
				return names[0], true
			case "lastauthor":
				return names[len(names)-1], true
			case "conference":
				return value, true
			}
			return number(value), true
		}
	}
	return nil, false
}
