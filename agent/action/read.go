package action

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"airqa/internal/pyliteral"
	"airqa/qa"
)

// Grammar reads the replies of one set of tools.
type Grammar struct {
	Specs []Spec
	// Format is how actions are written; the zero value is [Python].
	Format Format
}

// Reading is what was found in a reply: an action, or the error that stands for it, never both.
type Reading struct {
	Action *qa.Action
	Error  *qa.ParseError
	// Thought is the byte range of the thought; empty without one.
	Thought qa.Span
	// Kept is how many bytes of the reply belong to the turn: what follows the action is dropped.
	Kept int
}

var (
	// Labels in brackets count anywhere; bare ones only at the start of a line, because "action:" is also an
	// ordinary word of a thought.
	labelPattern = regexp.MustCompile(`(?im)\[(thought|action|observation)\]\**[ \t]*:?|^[ \t>*#-]*(thought|action|observation)\**[ \t]*:\**`)
	callPattern  = regexp.MustCompile(`^(?:[\s>]|\x60{1,3}(?:python|py|txt|text)?\b)*([A-Za-z_]\w*)[ \t]*\(`)
	fenceEnd     = regexp.MustCompile("^[ \t]*;?\\s*`{1,3}")
)

type label struct {
	kind       string // thought, action, observation
	start, end int
}

// Read finds the first action of a reply. Only the first is taken: text after it, such as an observation that the
// model made up, is not kept.
func (g Grammar) Read(reply string) Reading {
	from := afterThinking(reply)
	labels := findLabels(reply, from)
	best := Reading{Kept: len(reply), Error: g.none(reply, from)}
	tried := false
	for _, l := range labels {
		if l.kind != "action" {
			continue
		}
		r := g.readAt(reply, l.end)
		r.Thought = thoughtBefore(reply, labels, l.start, from)
		if r.Action != nil {
			return r
		}
		if !tried {
			best, tried = r, true
		}
	}
	if !tried {
		if r, ok := g.readBare(reply, labels, from); ok {
			return r
		}
	}
	best.Kept = len(reply)
	return best
}

// afterThinking skips a leading <think> block, in which reasoning models talk about actions they may take.
func afterThinking(reply string) int {
	if i := strings.LastIndex(reply, "</think>"); i >= 0 {
		return i + len("</think>")
	}
	return 0
}

func findLabels(reply string, from int) []label {
	var labels []label
	for _, m := range labelPattern.FindAllStringSubmatchIndex(reply[from:], -1) {
		k := 2
		if m[k] < 0 {
			k = 4
		}
		kind := strings.ToLower(reply[from+m[k] : from+m[k+1]])
		labels = append(labels, label{kind, from + m[0], from + m[1]})
	}
	return labels
}

// thoughtBefore is the text between the last thought label before an action and the action label, or all text
// before the action when there is no thought label.
func thoughtBefore(reply string, labels []label, action, from int) qa.Span {
	start := from
	for _, l := range labels {
		if l.kind == "thought" && l.end <= action {
			start = l.end
			break
		}
	}
	text := reply[start:action]
	lead := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	end := start + len(strings.TrimRight(text, " \t\r\n*"))
	if start+lead >= end {
		return qa.Span{}
	}
	return qa.Span{First: start + lead, End: end}
}

// readAt reads the call that begins after an action label, fences and blanks skipped.
func (g Grammar) readAt(reply string, at int) Reading {
	if g.Format.orPython() != Python {
		return g.readForm(reply, at, nextLabel(reply, at, "action", "observation"))
	}
	m := callPattern.FindStringSubmatchIndex(reply[at:])
	if m == nil {
		if i, ok := g.firstCall(reply, at, nextLabel(reply, at, "action", "observation")); ok {
			return g.parse(reply, i, at)
		}
		return Reading{Kept: len(reply), Error: g.none(reply, at)}
	}
	return g.parse(reply, at+m[2], at)
}

// readBare looks for a call of a known tool in a reply without an action label.
func (g Grammar) readBare(reply string, labels []label, from int) (Reading, bool) {
	end := nextLabel(reply, from, "observation")
	i, ok := g.firstCall(reply, from, end)
	if g.Format.orPython() != Python {
		i, ok = g.firstForm(reply, from, end)
	}
	if !ok {
		return Reading{}, false
	}
	r := g.parseAny(reply, i, from, end)
	r.Thought = thoughtBefore(reply, labels, i, from)
	if r.Action == nil {
		r.Kept = len(reply)
	}
	return r, true
}

// nextLabel returns where the next label of one of the kinds begins, or the end of the reply.
func nextLabel(reply string, at int, kinds ...string) int {
	for _, l := range findLabels(reply, at) {
		if slices.Contains(kinds, l.kind) {
			return l.start
		}
	}
	return len(reply)
}

// firstCall finds the first place before end where the name of a tool stands before a parenthesis.
func (g Grammar) firstCall(reply string, from, end int) (int, bool) {
	best := -1
	for _, s := range g.Specs {
		if i := callOf(reply[from:end], s.Name); i >= 0 && (best < 0 || from+i < best) {
			best = from + i
		}
	}
	return best, best >= 0
}

// callOf finds a name as a word of its own before a parenthesis; -1 without one.
func callOf(text, name string) int {
	for at := 0; ; at++ {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return -1
		}
		at += i
		inside := at > 0 && identEnd(text, at-1) > at-1
		if !inside && strings.HasPrefix(strings.TrimLeft(text[at+len(name):], " \t"), "(") {
			return at
		}
	}
}

// parseAny reads the action at byte i of a reply, in the grammar's format.
func (g Grammar) parseAny(reply string, i, since, limit int) Reading {
	if g.Format.orPython() != Python {
		return g.parseForm(reply, i, since, limit)
	}
	return g.parse(reply, i, since)
}

