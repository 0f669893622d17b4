package offline

import (
	"cmp"
	"strconv"
	"strings"

	"airqa/agent/action"
	"airqa/internal/lazyregexp"
	"airqa/qa"
)

// form is the form of reply that a prompt requires.
type form int

const (
	wantsAnswer form = iota // an answer between fences
	wantsSQL                // a statement between fences
	wantsAction             // a thought and an action as text
	wantsCall               // a native call
)

// task is the content of the messages: the question, the tools, and the steps and results so far.
type task struct {
	form     form
	format   action.Format
	tools    map[string]bool
	schema   string // the system prompt, which has the database schema
	question string
	wanted   string // answer format
	kind     qa.Kind
	want     shape
	papers   []string // uuids or titles of the anchor papers
	found    []string // the paper that was found where none is named
	venues   string   // condition on the conference in SQL
	turn     int      // from 1
	calls    []string
	failed   map[int]bool // calls whose result was an error
	evidence
}

// maxTurns is the turn in which the policy answers at the latest.
const maxTurns = 6

// readTask reads the messages of a prompt. Missing parts stay empty.
func readTask(messages []qa.Message, tools []qa.ToolSpec) *task {
	t := &task{format: action.Python, tools: make(map[string]bool), failed: make(map[int]bool), turn: 1, venues: "TRUE"}
	for _, s := range tools {
		t.form, t.tools[s.Name] = wantsCall, true
		if s.Name == "Answer" {
			t.kind = asksFor(string(s.Parameters))
		}
	}
	asked := false
	var items []item
	for _, m := range messages {
		m.Text = strings.ToValidUTF8(m.Text, "?")
		switch {
		case m.Role == qa.System:
			t.readSystem(m.Text)
			t.kind = cmp.Or(t.kind, asksFor(m.Text))
		case m.Role == qa.Assistant:
			t.readReply(m)
		case !asked:
			asked = true
			items = t.readQuestion(m.Text)
		default:
			t.failed[len(t.calls)-1] = strings.Contains(m.Text, "[Error]")
			items = append(items, readItems(m.Text)...)
		}
	}
	if t.kind != "" { // the lines after the first are about evidence
		t.wanted, _, _ = strings.Cut(t.wanted, "\n")
	}
	t.want = readShape(t.wanted)
	t.evidence = newEvidence(t.question, items)
	if found := t.best(paper, ""); found != nil && len(t.papers) == 0 {
		t.found = []string{found.paper}
	}
	return t.of(t.found...)
}

func (t *task) readSystem(text string) {
	t.schema = text
	switch {
	case t.form == wantsCall:
	case strings.Contains(text, "[Action]:"):
		t.form = wantsAction
	case strings.Contains(text, "```sql"):
		t.form = wantsSQL
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

// toolHeading introduces the description of a tool in a prompt.
var toolHeading = lazyregexp.New(`(?m)^### (\w+)\(`)

var turnPattern = lazyregexp.New(`Turn (\d{1,4})\.`)

// readReply records an earlier call. Its thought starts with its turn, because a window may hide earlier turns.
func (t *task) readReply(m qa.Message) {
	t.turn++
	if n := turnPattern.FindStringSubmatch(m.Text); n != nil {
		last, _ := strconv.Atoi(n[1])
		t.turn = max(t.turn, last+1)
	}
	for _, c := range m.ToolCalls {
		m.Text += string(c.Arguments)
	}
	t.calls = append(t.calls, m.Text)
}

var (
	labelPattern = lazyregexp.New(`(?m)^\[(Question|Conversation|Answer Format|Anchor PDFs?|Conferences?|SQL|Context)\]: ?`)
	venuePattern = lazyregexp.New(`(?s)^(.*?)[ _-]*(\d{4})?$`)
	quotedText   = lazyregexp.New(`'([^'\n]+)'|"([^"\n]+)"`)
)

// readQuestion splits a message at its labels and returns the items of the context: everything after that label is
// data.
func (t *task) readQuestion(text string) []item {
	at := append(labelPattern.FindAllStringSubmatchIndex(text, -1), []int{len(text)})
	if len(at) == 1 {
		t.question = text
	}
	for i, m := range at[:len(at)-1] {
		switch value := strings.TrimSpace(text[m[1]:at[i+1][0]]); text[m[2]:m[3]] {
		case "Question":
			t.question = value
		case "Answer Format":
			t.wanted, t.kind = value, cmp.Or(t.kind, asksFor(value))
		case "Anchor PDF", "Anchor PDFs":
			for _, m := range quotedText.FindAllStringSubmatch(value, -1) {
				t.papers = append(t.papers, m[1]+m[2])
			}
		case "Conference", "Conferences":
			var venues []string
			for name := range strings.SplitSeq(strings.Trim(value, "[]"), ",") {
				venues = append(venues, venueSQL(venuePattern.FindStringSubmatch(strings.Trim(name, " '\""))))
			}
			t.venues = "(" + strings.Join(venues, " OR ") + ")"
		case "Context":
			return readContext(text[m[1]:])
		}
	}
	return nil
}

// class is the type of answer that a format requires.
type class int

const (
	asText class = iota
	asInteger
	asFloat
	asBool
	asTitle
	asUUID
	asFormula
	asProse
	asList
)

// shape is the structure of an answer.
type shape struct {
	class    class
	decimals int     // of a float; 0 when unknown
	count    int     // elements of a list, or sentences
	parts    []shape // elements of a list, as far as the format names them
}

// classes are tried in order.
var classes = []struct {
	class   class
	pattern *lazyregexp.Regexp
}{
	{asList, lazyregexp.New(`\blist\b`)},
	{asUUID, lazyregexp.New(`uuid`)},
	{asTitle, lazyregexp.New(`^title|titles? of (the|a) paper|paper titles?`)},
	{asFormula, lazyregexp.New(`formula|latex|equation`)},
	{asBool, lazyregexp.New(`bool|true or false|yes["']? or ["']?no`)},
	{asInteger, lazyregexp.New(`\bint(eger)?s?\b|whole number`)},
	{asFloat, lazyregexp.New(`float|decimal|\ba number\b|percentage`)},
	{asProse, lazyregexp.New(`^$|sentences?\b|paragraph|expla|brief|concise|detailed`)},
}

var (
	decimalPattern = lazyregexp.New(`(\w+) decimal`)
	lengthPattern  = lazyregexp.New(`list of (\w+)|(\w+) sentences?`)
	partPattern    = lazyregexp.New(`\b(?:float|integer|string|formula|title|bool)`)
)

// readShape parses an answer format. Without one, the answer is prose.
func readShape(format string) shape {
	lower := strings.ToLower(strings.TrimSpace(format))
	s := shape{}
	for _, c := range classes {
		if s.class == asText && c.pattern.MatchString(lower) {
			s.class = c.class
		}
	}
	if m := decimalPattern.FindStringSubmatch(lower); m != nil {
		s.decimals = min(count(m[1]), 10)
	}
	if m := lengthPattern.FindStringSubmatch(lower); m != nil {
		s.count = min(count(m[1]+m[2]), 20)
	}
	if s.class != asList {
		return s
	}
	s.count = max(s.count, 2)
	for _, word := range partPattern.FindAllString(lower, -1) {
		part := readShape(word)
		part.decimals = s.decimals
		s.parts = append(s.parts, part)
	}
	return s
}

// part is the shape of element i.
func (s shape) part(i int) shape {
	if len(s.parts) == 0 {
		return shape{}
	}
	return s.parts[min(i, len(s.parts)-1)]
}
