package redact

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"airqa/qa"
)

// Kind is a kind of private text.
type Kind string

// The kinds of private text.
const (
	Secret   Kind = "secret"
	HomePath Kind = "home_path"
	Host     Kind = "host"
	Email    Kind = "email"
)

// replacements are the same as those of runlog.Redactor where it has one.
var replacements = map[Kind]string{Secret: "[redacted]", HomePath: "~", Host: "[host]", Email: "[email]"}

// Counts has the number of replacements by kind.
type Counts map[Kind]int

// Add adds other counts.
func (c Counts) Add(other Counts) {
	for kind, n := range other {
		c[kind] += n
	}
}

// Redactor removes private text from what a model or a user wrote. Text that the papers of the same episode contain is
// paper text and stays. It is safe for concurrent use.
type Redactor struct {
	known func([]byte) []byte
	// prompts has what was found in system prompts, which all episodes of a run share.
	mu      sync.Mutex
	prompts map[string]findings
}

// findings is what may be private in a text.
type findings struct {
	// clean is the text without the secrets that are known; counts has these.
	clean  string
	counts Counts
	// spans are sorted by their beginning.
	spans []span
}

// mostPrompts is the number of system prompts after which those kept are forgotten.
const mostPrompts = 16

// New makes a redactor. known, which may be nil, removes the secrets that are known, as runlog.Redactor does.
func New(known func([]byte) []byte) *Redactor {
	if known == nil {
		known = func(b []byte) []byte { return b }
	}
	return &Redactor{known: known, prompts: make(map[string]findings)}
}

// Text redacts a text outside of any episode, such as a setting. counts may be nil.
func (r *Redactor) Text(text string, counts Counts) string {
	return (&Scope{redactor: r, Counts: counts}).text(r.find(text))
}

// Scope redacts the messages of one episode. It is not safe for concurrent use.
type Scope struct {
	redactor *Redactor
	paper    []string
	done     map[string]string
	// Counts counts the replacements; a message that is redacted again is not counted again.
	Counts Counts
}

// Scope returns the scope of an episode with the given messages: those of a user or a tool are paper text.
func (r *Redactor) Scope(messages []qa.Message) *Scope {
	s := &Scope{redactor: r, done: make(map[string]string), Counts: make(Counts)}
	for _, m := range messages {
		if m.Role == qa.User || m.Role == qa.ToolResult {
			s.paper = append(s.paper, m.Text)
		}
	}
	return s
}

// Message redacts what a model or a program wrote. Paper text is returned unchanged, as is a message without private
// text; the given message is never modified.
func (s *Scope) Message(m qa.Message) qa.Message {
	if m.Role == qa.User || m.Role == qa.ToolResult {
		return m
	}
	find := s.redactor.find
	if m.Role == qa.System {
		find = s.redactor.findInPrompt
	}
	m.Text = s.once(m.Text, find)
	for i, call := range m.ToolCalls {
		if text := s.once(string(call.Arguments), find); text != string(call.Arguments) {
			m.ToolCalls = slices.Clone(m.ToolCalls)
			m.ToolCalls[i].Arguments = []byte(text)
		}
	}
	return m
}

func (s *Scope) once(text string, find func(string) findings) string {
	if done, ok := s.done[text]; ok {
		return done
	}
	done := s.text(find(text))
	s.done[text] = done
	return done
}

// find finds what may be private in a text.
func (r *Redactor) find(text string) findings {
	f := findings{clean: string(r.known([]byte(text)))}
	if f.clean != text {
		f.counts = make(Counts)
		for _, kind := range []Kind{Secret, HomePath} {
			f.counts[kind] = max(0, strings.Count(f.clean, replacements[kind])-strings.Count(text, replacements[kind]))
		}
	}
	f.spans = slices.Concat(secrets(f.clean), homePaths(f.clean), emails(f.clean), hosts(f.clean))
	slices.SortStableFunc(f.spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) })
	return f
}

// findInPrompt is find for a text that many episodes have.
func (r *Redactor) findInPrompt(text string) findings {
	r.mu.Lock()
	f, ok := r.prompts[text]
	r.mu.Unlock()
	if ok {
		return f
	}
	f = r.find(text)
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.prompts) >= mostPrompts {
		clear(r.prompts)
	}
	r.prompts[text] = f
	return f
}

// text replaces what was found, but for what the papers contain.
func (s *Scope) text(f findings) string {
	for kind, n := range f.counts {
		s.count(kind, n)
	}
	text := f.clean
	if len(f.spans) == 0 {
		return text
	}
	var out strings.Builder
	done := 0
	for _, p := range f.spans {
		if p.start < done || s.quoted(text[p.start:p.end], p.kind) {
			continue
		}
		out.WriteString(text[done:p.start])
		out.WriteString(replacements[p.kind])
		done = p.end
		s.count(p.kind, 1)
	}
	out.WriteString(text[done:])
	return out.String()
}

// quoted reports whether a paper of the episode contains a text. Papers write the addresses of several authors as
// {ann,bob}@lab.org.
func (s *Scope) quoted(text string, kind Kind) bool {
	parts := []string{text}
	if kind == Email {
		parts = strings.Split(text, "@")
	}
	for _, part := range parts {
		if !slices.ContainsFunc(s.paper, func(p string) bool { return strings.Contains(p, part) }) {
			return false
		}
	}
	return true
}

func (s *Scope) count(kind Kind, n int) {
	if s.Counts != nil && n > 0 {
		s.Counts[kind] += n
	}
}
