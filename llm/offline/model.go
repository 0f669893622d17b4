// Package offline is a rule-based policy that answers in place of a language model, so that airqa can be tried without a
// key, a network or a model file. Its scores say nothing about any model.
//
// Start from [New]. A [Model] reads only the messages that a language model would get. In the loop it follows a short
// plan of queries, searches and views, then answers from the results (policy.go). It answers one-shot prompts from their
// context. It also writes questions about papers (author.go). It cannot read images and keeps no state between calls.
package offline

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"airqa/agent/action"
	"airqa/internal/lazyregexp"
	"airqa/internal/python"
	"airqa/internal/tokens"
	"airqa/qa"
)

// Model answers by rules. The same messages give the same reply. Calls may overlap.
type Model struct{}

// New returns the model.
func New() *Model { return &Model{} }

// Complete answers the prompts of the baselines in the format they require, and with one native call if tools are
// offered; any other text gets a guess between fences. The only error is the context's.
func (m *Model) Complete(ctx context.Context, ask qa.Request) (qa.Reply, error) {
	if err := ctx.Err(); err != nil {
		return qa.Reply{}, err
	}
	r := qa.Reply{Model: "offline", Finish: "stop"}
	if len(ask.Messages) == 1 {
		r.Text = write(strings.ToValidUTF8(ask.Messages[0].Text, "?"))
	}
	if r.Text == "" {
		readTask(ask.Messages, ask.Tools).reply(&r)
	}
	r.Usage = qa.Usage{Completion: tokens.Count(r.Text), Estimated: true}
	for _, message := range ask.Messages {
		r.Usage.Prompt += tokens.Count(message.Text)
	}
	return r, nil
}

// reply answers the question or takes the next step.
func (t *task) reply(r *qa.Reply) {
	switch t.form {
	case "sql":
		steps := t.plan()
		s := steps[slices.IndexFunc(steps, func(s step) bool { return s.tool == "Query" })]
		r.Text = fenced(s.thought, "sql", s.args["sql"])
	case "":
		thought, value := t.answer()
		if t.kind != "" { // the prompt asks for more than an answer
			args := t.final(python.Str(value))
			var v any = args
			if t.kind == qa.Rank {
				v = args["ranking"]
			}
			text, _ := json.Marshal(v) // texts always have a form in JSON
			value = string(text)
		}
		r.Text = fenced(thought, "txt", value)
	case "action":
		s := t.next()
		r.Text = fmt.Sprintf("[Thought]: Turn %d. %s\n[Action]: %s", t.turn, s.thought, t.write(s))
	case "call":
		s := t.next()
		r.Text, r.Finish = fmt.Sprintf("Turn %d. %s", t.turn, s.thought), "tool_calls"
		r.ToolCalls = []qa.ToolCall{{ID: fmt.Sprintf("call_%d", t.turn), Name: s.tool, Arguments: json.RawMessage(t.write(s))}}
	}
}

// fenced puts a value between fences and escapes any fence in it.
func fenced(thought, language string, v python.Value) string {
	return thought + "\n\n```" + language + "\n" + strings.ReplaceAll(python.Str(v), "```", "'''") + "\n```"
}

// task is the content of the messages: the question, the tools, and the steps and results so far.
type task struct {
	form     string // of the reply: "" (an answer between fences), "sql" (a statement), "action" or "call"
	format   action.Format
	tools    map[string]bool
	question string
	kind     qa.Kind
	want     shape
	papers   []string // uuids or titles of the anchor papers
	turn     int      // from 1
	calls    []string
	failed   map[int]bool // calls whose result was an error
	ranking
}

// readTask reads the messages of a prompt. Missing parts stay empty.
func readTask(messages []qa.Message, tools []qa.ToolSpec) *task {
	t := &task{format: action.Python, tools: make(map[string]bool), failed: make(map[int]bool), turn: 1}
	for _, s := range tools {
		t.form, t.tools[s.Name] = "call", true
		t.kind = cmp.Or(t.kind, asksFor(string(s.Parameters)))
	}
	var items []item
	for _, m := range messages {
		m.Text = strings.ToValidUTF8(m.Text, "?")
		switch {
		case m.Role == qa.System:
			t.readSystem(m.Text)
		case m.Role == qa.Assistant:
			// Its thought starts with its turn, because a window may hide earlier turns.
			t.turn++
			if n := turnPattern.FindStringSubmatch(m.Text); n != nil {
				t.turn = max(t.turn, count(n[1])+1)
			}
			for _, c := range m.ToolCalls {
				m.Text += string(c.Arguments)
			}
			t.calls = append(t.calls, m.Text)
		case t.question == "":
			items = t.readQuestion(m.Text)
		default:
			t.failed[len(t.calls)-1] = strings.Contains(m.Text, "[Error]")
			items = append(items, readItems(m.Text)...)
		}
	}
	t.ranking = newRanking(t.question, items)
	return t
}

