package offline

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"airqa/internal/lazyregexp"
)

// author writes questions about a material by rules. It knows nothing but the text of the prompt.
type author struct {
	prompt   string
	material string            // between the lines of equals signs
	fields   map[string]string // of the material, see [materialFields]
}

// question is a question that the author may ask.
type question struct{ text, answer, evidence string }

// The beginnings of the prompts.
const (
	asksQuestion  = "You write exam questions about research papers"
	asksRetrieval = "You write questions that ask for a research paper"
	asksEvaluator = "You turn questions about research papers into examples"
)

var (
	fieldPattern  = lazyregexp.New(`(?m)^(Title|Abstract|Section|Text|Caption|Table in HTML|Formula|Text of the page|Bibliographic data):\n`)
	numberOfAsked = lazyregexp.New(`This is question number (\d+)`)
	between       = lazyregexp.New(`(?s)\n={10}\n(.*)\n={10}\n`)
)

// write returns the reply to a prompt of question synthesis; false for other prompts.
func write(prompt string) (reply string, ok bool) {
	m := between.FindStringSubmatch(prompt)
	if m == nil {
		return "", false
	}
	a := author{prompt: prompt, material: m[1], fields: materialFields(m[1])}
	var list []question
	switch {
	case strings.HasPrefix(prompt, asksEvaluator):
		return a.evaluator(), true
	case strings.HasPrefix(prompt, asksRetrieval):
		list = a.descriptions()
	case strings.HasPrefix(prompt, asksQuestion):
		list = a.questions()
	default:
		return "", false
	}
	if len(list) == 0 {
		return "[Thought]: My rules find nothing to ask about here.", true
	}
	q := list[a.choice(len(list))]
	text := "[Thought]: Rule-based; this is one of " + strconv.Itoa(len(list)) + " questions.\n```txt\n[Question]: " + q.text
	if q.answer != "" {
		text += "\n[Answer]: " + q.answer + "\n[Evidence]: " + q.evidence
	}
	return text + "\n```", true
}

// materialFields returns the parts of a material by label; the second of two with one label is "Text 2".
func materialFields(material string) map[string]string {
	fields := make(map[string]string)
	starts := append(fieldPattern.FindAllStringSubmatchIndex(material, -1), []int{len(material)})
	for i, m := range starts[:len(starts)-1] {
		label := material[m[2]:m[3]]
		if fields[label] != "" {
			label += " 2"
		}
		fields[label] = strings.TrimSpace(material[m[1]:starts[i+1][0]])
	}
	return fields
}

// choice picks one of n questions: another one for another material, and for each further question about the same one.
func (a *author) choice(n int) int {
	asked := 1
	if m := numberOfAsked.FindStringSubmatch(a.prompt); m != nil {
		asked, _ = strconv.Atoi(m[1])
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(a.material)) // a hash never fails
	return (int(h.Sum32()%1000) + asked) % n
}

// questions lists what can be asked about a part of a paper. With a title and an abstract, each begins with a description
// of the paper.
func (a *author) questions() []question {
	var list []question
	switch {
	case a.fields["Table in HTML"] != "":
		list = a.aboutTable()
	case a.fields["Formula"] != "":
		list = a.aboutFormula()
	case a.fields["Caption"] != "":
		list = a.aboutFigure()
	case a.fields["Bibliographic data"] != "":
		list = a.aboutMetadata()
	case a.fields["Text 2"] != "":
		list = a.aboutSections()
	default:
		for _, q := range incomplete(a.fields["Text"], 40) {
			q.text = "Which number completes the statement " + q.text + "?"
			list = append(list, q)
		}
	}
	if a.fields["Abstract"] == "" {
		return list
	}
	papers := a.descriptions()
	if len(papers) == 0 {
		return nil
	}
	paper := strings.TrimSuffix(strings.TrimPrefix(papers[0].text, "Which paper "), "?")
	list = slices.DeleteFunc(list, func(q question) bool { return a.names(q.text) })
	for i := range list {
		list[i].text = "Find the paper that " + paper + ". " + list[i].text
	}
	return list
}

// names reports whether a text has the title of the paper, or the name before its colon.
func (a *author) names(text string) bool {
	name, _, _ := strings.Cut(a.fields["Title"], ":")
	return strings.Contains(strings.ToLower(text), strings.ToLower(name))
}

var (
	presents = lazyregexp.New(`\b(?:We (?:present|propose|introduce)) [\p{L}\p{N}-]+, (an? .+)$`)
	pronouns = []string{"It", "They", "This", "That", "There", "He", "She", "Which", "What", "Both"}
)

