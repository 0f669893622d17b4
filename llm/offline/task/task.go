// Package task reads what a prompt of the baselines tells: [Read] makes a [Task] of the shown messages, with the question,
// the [Shape] that its answer must have, what was done so far, and as [Item] what was seen. The methods say what the
// question is about.
//
// It decides nothing and answers nothing.
package task

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"airqa/qa"
)

// Form is what a prompt wants back.
type Form int

// The forms.
const (
	FormPlain Form = iota // an answer between fences
	FormSQL               // a statement between fences
	FormLoop              // a thought and an action
)

// Scope is a conference of a year, as the database keeps it: ACL and 2023 for acl2023.
type Scope struct{ Name, Year string }

// Task is all that the shown messages tell: the question, and what was done and seen so far.
type Task struct {
	Form Form
	// Question and Format are as the prompt has them.
	Question, Format string
	// Papers are the ids of the papers that are named, Scopes the conferences.
	Papers []string
	Scopes []Scope
	// Retrieve, Query and View tell which actions the prompt describes.
	Retrieve, Query, View bool
	// Turn counts from 1; Turns is the greatest number of turns that the prompt allows, at most six.
	Turn, Turns int
	// Calls are the replies that are shown; Items is what their results held, or the given context, each once.
	Calls []string
	Items []Item
	// Failed tells that the last result was an error or empty.
	Failed bool
	// Want is the shape of the answer.
	Want Shape
}

// maxTurns is the number of turns in which the policy always answers.
const maxTurns = 6

// Read reads the messages of a prompt, which may be any: what is not told stays empty.
func Read(messages []qa.Message) *Task {
	t := &Task{Turn: 1, Turns: maxTurns}
	told := false
	for _, m := range messages {
		text := strings.ToValidUTF8(m.Text, "?")
		switch {
		case m.Role == qa.System:
			t.readSystem(text)
		case m.Role == qa.Assistant:
			t.readCall(text)
		case !told:
			told = true
			t.readQuestion(text)
		default:
			t.readResult(text)
		}
	}
	t.Want = ReadShape(t.Format)
	if t.Want.Class == AsText && t.wantsProse() {
		t.Want = Shape{Class: AsProse, Count: 2}
	}
	t.Items = distinct(t.Items)
	return t
}

var turnsPattern = regexp.MustCompile(`at most (\d+) turns`)

func (t *Task) readSystem(text string) {
	switch {
	case strings.Contains(text, "### Answer(") || strings.Contains(text, "[Action]:"):
		t.Form = FormLoop
	case strings.Contains(text, "```sql"):
		t.Form = FormSQL
	}
	t.Retrieve = strings.Contains(text, "### Retrieve(")
	t.Query = strings.Contains(text, "### Query(")
	t.View = strings.Contains(text, "### View(")
	if m := turnsPattern.FindStringSubmatch(text); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			t.Turns = min(n, maxTurns)
		}
	}
}

var turnPattern = regexp.MustCompile(`Turn (\d{1,4})\b`)

// readCall counts turns by what the thoughts say of themselves, since a window may hide the first ones.
func (t *Task) readCall(text string) {
	t.Calls = append(t.Calls, text)
	t.Turn++
	if m := turnPattern.FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi(m[1])
		t.Turn = max(t.Turn, n+1)
	}
}

// Numbered opens a thought with its turn, from which Read knows it again.
func (t *Task) Numbered(thought string) string { return fmt.Sprintf("Turn %d. %s", t.Turn, thought) }

func (t *Task) readResult(text string) {
	text = strings.TrimPrefix(text, "[Observation]:")
	found := readItems(text)
	t.Failed = len(found) == 0 && !strings.Contains(text, "pixels.")
	t.Items = append(t.Items, found...)
}

var labelPattern = regexp.MustCompile(`(?m)^\[(Question|Answer Format|Anchor PDFs?|Conferences?|SQL|Context)\]: ?`)

// readQuestion splits a message at its labels.
func (t *Task) readQuestion(text string) {
	at := labelPattern.FindAllStringSubmatchIndex(text, -1)
	if len(at) == 0 {
		t.Question = text
		return
	}
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		label, value := text[m[2]:m[3]], strings.TrimSpace(text[m[1]:end])
		if label == "Context" {
			// The rest is data, whatever labels it holds.
			t.Items = append(t.Items, readContext(text[m[1]:])...)
			return
		}
		t.setLabel(label, value)
	}
}

func (t *Task) setLabel(label, value string) {
	switch label {
	case "Question":
		t.Question = value
	case "Answer Format":
		t.Format = value
	case "Anchor PDF", "Anchor PDFs":
		t.Papers = plainList(value)
	case "Conference", "Conferences":
		for _, name := range plainList(value) {
			t.Scopes = append(t.Scopes, readScope(name))
		}
	}
}

// plainList reads 'a' and ['a', 'b'], with or without quotes.
func plainList(s string) []string {
	var list []string
	for part := range strings.SplitSeq(strings.Trim(s, "[]"), ",") {
		if part = strings.Trim(part, " '\"\n"); part != "" {
			list = append(list, part)
		}
	}
	return list
}

var scopePattern = regexp.MustCompile(`^(.*?)[ _-]*(\d{4})?$`)

func readScope(s string) Scope {
	m := scopePattern.FindStringSubmatch(s)
	if m == nil {
		return Scope{Name: strings.ToUpper(s)}
	}
	return Scope{Name: strings.ToUpper(m[1]), Year: m[2]}
}
