package runlog

import (
	"encoding/json"
	"maps"
	"slices"
)

// grepEvent searches one event.
type grepEvent struct {
	*grepWorker
	at     line
	raw    []byte
	course *course
	hit    Hit // what all hits of the event have in common
	found  []result
}

// event searches an event of an episode with a number.
func (w *grepWorker) event(number int, at line, raw []byte) []result {
	e := grepEvent{grepWorker: w, at: at, raw: raw, course: w.course(number)}
	if e.course.find(at) < e.course.from {
		return nil // of an attempt that was started over
	}
	h, ok := quickHead(raw)
	var err error
	if !ok {
		err = json.Unmarshal(raw, &h)
	}
	if err == nil {
		e.hit = Hit{Episode: w.run.order[number], Event: h.Seq, Message: -1}
		err = e.fields(h.Type)
	}
	if err != nil {
		e.fail(LineError{at.number, err})
	}
	if len(e.found) > 0 {
		e.setMessage()
	}
	return e.found
}

func (e *grepEvent) setMessage() {
	message := e.course.message(e.at)
	for i := range e.found {
		if e.found[i].err == nil {
			e.found[i].hit.Message = message
		}
	}
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

// list adds hits of one field.
func (e *grepEvent) list(field string, hits []Hit) {
	for _, h := range hits {
		h.Episode, h.Event, h.Step, h.Field = e.hit.Episode, e.hit.Event, e.hit.Step, field
		e.found = append(e.found, result{hit: h})
	}
}

func (e *grepEvent) call() error {
	var ev callTexts
	if err := decode(&e.scan, e.raw, &ev, callTextFields); err != nil {
		return err
	}
	e.hit.Step = ev.Step
	e.in(FieldReply, string(ev.Reply.Text))
	e.in(FieldReasoning, string(ev.Reply.Reasoning))
	calls := ev.Reply.ToolCalls
	if len(calls) == 0 && ev.Called != nil {
		calls = []argumentTexts{*ev.Called}
	}
	for _, c := range calls {
		e.strings(c.Arguments)
	}
	e.action(ev.Action)
	e.in(FieldParseError, ev.ParseError.Reason)
	e.attempts(ev.Reply.Attempts)
	return nil
}

func (e *grepEvent) action(a actionTexts) {
	e.in(FieldAction, a.Text)
	e.in(FieldActionLaTeX, a.LaTeX)
}

func (e *grepEvent) attempts(list []attemptText) {
	for _, a := range list {
		e.in(FieldAttempt, a.Error)
	}
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
	var ev observationTexts
	if err := decode(&e.scan, e.raw, &ev, observationTextFields); err != nil {
		return err
	}
	e.hit.Step = ev.Step
	e.action(ev.Action)
	e.in(FieldObservation, string(ev.Text))
	if ev.Full != "" {
		e.list(FieldFull, e.inStored(ev.Full))
	}
	return nil
}

func (e *grepEvent) ending() error {
	var ev endTexts
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
