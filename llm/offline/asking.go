package offline

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// blank stands for the missing number of a statement.
const blank = "___"

var (
	// inPlace are words that only make sense on the page.
	inPlace = regexp.MustCompile(`(?i)\b(?:table|figure|fig|section|equation|eq|here|this|these|those|its|their|above|below)\b|\bet al\b|\[\d`)
	// quantity is a subject, a verb, a number and what it counts.
	quantity = regexp.MustCompile(`^((?:(?:The|A|An|Each|Every|Our) )?[\p{L}\p{N}@-]+(?: [\p{L}\p{N}-]+){0,3}) (has|have|holds|contains|keeps|takes|uses|needs|reaches|covers|adds|loses|consumes|returns|gives|draws|costs|finishes in|use|draw|keep|take|test|compare|release) ` +
		`(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)(?: (million|billion))? ([\p{L}-]+)`)
	// footnote is the mark of a footnote after a full stop.
	footnote = regexp.MustCompile(`\p{Ll}[.,]\d`)
	setting  = regexp.MustCompile(`\bWe (set|use) (\S{1,3}) = (\d+(?:\.\d+)?)\b`)
	pronouns = []string{"It", "They", "This", "That", "There", "He", "She", "Which", "What", "Both"}
)

// lemmas are the base forms of verbs that do not just end in s.
var lemmas = map[string]string{"has": "have", "reaches": "reach", "loses": "lose", "uses": "use", "takes": "take", "finishes in": "finish in"}

// statements returns the sentences of a text that can be read alone: complete ones of a moderate length that point at
// nothing on the page.
func statements(text string, most int) (list []string) {
	for _, s := range sentences(text) {
		s = strings.TrimSpace(s)
		n := len(words(s))
		if n >= 5 && n <= most && strings.HasSuffix(s, ".") && !inPlace.MatchString(s) && !footnote.MatchString(s) {
			list = append(list, s)
		}
	}
	return list
}

// aboutText asks for numbers in a text.
func aboutText(text string) (list []question) {
	for _, s := range statements(text, 40) {
		if strings.Contains(s, "=") && !setting.MatchString(s) {
			continue
		}
		if q, ok := howMany(s); ok {
			list = append(list, q)
		} else if m := setting.FindStringSubmatch(s); m != nil {
			list = append(list, question{fmt.Sprintf("To which value do the authors set %s?", m[2]), m[3], s})
		} else if q, ok := blankOut(s); ok {
			q.text = "Which number completes the statement “" + q.text + "”?"
			list = append(list, q)
		}
	}
	return list
}

// howMany turns "PaperTrail holds 1,248 questions" into a question.
func howMany(s string) (question, bool) {
	m := quantity.FindStringSubmatch(s)
	if m == nil || slices.Contains(pronouns, strings.Fields(m[1])[0]) || strings.Contains(m[1], " and ") {
		return question{}, false
	}
	subject, verb, does := lowerArticle(m[1]), m[2], "does"
	base, irregular := lemmas[verb]
	if !irregular {
		base = strings.TrimSuffix(verb, "s")
	}
	switch {
	case subject == "We":
		subject, does = "the authors", "do"
	case base == verb:
		does = "do"
	}
	counted := strings.TrimSpace(m[4] + " " + m[5])
	return question{fmt.Sprintf("How many %s %s %s %s?", counted, does, subject, base), strings.ReplaceAll(m[3], ",", ""), s}, true
}

func lowerArticle(subject string) string {
	for _, article := range []string{"The ", "A ", "An ", "Each ", "Every ", "Our "} {
		if strings.HasPrefix(subject, article) {
			return strings.ToLower(subject[:1]) + subject[1:]
		}
	}
	if first, _, _ := strings.Cut(subject, " "); strings.HasSuffix(first, "ing") {
		return strings.ToLower(subject[:1]) + subject[1:]
	}
	return subject
}

// blankOut replaces the first number of a statement that stands for a quantity.
func blankOut(s string) (question, bool) {
	s = strings.TrimRight(strings.TrimSpace(s), ".")
	for _, m := range numberPattern.FindAllStringIndex(s, -1) {
		digits := strings.ReplaceAll(s[m[0]:m[1]], ",", "")
		if year.MatchString(digits) || labelBefore.MatchString(s[max(0, m[0]-12):m[0]]) || joinedAfter.MatchString(s[m[1]:]) ||
			strings.Count(s, s[m[0]:m[1]]) > 1 || strings.ContainsAny(s, "“”\n") {
			continue
		}
		return question{s[:m[0]] + blank + s[m[1]:], digits, s}, true
	}
	return question{}, false
}

// sectionNumber is the number of a heading.
var sectionNumber = regexp.MustCompile(`^(?:[\dA-Z]+(?:\.\d+)*\.?|[IVX]+\.) `)

// aboutPlace asks in which of two sections a statement is.
func (a *author) aboutPlace() (list []question) {
	titles := []string{sectionNumber.ReplaceAllString(a.fields["Section"], ""), sectionNumber.ReplaceAllString(a.fields["Section 2"], "")}
	for i, label := range []string{"Text", "Text 2"} {
		for _, s := range statements(a.fields[label], 30) {
			if s = strings.TrimRight(s, "."); strings.ContainsAny(s, "“”=") {
				continue
			}
			list = append(list, question{
				text:   fmt.Sprintf("Which section of the paper says “%s”: “%s” or “%s”?", s, titles[0], titles[1]),
				answer: titles[i],
				// One line from each section proves that the other one is another section.
				evidence: s + "\n" + firstWords(a.fields[[]string{"Text 2", "Text"}[i]]),
			})
		}
	}
	return list
}

// firstWords returns the beginning of a text.
func firstWords(text string) string {
	list := strings.Fields(text)
	return strings.Join(list[:min(len(list), 8)], " ")
}