// descriptions lists questions that ask for the paper by its abstract, without its name.
func (a *author) descriptions() (list []question) {
	for i, s := range sentences(a.fields["Abstract"]) {
		s = strings.TrimRight(strings.TrimSpace(s), ".")
		m := presents.FindStringSubmatch(s)
		switch {
		case m != nil && !a.names(m[1]):
			list = append(list, question{text: "Which paper presents " + m[1] + "?"})
		case a.names(s) || len(words(s)) < 6 || inPlace.MatchString(s) || slices.Contains(pronouns, strings.Fields(s)[0]):
		case i == 0:
			list = append(list, question{text: "Which paper starts from the observation that " + lowerFirst(s) + "?"})
		default:
			list = append(list, question{text: "Which paper reports that " + lowerFirst(s) + "?"})
		}
	}
	return list
}

// lowerFirst writes the first letter of a sentence small, unless the first word looks like a name.
func lowerFirst(s string) string {
	first, _, _ := strings.Cut(s, " ")
	if len(first) < 2 && first != "A" || strings.ToLower(first[1:]) != first[1:] || strings.ContainsAny(first, "-0123456789") {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// blank stands for the missing number of a statement.
const blank = "___"

var (
	// inPlace are words that only make sense on the page.
	inPlace = lazyregexp.New(`(?i)\b(?:table|figure|fig|section|equation|eq|here|this|these|those|its|their|above|below)\b|\bet al\b|\[\d`)
	// footnote is the mark of a footnote after a full stop.
	footnote    = lazyregexp.New(`\p{Ll}[.,]\d`)
	plainNumber = lazyregexp.New(`^(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?$`)
)

// incomplete returns the statements of a text, in quotes, without their first number. They are complete sentences of 5 to
// most words that can be read alone.
func incomplete(text string, most int) (list []question) {
	for _, s := range sentences(text) {
		s = strings.TrimSpace(s)
		n := len(words(s))
		if n < 5 || n > most || !strings.HasSuffix(s, ".") || inPlace.MatchString(s) || footnote.MatchString(s) || strings.ContainsAny(s, "“”=") {
			continue
		}
		s = strings.TrimRight(s, ".")
		for _, m := range numberPattern.FindAllStringIndex(s, -1) {
			if isQuantity(s, m) && strings.Count(s, s[m[0]:m[1]]) == 1 {
				list = append(list, question{"“" + s[:m[0]] + blank + s[m[1]:] + "”", strings.ReplaceAll(s[m[0]:m[1]], ",", ""), s})
				break
			}
		}
	}
	return list
}

// aboutSections asks for a number of each of two sections.
func (a *author) aboutSections() (list []question) {
	for _, first := range incomplete(a.fields["Text"], 40) {
		for _, second := range incomplete(a.fields["Text 2"], 40) {
			list = append(list, question{
				text:     fmt.Sprintf("Which two numbers complete these statements, in this order: %s and %s?", first.text, second.text),
				answer:   fmt.Sprintf("[%s, %s]", first.answer, second.answer),
				evidence: first.evidence + "\n" + second.evidence,
			})
		}
	}
	return list
}

// captionLabel matches the label of a caption.
var captionLabel = lazyregexp.New(`(?i)^(?:figure|fig\.?|table) ([\dIVX]+)\s*[:.]?\s*`)

// aboutTable asks for the numbers of rows whose label is unique.
func (a *author) aboutTable() (list []question) {
	rows := tableRows(a.fields["Table in HTML"])
	caption := captionLabel.ReplaceAllString(a.fields["Caption"], "")
	if at := strings.IndexAny(caption, ",.;("); at > 15 {
		caption = caption[:at]
	}
	labels := make(map[string]int)
	for _, row := range rows {
		labels[row[0]]++
	}
	for _, c := range tableCells(rows) {
		if labels[c.row[0]] > 1 || !plainNumber.MatchString(c.text) || plainNumber.MatchString(c.column) {
			continue
		}
		text := fmt.Sprintf("In the table on “%s”, which number completes “%s”?", strings.TrimSpace(caption), c.label()+blank)
		list = append(list, question{text, strings.ReplaceAll(c.text, ",", ""), strings.Join(c.row, " ")})
	}
	return list
}

// aboutFigure asks for the number of a figure.
func (a *author) aboutFigure() []question {
	caption := a.fields["Caption"]
	m := captionLabel.FindStringSubmatchIndex(caption)
	if m == nil || !plainNumber.MatchString(caption[m[2]:m[3]]) {
		return nil
	}
	first, _, _ := strings.Cut(caption[m[1]:], ". ")
	text := "Which number completes the caption “" + caption[:m[2]] + blank + caption[m[3]:m[1]] + strings.TrimRight(first, ".") + "”?"
	return []question{{text, caption[m[2]:m[3]], caption}}
}

var (
	definition = lazyregexp.New(`^\s*([\p{L}][\p{L}\p{N}⋆*]{0,6}(?:\([^()=]{1,12}\))?)\s*=\s*(\S.*\S)`)
	symbol     = lazyregexp.New(`((?:with|where|set)(?: \p{Ll}+)? (\p{Greek}) = )(\d+(?:\.\d+)?)\b`)
)

// aboutFormula asks for the formula of a symbol, and for the values of the symbols around it.
func (a *author) aboutFormula() (list []question) {
	formula := mathMarks.ReplaceAllString(strings.TrimSpace(a.fields["Formula"]), "")
	if m := definition.FindStringSubmatch(formula); m != nil {
		list = append(list, question{"Which formula defines the quantity " + m[1] + "?", strings.TrimRight(formula, " ,."), a.fields["Formula"]})
	}
	for _, m := range symbol.FindAllStringSubmatch(a.fields["Text of the page"], 20) {
		if strings.Contains(formula, m[2]) {
			list = append(list, question{"Which number completes the statement “" + m[1] + blank + "”?", m[3], m[0]})
		}
	}
	return list
}

// bibliography are the questions about the data of a publication, and the line with the answer.
var bibliography = []struct {
	question string // with the paper
	line     *lazyregexp.Regexp
}{
	{"How many pages does %s have?", lazyregexp.New(`Number of pages: (\d+)`)},
	{"How many authors does %s have?", lazyregexp.New(`Number of authors: (\d+)`)},
	{"Who is the first author of %s?", lazyregexp.New(`Authors: ([^,\n]+)`)},
	{"Who is the last author of %s?", lazyregexp.New(`Authors: (?:.*, )?([^,\n]+)`)},
	{"In which year was %s published?", lazyregexp.New(`Year: (\d+)`)},
	{"At which conference was %s published?", lazyregexp.New(`Conference: (.+)`)},
}

// aboutMetadata asks for the data of a publication.
func (a *author) aboutMetadata() (list []question) {
	data := a.fields["Bibliographic data"]
	name := "that paper" // the question describes it
	if a.fields["Abstract"] == "" {
		_, title, _ := strings.Cut(data, "Title: ")
		title, _, _ = strings.Cut(title, "\n")
		title, _, _ = strings.Cut(title, ":")
		name = "the " + title + " paper"
	}
	for _, b := range bibliography {
		if m := b.line.FindStringSubmatch(data); m != nil {
			list = append(list, question{fmt.Sprintf(b.question, name), m[1], m[0]})
		}
	}
	return list
}

var (
	trackedPattern = lazyregexp.New(`(?s)^\[Question\]: (.*)\n\[Answer\]: (.*)$`)
	listOfTwo      = lazyregexp.New(`^\[[\d.]+, [\d.]+\]$`)
)

// evaluator chooses a function for a question and its answer.
func (a *author) evaluator() string {
	m := trackedPattern.FindStringSubmatch(strings.TrimSpace(a.material))
	if m == nil {
		return "I find no question."
	}
	text, answer := m[1], m[2]
	function, format, kwargs := "eval_string_exact_match", "a single string, as it is written in the paper.", map[string]any{"gold": answer, "lowercase": true}
	_, decimals, isFloat := strings.Cut(answer, ".")
	switch {
	case plainNumber.MatchString(answer) && isFloat:
		function, format = "eval_float_exact_match", fmt.Sprintf("a Python float rounded to %d decimal places.", len(decimals))
		if len(decimals) == 1 {
			format = "a Python float rounded to 1 decimal place."
		}
		kwargs = map[string]any{"gold": json.Number(answer), "ndigits": len(decimals)}
	case plainNumber.MatchString(answer):
		function, format, kwargs = "eval_int_exact_match", "a Python integer.", map[string]any{"gold": json.Number(answer)}
	case listOfTwo.MatchString(answer):
		function, format = "eval_structured_object_exact_match", "a Python list of two numbers."
		kwargs = map[string]any{"gold": json.RawMessage(answer)}
	case strings.HasPrefix(text, "Which formula"):
		function, format, kwargs = "eval_complex_math_formula_with_llm", "a single formula in LaTeX format.", map[string]any{"formulas": answer, "question": text}
	case len(words(answer)) > 8:
		function, format, kwargs = "eval_reference_answer_with_llm", "one or two sentences.", map[string]any{"reference_answer": answer, "question": text}
	}
	raw, err := json.Marshal(map[string]any{"eval_func": function, "eval_kwargs": kwargs})
	if err != nil {
		return "I cannot write the evaluator."
	}
	return fmt.Sprintf("[Thought]: The type of the answer decides.\n```txt\n[Question]: %s\n[Evaluator]: %s\n[Answer Format]: Your answer should be %s\n[Answer]: %s\n```",
		text, raw, format, answer)
}
