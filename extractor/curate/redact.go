package curate

import (
	"regexp"
	"slices"
	"strings"

	"airqa/qa"
)

// Kind is a kind of private text.
type Kind string

// The kinds of private text and their replacements.
const (
	Secret   Kind = "secret"    // [redacted]
	HomePath Kind = "home_path" // ~
	Host     Kind = "host"      // [host]
	Email    Kind = "email"     // [email]
)

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

var (
	homePath = regexp.MustCompile(`(?:/home/|/Users/)[A-Za-z0-9._-]+|/root\b`)
	address  = regexp.MustCompile(`[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+`)
)

func (s *Scope) text(text string) string {
	text = string(s.redactor.known([]byte(text)))
	text = s.replace(text, homePath, HomePath, "~")
	return s.replace(text, address, Email, "[email]")
}

func (s *Scope) replace(text string, pattern *regexp.Regexp, kind Kind, by string) string {
	return pattern.ReplaceAllStringFunc(text, func(found string) string {
		if slices.ContainsFunc(s.paper, func(p string) bool { return strings.Contains(p, found) }) {
			return found
		}
		if s.Counts != nil {
			s.Counts[kind]++
		}
		return by
	})
}