// aboutSections asks for a number of each section, or else for the place of a statement.
func (a *author) aboutSections() (list []question) {
	var each [2][]question
	for i, label := range []string{"Text", "Text 2"} {
		for _, s := range statements(a.fields[label], 20) {
			if q, ok := blankOut(s); ok && !strings.Contains(s, "=") {
				each[i] = append(each[i], q)
			}
		}
	}
	for _, first := range each[0] {
		for _, second := range each[1] {
			list = append(list, question{
				text:     fmt.Sprintf("Which two numbers complete these statements, in this order: “%s” and “%s”?", first.text, second.text),
				answer:   fmt.Sprintf("[%s, %s]", first.answer, second.answer),
				evidence: first.evidence + "\n" + second.evidence,
			})
		}
	}
	if len(list) == 0 {
		return a.aboutPlace()
	}
	return list
}

// tableLabel matches the label of a caption.
var tableLabel = regexp.MustCompile(`(?i)^(?:figure|fig\.?|table) ([\dIVX]+)\s*[:.]?\s*`)

// aboutTable asks for cells with numbers.
func (a *author) aboutTable() (list []question) {
	rows := tableRows(a.fields["Table in HTML"])
	caption := firstClause(tableLabel.ReplaceAllString(a.fields["Caption"], ""))
	head := slices.IndexFunc(rows, func(row []string) bool { return !slices.ContainsFunc(row[1:], plainNumber.MatchString) })
	for head >= 0 && head+1 < len(rows) && len(rows[head+1]) != len(rows[head]) {
		head++ // a heading that spans columns
	}
	if head < 0 {
		return nil
	}
	for _, row := range rows[head+1:] {
		if len(row) == len(rows[head]) && row[0] != "" && unique(rows, row[0]) {
			list = append(list, aboutRow(caption, rows[head], row)...)
		}
	}
	return list
}

// aboutRow asks for the numbers of a row.
func aboutRow(caption string, head, row []string) (list []question) {
	for j, column := range head {
		if j > 0 && column != "" && plainNumber.MatchString(row[j]) {
			list = append(list, question{
				fmt.Sprintf("In the results on “%s”, which value does “%s” have in the column “%s”?", caption, row[0], column),
				strings.ReplaceAll(row[j], ",", ""), strings.Join(row, " "),
			})
		}
	}
	return list
}

var plainNumber = regexp.MustCompile(`^(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?$`)

func unique(rows [][]string, label string) bool {
	n := 0
	for _, row := range rows {
		if row[0] == label {
			n++
		}
	}
	return n == 1
}

// tableRows returns the cells of each row of an HTML table.
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

// firstClause returns a caption up to its first comma or full stop.
func firstClause(caption string) string {
	if at := strings.IndexAny(caption, ",.;("); at > 15 {
		caption = caption[:at]
	}
	return strings.TrimSpace(caption)
}

// aboutFigure asks for the number of a figure.
func (a *author) aboutFigure() (list []question) {
	caption := a.fields["Caption"]
	m := tableLabel.FindStringSubmatch(caption)
	if m == nil {
		return nil
	}
	rest := tableLabel.ReplaceAllString(caption, "")
	if s := sentences(rest); len(s) > 0 && plainNumber.MatchString(m[1]) {
		list = append(list, question{
			fmt.Sprintf("What is the number of the figure with the caption “%s”?", strings.TrimRight(s[0], ".")), m[1], caption,
		})
	}
	return list
}

var (
	definition = regexp.MustCompile(`^\s*([\p{L}][\p{L}\p{N}⋆*]{0,6}(?:\([^()=]{1,12}\))?)\s*=\s*(\S.*\S)`)
	symbol     = regexp.MustCompile(`(?:with|where|set)(?: \p{Ll}+)? (\p{Greek}) = (\d+(?:\.\d+)?)\b`)
)

// aboutFormula asks for the formula of a symbol, and for the values of the symbols around it.
func (a *author) aboutFormula() (list []question) {
	formula := mathMarks.ReplaceAllString(strings.TrimSpace(a.fields["Formula"]), "")
	if m := definition.FindStringSubmatch(formula); m != nil {
		list = append(list, question{"Which formula defines the quantity " + m[1] + "?", strings.TrimRight(formula, " ,."), a.fields["Formula"]})
	}
	for _, m := range symbol.FindAllStringSubmatch(a.fields["Text of the page"], 20) {
		if strings.Contains(formula, m[1]) {
			list = append(list, question{"Which value does the symbol " + m[1] + " have in the experiments?", m[2], m[0]})
		}
	}
	return list
}

// aboutMetadata asks for the data of a publication.
func (a *author) aboutMetadata() (list []question) {
	data := make(map[string]string)
	for line := range strings.Lines(a.fields["Bibliographic data"]) {
		if label, value, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			data[label] = value
		}
	}
	name, _, _ := strings.Cut(data["Title"], ":")
	name = "the " + name + " paper"
	if a.fields["Abstract"] != "" { // the question describes the paper
		name = "that paper"
	}
	add := func(label, text, answer string) {
		if answer != "" {
			list = append(list, question{fmt.Sprintf(text, name), answer, label + ": " + data[label]})
		}
	}
	authors := strings.Split(data["Authors"], ", ")
	add("Number of pages", "How many pages does %s have?", data["Number of pages"])
	add("Number of authors", "How many authors does %s have?", data["Number of authors"])
	add("Authors", "Who is the first author of %s?", authors[0])
	add("Authors", "Who is the last author of %s?", authors[len(authors)-1])
	add("Year", "In which year was %s published?", data["Year"])
	add("Conference", "At which conference was %s published?", data["Conference"])
	return list
}
