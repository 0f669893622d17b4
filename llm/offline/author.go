package offline

import (
	"hash/fnv"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// author answers the prompts of question synthesis by rules. It knows nothing but the text of the prompt.
type author struct {
	prompt   string
	material string            // between the lines of equals signs
	fields   map[string]string // of the material, by label; the second of two is "Text 2"
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
	fieldPattern  = regexp.MustCompile(`(?m)^(Title|Abstract|Section|Text|Caption|Table in HTML|Formula|Text of the page|Bibliographic data):\n`)
	numberOfAsked = regexp.MustCompile(`This is question number (\d+)`)
	between       = regexp.MustCompile(`(?s)\n={10}\n(.*)\n={10}\n`)
)

// write returns the reply to a prompt of question synthesis; false for other prompts.
func write(prompt string) (reply string, ok bool) {
	m := between.FindStringSubmatch(prompt)
	if m == nil {
		return "", false
	}
	a := author{prompt: prompt, material: m[1], fields: make(map[string]string)}
	a.readFields()
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

func (a *author) readFields() {
	starts := fieldPattern.FindAllStringSubmatchIndex(a.material, -1)
	for i, m := range starts {
		end := len(a.material)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		label := a.material[m[2]:m[3]]
		if a.fields[label] != "" {
			label += " 2"
		}
		a.fields[label] = strings.TrimSpace(a.material[m[1]:end])
	}
}

// choice picks one of n questions: another one for another prompt, and for each further question about the same material.
func (a *author) choice(n int) int {
	first := a.prompt
	asked := 1
	if m := numberOfAsked.FindStringSubmatch(first); m != nil {
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
		list = aboutText(a.fields["Text"])
	}
	if a.fields["Abstract"] == "" {
		return list
	}
	paper, found := a.description()
	var described []question
	for _, q := range list {
		if found && !a.names(q.text) {
			q.text = "Find the paper " + paper + ". " + q.text
			described = append(described, q)
		}
	}
	return described
}

// names reports whether a text has the title of the paper, or the name before its colon.
func (a *author) names(text string) bool {
	title := a.fields["Title"]
	name, _, _ := strings.Cut(title, ":")
	return strings.Contains(text, title) || strings.Contains(strings.ToLower(text), strings.ToLower(name))
}

var presents = regexp.MustCompile(`\b(?:We (?:present|propose|introduce)) [\p{L}\p{N}-]+, (an? .+)$`)

// description describes the paper by its abstract, without its name.
func (a *author) description() (string, bool) {
	for _, q := range a.descriptions() {
		if rest, found := strings.CutPrefix(q.text, "Which paper "); found {
			return "that " + strings.TrimSuffix(rest, "?"), true
		}
	}
	return "", false
}

// descriptions lists questions that ask for the paper.
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
