package offline

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"airqa/qa"
)

// form is what a prompt wants back.
type form int

const (
	formPlain form = iota // an answer between fences
	formSQL               // a statement between fences
	formLoop              // a thought and an action
)

// scope is a conference of a year, as the database keeps it: ACL and 2023 for acl2023.
type scope struct{ name, year string }

// task is all that the shown messages tell: the question, and what was done and seen so far.
type task struct {
	form             form
	question, format string
	papers           []string
	scopes           []scope
	// retrieve, query and view tell which actions the prompt describes.
	retrieve, query, view bool
	// turn counts from 1; turns is the greatest number of turns that the prompt allows.
	turn, turns int
	// calls are the replies that are shown; items is what their results held, or the given context.
	calls []string
	items []item
	// failed tells that the last result was an error or empty.
	failed bool
	want   shape
}

// maxTurns is the number of turns in which the policy always answers.
const maxTurns = 6

func readTask(messages []qa.Message) *task {
	t := &task{turn: 1, turns: maxTurns}
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
	t.want = readShape(t.format)
	if t.want.class == asText && t.wantsProse() {
		t.want = shape{class: asProse, count: 2}
	}
	t.items = distinct(t.items)
	return t
}

var turnsPattern = regexp.MustCompile(`at most (\d+) turns`)

func (t *task) readSystem(text string) {
	switch {
	case strings.Contains(text, "### Answer(") || strings.Contains(text, "[Action]:"):
		t.form = formLoop
	case strings.Contains(text, "```sql"):
		t.form = formSQL
	}
	t.retrieve = strings.Contains(text, "### Retrieve(")
	t.query = strings.Contains(text, "### Query(")
	t.view = strings.Contains(text, "### View(")
	if m := turnsPattern.FindStringSubmatch(text); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			t.turns = min(n, maxTurns)
		}
	}
}

var turnPattern = regexp.MustCompile(`Turn (\d{1,4})\b`)

// readCall counts turns by what the thoughts say of themselves, since a window may hide the first ones.
func (t *task) readCall(text string) {
	t.calls = append(t.calls, text)
	t.turn++
	if m := turnPattern.FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi(m[1])
		t.turn = max(t.turn, n+1)
	}
}

func (t *task) numbered(thought string) string { return fmt.Sprintf("Turn %d. %s", t.turn, thought) }

func (t *task) readResult(text string) {
	text = strings.TrimPrefix(text, "[Observation]:")
	found := readItems(text)
	t.failed = len(found) == 0 && !strings.Contains(text, "pixels.")
	t.items = append(t.items, found...)
}

var labelPattern = regexp.MustCompile(`(?m)^\[(Question|Answer Format|Anchor PDFs?|Conferences?|SQL|Context)\]: ?`)

// readQuestion splits a message at its labels.
func (t *task) readQuestion(text string) {
	at := labelPattern.FindAllStringSubmatchIndex(text, -1)
	if len(at) == 0 {
		t.question = text
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
			t.items = append(t.items, readContext(text[m[1]:])...)
			return
		}
		t.setLabel(label, value)
	}
}

func (t *task) setLabel(label, value string) {
	switch label {
	case "Question":
		t.question = value
	case "Answer Format":
		t.format = value
	case "Anchor PDF", "Anchor PDFs":
		t.papers = plainList(value)
	case "Conference", "Conferences":
		for _, name := range plainList(value) {
			t.scopes = append(t.scopes, readScope(name))
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

func readScope(s string) scope {
	m := scopePattern.FindStringSubmatch(s)
	if m == nil {
		return scope{name: strings.ToUpper(s)}
	}
	return scope{name: strings.ToUpper(m[1]), year: m[2]}
}
