package offline

import (
	"regexp"
	"strings"

	"airqa/internal/pyliteral"
	"airqa/llm/offline/evidence"
	"airqa/llm/offline/task"
	"airqa/llm/offline/words"
)

// answer is the answer to the task from all that was seen, with a thought that says how it came about. Nothing seen
// gives a guess of the right form.
func (p policy) answer() (string, pyliteral.Value) {
	if v := p.fromReady(); v != nil {
		return "The result is the answer.", v
	}
	if len(p.Items) == 0 {
		return "Nothing is given that answers this, so I guess in the form that is asked for.", p.guess(p.Want)
	}
	thought := "This is what the text nearest to the words of the question says."
	if p.View && p.Place() == task.IsFigure {
		thought = "I cannot read the picture itself, so I answer from the caption and the text."
	}
	v := p.solve(p.Question, p.Want, nil)
	if v == nil {
		return "Nothing that I saw fits, so I guess in the form that is asked for.", p.guess(p.Want)
	}
	return thought, v
}

// fromReady shapes a value that a statement computed.
func (p policy) fromReady() pyliteral.Value {
	values := p.Ready()
	if len(values) == 0 {
		return nil
	}
	var list pyliteral.List
	for _, v := range values {
		if inner, ok := v.([]any); ok {
			for _, x := range inner {
				list = append(list, p.Want.Part(0).Value(x))
			}
			continue
		}
		list = append(list, p.Want.Part(0).Value(v))
	}
	if p.Want.Class == task.AsList || len(list) == 0 {
		return list
	}
	return list[0]
}

// solve answers a question, or a part of one, by the form of its answer; nil when nothing fits.
func (p policy) solve(text string, want task.Shape, papers []string) pyliteral.Value {
	q := p.ask(text, want, papers)
	switch want.Class {
	case task.AsTitle, task.AsUUID:
		return p.paperAnswer(want)
	case task.AsInteger, task.AsFloat:
		return q.Number()
	case task.AsBool, task.AsYesNo:
		return q.Truth()
	case task.AsFormula:
		return q.Formula()
	case task.AsProse:
		return q.Prose(max(want.Count, 1))
	case task.AsList:
		return p.list(q, text, want)
	case task.AsDict:
		return p.dict()
	}
	return p.text(q)
}

// text is a short answer: the number of a section, a caption, or what else the items hold.
func (p policy) text(q *evidence.Case) pyliteral.Value {
	if s := p.heading(q); s != "" {
		return s
	}
	if s := p.caption(); s != "" {
		return s
	}
	return q.Text()
}

// paperAnswer is the title or the id of the best paper; with passages only, what looks like a title.
func (p policy) paperAnswer(want task.Shape) pyliteral.Value {
	best := p.bestPaper()
	switch {
	case best != nil && want.Class == task.AsUUID && best.Paper != "":
		return best.Paper
	case best != nil && want.Class == task.AsTitle:
		return best.Label
	case want.Class == task.AsUUID:
		for _, it := range p.Items {
			if it.Paper != "" {
				return it.Paper
			}
		}
		return nil
	}
	return p.titleInPassages()
}

var titlePattern = regexp.MustCompile(`\p{Lu}[\p{L}\p{N}-]*: (?:[\p{L}\p{N}-]+ ){2,14}[\p{L}\p{N}-]+`)

// titleInPassages takes the opening of a first page, or a stretch that looks like "Name: What It Does".
func (p policy) titleInPassages() pyliteral.Value {
	for _, it := range p.Items {
		if m := titlePattern.FindString(words.Flat(it.Text)); m != "" {
			return m
		}
	}
	for _, it := range p.Items {
		line, _, _ := strings.Cut(strings.TrimSpace(it.Text), "\n")
		if n := len(strings.Fields(line)); it.Page == 1 && n > 2 && n < 25 {
			return line
		}
	}
	if len(p.Items) == 0 {
		return nil
	}
	if found := words.Names(p.Items[0].Text); len(found) > 0 {
		return found[0]
	}
	return nil
}

var headingNumber = regexp.MustCompile(`^(?:section |appendix )?((?:[IVXLC]+|[A-Z]|\d+)(?:\.\d+)*)[.)]?\s+`)

// heading answers which section something stands in: its number when a number is asked for, its title otherwise.
func (p policy) heading(q *evidence.Case) string {
	if p.Place() != task.IsSection {
		return ""
	}
	title := q.Section()
	m := headingNumber.FindStringSubmatch(title)
	switch {
	case m == nil:
		return title
	case strings.Contains(strings.ToLower(p.Format), "number"):
		return m[1]
	}
	return strings.TrimPrefix(title, m[0])
}

var captionLabel = regexp.MustCompile(`(?i)^(?:figure|fig\.|table|tab\.)\s*[\dIVXLC.]+\s*[:.]?\s*`)

var captionPattern = regexp.MustCompile(`(?i)\bcaption\b|\bwhat (?:does|is shown)`)

// caption answers what a caption says.
func (p policy) caption() string {
	if !captionPattern.MatchString(p.Question) || p.NumberedObject() == "" {
		return ""
	}
	for _, k := range []task.Kind{task.IsFigure, task.IsTable} {
		if it := p.bestObject(k); it != nil && strings.HasPrefix(strings.ToLower(it.Label), strings.ToLower(p.NumberedObject())) {
			if strings.Contains(p.Question, "without") || !strings.Contains(p.Question, "label") {
				return captionLabel.ReplaceAllString(words.Flat(it.Label), "")
			}
			return words.Flat(it.Label)
		}
	}
	return ""
}
