package curate

import (
	"cmp"
	"slices"
	"strings"

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
type Redactor struct{ known func([]byte) []byte }

// NewRedactor makes a redactor. known, which may be nil, removes the secrets that are known, as runlog.Redactor does.
func NewRedactor(known func([]byte) []byte) *Redactor {
	if known == nil {
		known = func(b []byte) []byte { return b }
	}
	return &Redactor{known}
}

// Text redacts a text outside of any episode, such as a setting. counts may be nil.
func (r *Redactor) Text(text string, counts Counts) string {
	return (&Scope{redactor: r, Counts: counts}).text(text)
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
	m.Text = s.once(m.Text)
	for i, call := range m.ToolCalls {
		if text := s.once(string(call.Arguments)); text != string(call.Arguments) {
			m.ToolCalls = slices.Clone(m.ToolCalls)
			m.ToolCalls[i].Arguments = []byte(text)
		}
	}
	return m
}

func (s *Scope) once(text string) string {
	if done, ok := s.done[text]; ok {
		return done
	}
	done := s.text(text)
	s.done[text] = done
	return done
}

func (s *Scope) text(text string) string {
	text = s.known(text)
	spans := slices.Concat(secrets(text), homePaths(text), emails(text), hosts(text))
	if len(spans) == 0 {
		return text
	}
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) })
	var out strings.Builder
	done := 0
	for _, p := range spans {
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

// known removes the secrets that are known.
func (s *Scope) known(text string) string {
	clean := string(s.redactor.known([]byte(text)))
	if clean != text {
		for _, kind := range []Kind{Secret, HomePath} {
			s.count(kind, max(0, strings.Count(clean, replacements[kind])-strings.Count(text, replacements[kind])))
		}
	}
	return clean
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
