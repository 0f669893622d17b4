package runlog

import (
	"encoding/json"
	"maps"
	"slices"
)

// grepEvent searches one event.
type grepEvent struct {
	*grep
	at    line
	raw   []byte
	hit   Hit // what all hits of the event have in common
	found []result
}

// search returns the hits and errors of the event.
func (e *grepEvent) search() []result {
	h, ok := quickHead(e.raw)
	var err error
	if !ok {
		err = json.Unmarshal(e.raw, &h)
	}
	if err == nil {
		e.hit.Event = h.Seq
		err = e.fields(h.Type)
	}
	if err != nil {
		e.fail(LineError{e.at.number, err})
	}
	if len(e.found) == 0 {
		return nil
	}
	c, err := e.course(e.hit.Episode)
	if err != nil {
		return []result{{err: err}}
	}
	i := c.find(e.at)
	if i < c.from {
		return nil
	}
	for n := range e.found {
		e.found[n].hit.Step, e.found[n].hit.Message = c.places[i].step, c.places[i].message
	}
	return e.found
}

func (e *grepEvent) fail(err error) { e.found = append(e.found, result{err: err}) }

func (e *grepEvent) fields(kind string) error {
	switch kind {
	case TypeMessage:
		return e.message()
	case TypeCall:
		return e.call()
	case TypeObservation:
		return e.observation()
	case TypeLost, TypeEnd:
		return e.ending()
	}
	return nil
}

// in searches one field.
func (e *grepEvent) in(field, text string) { e.list(field, occurrences(e.pattern, text)) }

func (e *grepEvent) list(field string, hits []Hit) {
	for _, h := range hits {
		h.Episode, h.Event, h.Field = e.hit.Episode, e.hit.Event, field
		e.found = append(e.found, result{hit: h})
	}
}

type grepAction struct {
	Text  string `json:"text"`
	LaTeX string `json:"latex"`
}

func (e *grepEvent) action(a *grepAction) {
	if a != nil {
		e.in(FieldAction, a.Text)
		e.in(FieldActionLaTeX, a.LaTeX)
	}
}

type grepCall struct {
	Arguments any `json:"arguments"`
}

type grepAttempt struct {
	Error string `json:"error"`
}

func (e *grepEvent) attempts(list []grepAttempt) {
	for _, a := range list {
		e.in(FieldAttempt, a.Error)
	}
}

func (e *grepEvent) call() error {
	var ev struct {
		Reply struct {
			Text      Text          `json:"text"`
			Reasoning Text          `json:"reasoning"`
			Attempts  []grepAttempt `json:"attempts"`
			ToolCalls []grepCall    `json:"tool_calls"`
		} `json:"reply"`
		Called     *grepCall   `json:"called"`
		Action     *grepAction `json:"action"`
		ParseError struct {
			Reason string `json:"reason"`
		} `json:"parse_error"`
	}
	if err := json.Unmarshal(e.raw, &ev); err != nil {
		return err
	}
	e.in(FieldReply, string(ev.Reply.Text))
	e.in(FieldReasoning, string(ev.Reply.Reasoning))
	calls := ev.Reply.ToolCalls
	if len(calls) == 0 && ev.Called != nil {
		calls = []grepCall{*ev.Called}
	}
	for _, c := range calls {
		e.strings(c.Arguments)
	}
	e.action(ev.Action)
	e.in(FieldParseError, ev.ParseError.Reason)
	e.attempts(ev.Reply.Attempts)
	return nil
}

// strings searches the strings in the arguments of a native call, in the order of their names.
func (e *grepEvent) strings(v any) {
	switch v := v.(type) {
	case string:
		e.in(FieldArguments, v)
	case []any:
		for _, item := range v {
			e.strings(item)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			e.strings(v[name])
		}
	}
}

func (e *grepEvent) observation() error {
	var ev struct {
		Action *grepAction `json:"action"`
		Text   Text        `json:"text"`
		Full   string      `json:"full"`
	}
	if err := json.Unmarshal(e.raw, &ev); err != nil {
		return err
	}
	e.action(ev.Action)
	e.in(FieldObservation, string(ev.Text))
	if ev.Full != "" {
		e.list(FieldFull, e.inStored(ev.Full))
	}
	return nil
}

func (e *grepEvent) ending() error {
	var ev struct {
		Attempts []grepAttempt `json:"attempts"`
		Failed   []grepAttempt `json:"failed_attempts"`
		Reason   string        `json:"reason"`
		Answer   struct {
			Text  string `json:"text"`
			LaTeX string `json:"latex"`
		} `json:"answer"`
	}
	if err := json.Unmarshal(e.raw, &ev); err != nil {
		return err
	}
	e.attempts(ev.Attempts)
	e.attempts(ev.Failed)
	e.in(FieldReason, ev.Reason)
	e.in(FieldAnswer, ev.Answer.Text)
	e.in(FieldAnswerLaTeX, ev.Answer.LaTeX)
	return nil
}
