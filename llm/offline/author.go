package offline

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"airqa/internal/lazyregexp"
)

// question is a question about a material, with its answer and the statement that has it.
type question struct{ text, answer, evidence string }

// The beginnings of the prompts of question synthesis.
const (
	asksQuestion  = "You write exam questions about research papers"
	asksRetrieval = "You write questions that ask for a research paper"
	asksEvaluator = "You turn questions about research papers into examples"
)

var (
	fieldPattern  = lazyregexp.New(`(?m)^(Title|Abstract|Section|Text|Caption|Table in HTML|Formula|Text of the page|Bibliographic data):\n`)
	numberOfAsked = lazyregexp.New(`This is question number (\d+)`)
	counted       = lazyregexp.New(`Number of (\w+): (\d+)`)
	between       = lazyregexp.New(`(?s)\n={10}\n(.*)\n={10}\n`)
)

// write returns the reply to a prompt of question synthesis, and none to other prompts. The rules know one kind of
// question: which number completes a statement.
func write(prompt string) string {
	m := between.FindStringSubmatch(prompt)
	if m == nil {
		return ""
	}
	var list []question
	switch fields := materialFields(m[1]); {
	case strings.HasPrefix(prompt, asksEvaluator):
		return evaluator(m[1])
	case strings.HasPrefix(prompt, asksRetrieval):
		list = descriptions(fields)
	case strings.HasPrefix(prompt, asksQuestion):
		list = questions(fields)
	default:
		return ""
	}
	if len(list) == 0 {
		return "[Thought]: My rules find nothing to ask about here."
	}
	n := len(m[1]) // another first question about another material, and another one each time that it is asked
	if asked := numberOfAsked.FindStringSubmatch(prompt); asked != nil {
		n += count(asked[1])
	}
	q := list[n%len(list)]
	text := "[Thought]: Rule-based; this is one of " + strconv.Itoa(len(list)) + " questions.\n```txt\n[Question]: " + q.text
	if q.answer != "" {
		text += "\n[Answer]: " + q.answer + "\n[Evidence]: " + q.evidence
	}
	return text + "\n```"
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

// questions lists what can be asked about a part of a paper. With an abstract, each begins with a sentence of it.
func questions(fields map[string]string) (list []question) {
	statements := tableRows(fields["Table in HTML"])
	for _, label := range []string{"Text", "Caption", "Text of the page"} {
		statements = append(statements, sentences(fields[label])...)
	}
	for _, m := range counted.FindAllStringSubmatch(fields["Bibliographic data"], -1) {
		list = append(list, question{"How many " + m[1] + " does the paper have?", m[2], m[0]})
	}
	second := incomplete(sentences(fields["Text 2"]))
	for i, q := range incomplete(statements) {
		q.text = "Which number completes the statement " + q.text + "?"
		if len(second) > 0 {
			r := second[i%len(second)]
			q = question{q.text + " And which one completes " + r.text + "?", "[" + q.answer + ", " + r.answer + "]", q.evidence + "\n" + r.evidence}
		}
		list = append(list, q)
	}
	if papers := descriptions(fields); len(papers) > 0 {
		for i := range list {
			list[i].text = "Find the paper that" + strings.Trim(papers[0].text[len("Which paper"):], "?") + ". " + list[i].text
		}
	}
	return list
}

// descriptions lists questions that ask for the paper by a sentence of its abstract, without the name in its title.
func descriptions(fields map[string]string) (list []question) {
	name, _, _ := strings.Cut(fields["Title"], ":")
	for _, s := range sentences(fields["Abstract"]) {
		if len(words(s)) > 5 && !onPage.MatchString(s) && !strings.Contains(s, name) {
			list = append(list, question{text: "Which paper states “" + strings.TrimRight(s, ".") + "”?"})
		}
	}
	return list
}

// onPage are words that only make sense on the page.
var onPage = lazyregexp.New(`(?i)\b(?:table|figure|fig|section|equation|eq|here|this|these|those|its|their|above|below)\b|\bet al\b|\[\d`)

// incomplete returns the statements that can be read alone, in quotes, without their first number.
func incomplete(statements []string) (list []question) {
	for _, s := range statements {
		s = strings.TrimSpace(captionLabel.ReplaceAllString(s, ""))
		if n := len(words(s)); n < 3 || n > 40 || onPage.MatchString(s) || strings.ContainsAny(s, "“”=") {
			continue
		}
		for _, m := range numberPattern.FindAllStringIndex(s, -1) {
			if isQuantity(s, m) && strings.Count(s, s[m[0]:m[1]]) == 1 {
				text := "“" + s[:m[0]] + "___" + strings.TrimRight(s[m[1]:], ".") + "”"
				list = append(list, question{text, strings.ReplaceAll(s[m[0]:m[1]], ",", ""), s})
				break
			}
		}
	}
	return list
}

// evaluator chooses a function for a question by the type of its answer.
func evaluator(material string) string {
	text, answer, ok := strings.Cut(strings.TrimSpace(material), "\n[Answer]: ")
	if !ok || !json.Valid([]byte(answer)) {
		return "I find no question with a number."
	}
	_, decimals, isFloat := strings.Cut(answer, ".")
	function, format, kwargs := "eval_int_exact_match", "a Python integer", map[string]any{"gold": json.RawMessage(answer)}
	switch {
	case strings.HasPrefix(answer, "["):
		function, format = "eval_structured_object_exact_match", "a Python list of two numbers"
	case isFloat:
		function, format = "eval_float_exact_match", fmt.Sprintf("a Python float rounded to %d decimal places", len(decimals))
		kwargs["ndigits"] = len(decimals)
	}
	raw, _ := json.Marshal(map[string]any{"eval_func": function, "eval_kwargs": kwargs}) // gold is valid
	return fmt.Sprintf("[Thought]: The type of the answer decides.\n```txt\n%s\n[Evaluator]: %s\n"+
		"[Answer Format]: Your answer should be %s.\n[Answer]: %s\n```",
		text, raw, format, answer)
}