// firstForm finds where an action in another format than Python may begin.
func (g Grammar) firstForm(reply string, from, end int) (int, bool) {
	m := starts[g.Format].FindStringIndex(reply[from:end])
	if m == nil {
		return 0, false
	}
	return from + m[0], true
}

// readForm reads what begins after an action label.
func (g Grammar) readForm(reply string, at, limit int) Reading {
	i, ok := g.firstForm(reply, at, limit)
	if !ok {
		return Reading{Kept: len(reply), Error: g.none(reply, at)}
	}
	return g.parseForm(reply, i, at, limit)
}

// parseForm reads an action in another format than Python.
func (g Grammar) parseForm(reply string, i, since, limit int) Reading {
	w, fault := g.Format.read(reply, i, limit)
	if fault != nil {
		return Reading{Kept: len(reply), Error: at(reply, fault.Offset, qa.ErrSyntax,
			fmt.Sprintf("the action cannot be read as %s: %s.", strings.ToUpper(string(g.Format)), strings.TrimRight(fault.Reason, ".")))}
	}
	spec, known := g.spec(w.name)
	if !known {
		return Reading{Kept: len(reply), Error: g.unknown(reply, i, w.name)}
	}
	args, bad := bind(spec, pyliteral.Call{Name: w.name, Keywords: w.args})
	if bad != nil {
		return Reading{Kept: len(reply), Error: at(reply, bad.offset(i), qa.ErrParameter, bad.reason)}
	}
	end := w.end
	if strings.Contains(reply[since:i], "`") {
		end += len(fenceEnd.FindString(reply[end:]))
	}
	return Reading{Kept: end, Action: &qa.Action{Name: spec.Name, Args: plain(args), Text: render(spec, args), Start: i, End: w.end}}
}

// parse reads the call at byte i of a reply; since is where its fence may have begun.
func (g Grammar) parse(reply string, i, since int) Reading {
	call, err := pyliteral.ParseCall(reply, i, pyliteral.Options{JSONConstants: true})
	name := reply[i:identEnd(reply, i)]
	spec, known := g.spec(name)
	if !known {
		return Reading{Kept: len(reply), Error: g.unknown(reply, i, name)}
	}
	if err != nil {
		return Reading{Kept: len(reply), Error: syntaxError(reply, i, name, err)}
	}
	args, fault := bind(spec, call)
	if fault != nil {
		return Reading{Kept: len(reply), Error: at(reply, fault.offset(i), qa.ErrParameter, fault.reason)}
	}
	end := call.End
	if strings.Contains(reply[since:i], "`") {
		end += len(fenceEnd.FindString(reply[end:]))
	}
	action := &qa.Action{Name: spec.Name, Args: plain(args), Text: render(spec, args), Start: i, End: call.End}
	return Reading{Action: action, Kept: end}
}

func identEnd(reply string, i int) int {
	for i < len(reply) && (reply[i] == '_' || reply[i] >= '0' && reply[i] <= '9' || reply[i]|0x20 >= 'a' && reply[i]|0x20 <= 'z') {
		i++
	}
	return i
}

func (g Grammar) spec(name string) (Spec, bool) {
	for _, s := range g.Specs {
		if s.Name == name {
			return s, true
		}
	}
	return Spec{}, false
}

func (g Grammar) none(reply string, from int) *qa.ParseError {
	return at(reply, from, qa.ErrNoAction,
		"no action found in the reply. Write \"[Action]:\" and "+g.wanted()+", for example "+g.example()+".")
}

func (g Grammar) example() string {
	if len(g.Specs) == 0 {
		return "Answer(answer=42)"
	}
	s := g.Specs[0]
	return g.Format.Write(s, map[string]any{s.Params[0].Name: "..."})
}

func (g Grammar) wanted() string {
	if f := g.Format.orPython(); f != Python {
		return "one action in " + strings.ToUpper(string(f)) + " with one of the types " + Names(g.Specs)
	}
	return "one call of " + Names(g.Specs)
}

func (g Grammar) unknown(reply string, i int, name string) *qa.ParseError {
	hint := ""
	for _, s := range g.Specs {
		if strings.EqualFold(s.Name, name) {
			hint = " Did you mean " + s.Name + "?"
		}
	}
	return at(reply, i, qa.ErrUnknownAction, fmt.Sprintf("there is no action %s here.%s The actions are %s.", name, hint, Names(g.Specs)))
}

func syntaxError(reply string, i int, name string, err error) *qa.ParseError {
	var lit *pyliteral.Error
	if !errors.As(err, &lit) {
		return at(reply, i, qa.ErrSyntax, fmt.Sprintf("the call of %s cannot be read: %v.", name, err))
	}
	return at(reply, lit.Offset, qa.ErrSyntax, fmt.Sprintf("the call of %s cannot be read: %s.", name, strings.TrimRight(lit.Reason, ".")))
}

// at makes a parse error with the line and column of a byte offset, and says them in the text.
func at(reply string, offset int, kind, reason string) *qa.ParseError {
	offset = min(max(offset, 0), len(reply))
	before := reply[:offset]
	start := strings.LastIndexByte(before, '\n') + 1
	e := &qa.ParseError{
		Kind: kind, Offset: offset,
		Line: 1 + strings.Count(before, "\n"), Column: 1 + utf8.RuneCountInString(before[start:]),
	}
	e.Reason = reason
	if kind != qa.ErrNoAction {
		e.Reason = fmt.Sprintf("line %d, column %d of the reply: %s", e.Line, e.Column, reason)
	}
	return e
}