func (t *task) readSystem(text string) {
	t.kind = cmp.Or(t.kind, asksFor(text))
	switch {
	case t.form == "call":
	case strings.Contains(text, "[Action]:"):
		t.form = "action"
	case strings.Contains(text, "```sql"):
		t.form = "sql"
	}
	for _, found := range toolHeading.FindAllStringSubmatch(text, -1) {
		t.tools[found[1]] = true
	}
	for _, f := range action.Formats() {
		if strings.Contains(text, action.Format(f).Rule()) {
			t.format = action.Format(f)
		}
	}
}

var (
	toolHeading    = lazyregexp.New(`(?m)^### (\w+)\(`) // introduces the description of a tool
	turnPattern    = lazyregexp.New(`Turn (\d{1,4})\.`)
	decimalPattern = lazyregexp.New(`(\w+) decimal`)
	lengthPattern  = lazyregexp.New(`list of (\w+)`)
	partPattern    = lazyregexp.New(`\b(?:float|integer|string|formula|title|bool|number)`)
	labelPattern   = lazyregexp.New(`(?m)^\[(Question|Conversation|Answer Format|Anchor PDFs?|Conferences?|SQL|Context)\]: ?`)
	quotedText     = lazyregexp.New(`'([^'\n]+)'|"([^"\n]+)"`)
)

// readQuestion splits a message at its labels and returns the items of the context: everything after that label is
// data. A message without labels is the question.
func (t *task) readQuestion(text string) []item {
	at := append(labelPattern.FindAllStringSubmatchIndex(text, -1), []int{len(text)})
	t.question = text
	for i, m := range at[:len(at)-1] {
		switch value := strings.TrimSpace(text[m[1]:at[i+1][0]]); text[m[2]:m[3]] {
		case "Question":
			t.question = value
		case "Answer Format":
			first, _, _ := strings.Cut(value, "\n") // further lines are about evidence
			t.want, t.kind = readShape(first), cmp.Or(t.kind, asksFor(value))
		case "Anchor PDF", "Anchor PDFs":
			for _, m := range quotedText.FindAllStringSubmatch(value, -1) {
				t.papers = append(t.papers, m[1]+m[2])
			}
		case "Context":
			return readContext(text[m[1]:])
		}
	}
	return nil
}

type shape struct {
	class    string // a name of classes; "" is a text
	decimals int    // of a number; 0 when unknown
	count    int    // elements of a list
	part     *shape // of the elements of a list
}

// classes are tried in order.
var classes = []struct {
	class   string
	pattern *lazyregexp.Regexp
}{
	{"list", lazyregexp.New(`\blist\b`)},
	{"uuid", lazyregexp.New(`uuid`)},
	{"title", lazyregexp.New(`^title|titles? of (the|a) paper|paper titles?`)},
	{"formula", lazyregexp.New(`formula|latex|equation`)},
	{"bool", lazyregexp.New(`bool|true or false|yes["']? or ["']?no`)},
	{"integer", lazyregexp.New(`\bint(eger)?s?\b|whole number`)},
	{"float", lazyregexp.New(`float|decimal|\bnumbers?\b|percentage`)},
}

// readShape parses an answer format. Without one, the answer is a text.
func readShape(format string) (s shape) {
	lower := strings.ToLower(strings.TrimSpace(format))
	for _, c := range classes {
		if s.class == "" && c.pattern.MatchString(lower) {
			s.class = c.class
		}
	}
	if m := decimalPattern.FindStringSubmatch(lower); m != nil {
		s.decimals = min(count(m[1]), 10)
	}
	if m := lengthPattern.FindStringSubmatch(lower); m != nil {
		s.count = min(count(m[1]), 20)
	}
	if s.class != "list" {
		return s
	}
	part := readShape(partPattern.FindString(lower[strings.Index(lower, "list"):] + " string"))
	part.decimals = s.decimals
	s.count, s.part = max(s.count, 2), &part
	return s
}
