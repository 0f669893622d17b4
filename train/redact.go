package train

import (
	"slices"
	"strings"

	"airqa/internal/lazyregexp"
	"airqa/qa"
)

// Private is a kind of private text.
type Private string

// The kinds of private text.
const (
	Secret   Private = "secret"
	HomePath Private = "home_path"
	Email    Private = "email"
)

// replacements are the same as those of runlog.Redactor where it has one.
var replacements = map[Private]string{Secret: "[redacted]", HomePath: "~/", Email: "[email]"}

// Redactions has the number of replacements by kind.
type Redactions map[Private]int

// Add adds the counts of texts, but for those that were counted before.
func (c Redactions) Add(found []*RedactedText, counted map[*RedactedText]bool) {
	for _, t := range found {
		if counted[t] {
			continue
		}
		counted[t] = true
		for kind, n := range t.counts {
			c[kind] += n
		}
	}
}

// RedactedText is a redacted text of an episode.
type RedactedText struct {
	text   string
	counts Redactions
}

// Redactor removes private text from what a model or a user wrote. Text that the papers of the same episode contain is
// paper text and stays. It is safe for concurrent use.
type Redactor struct {
	// Known removes the user's secrets and home directory, as runlog.Redactor does; nil removes none.
	Known func([]byte) []byte
	// Emails removes e-mail addresses as well.
	Emails bool
}

// EpisodeRedactor redacts the messages of one episode. It is not safe for concurrent use.
type EpisodeRedactor struct {
	redactor Redactor
	paper    []string
	done     map[string]*RedactedText
	counts   Redactions // of the text that is being redacted
	// Found has the texts that were changed, as often as messages had them. The caller may empty it.
	Found []*RedactedText
}

// Episode returns the redactor of an episode with the given messages: those of a user or a tool are paper text.
func (r Redactor) Episode(messages []qa.Message) *EpisodeRedactor {
	s := &EpisodeRedactor{redactor: r, done: make(map[string]*RedactedText), counts: make(Redactions)}
	for _, m := range messages {
		if m.Role == qa.User || m.Role == qa.ToolResult {
			s.paper = append(s.paper, m.Text)
		}
	}
	return s
}

// Message redacts what a model or a program wrote. Paper text is returned unchanged, as is a message without private
// text; the given message is never modified.
func (s *EpisodeRedactor) Message(m qa.Message) qa.Message {
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

func (s *EpisodeRedactor) once(text string) string {
	done := s.done[text]
	if done == nil {
		done = &RedactedText{text: s.text(text, s.counts)}
		if len(s.counts) > 0 { // of few texts
			done.counts, s.counts = s.counts, make(Redactions)
		}
		s.done[text] = done
	}
	if len(done.counts) > 0 {
		s.Found = append(s.Found, done)
	}
	return done.text
}

// text redacts a text; in JSON, it stays valid.
func (s *EpisodeRedactor) text(text string, counts Redactions) string {
	if s.redactor.Known != nil {
		text = s.known(text, counts)
	}
	text = s.replace(text, keys(text), Secret, counts)
	if s.redactor.Emails && strings.Contains(text, "@") {
		var emails []span
		for _, m := range address.FindAllStringIndex(text, -1) {
			emails = append(emails, span{min(afterEscape(text, m[0]), m[1]), m[1]})
		}
		text = s.replace(text, emails, Email, counts)
	}
	return text
}

// known removes the user's secrets and home directory.
func (s *EpisodeRedactor) known(text string, counts Redactions) string {
	clean := string(s.redactor.Known([]byte(text)))
	if clean == text {
		return text
	}
	for _, kind := range []Private{Secret, HomePath} {
		if n := strings.Count(clean, replacements[kind]) - strings.Count(text, replacements[kind]); n > 0 {
			counts[kind] += n
		}
	}
	return clean
}

type span struct{ start, end int }

// replace replaces spans, but for those that a paper contains.
func (s *EpisodeRedactor) replace(text string, spans []span, kind Private, counts Redactions) string {
	var out strings.Builder
	done := 0
	for _, p := range spans {
		if s.quoted(text[p.start:p.end]) {
			continue
		}
		out.WriteString(text[done:p.start])
		out.WriteString(replacements[kind])
		done = p.end
		counts[kind]++
	}
	if done == 0 {
		return text
	}
	return out.String() + text[done:]
}

// quoted reports whether the papers of the episode contain a text. They write the addresses of several authors as
// {ann,bob}@lab.org.
func (s *EpisodeRedactor) quoted(text string) bool {
	for part := range strings.SplitSeq(text, "@") {
		if !slices.ContainsFunc(s.paper, func(p string) bool { return strings.Contains(p, part) }) {
			return false
		}
	}
	return true
}

var address = lazyregexp.New(`[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}`)
