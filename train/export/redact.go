package export

import (
	"airqa/qa"
	"airqa/train/redact"
	"airqa/train/windows"
)

// scope redacts the rows of one episode.
type scope struct{ *redact.Scope }

// scope returns the redaction of an episode; it changes nothing with KeepPrivate.
func (c Config) scope(e *Episode) scope {
	if c.KeepPrivate {
		return scope{}
	}
	return scope{c.redactor.Scope(e.Recorded.Messages)}
}

// message redacts a message.
func (s scope) message(m qa.Message) qa.Message {
	if s.Scope == nil {
		return m
	}
	return s.Message(m)
}

// row redacts the messages of a row. Its context must not be shared.
func (s scope) row(row *windows.Row) {
	if s.Scope == nil {
		return
	}
	for i, m := range row.Context {
		row.Context[i] = s.Message(m)
	}
	row.Target = s.Message(row.Target)
}
