package runlog

import (
	"bytes"
	"encoding/json"
	"strconv"

	jsonv2 "github.com/go-json-experiment/json"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// eventTypes are the types that this program reads.
var eventTypes = []string{TypeCall, TypeObservation, TypeMessage, TypeStart, TypeEnd, TypeLost}

// quickly are the rules of encoding/json without its first pass over the whole line, which finds errors of syntax.
var quickly = jsonv2.JoinOptions(jsonv1.DefaultOptionsV1(), jsonv1.ReportErrorsWithLegacySemantics(false))

// decode is [json.Unmarshal] into a new value, in less time. With an error, the value has what could be decoded.
func decode[E any](raw []byte) (value E, err error) {
	if jsonv2.Unmarshal(raw, &value, quickly) == nil {
		return value, nil
	}
	value = *new(E)
	err = json.Unmarshal(raw, &value)
	return value, err
}

// quickHead is the beginning of a line as this program writes it, found without a look at the rest.
type quickHead struct {
	head
	written []byte // the time, which is not in head
	rest    []byte // after the time
}

// headQuickly reads the beginning of a line; ok is false for a line in another form, which is decoded as a whole.
func headQuickly(raw []byte) (q quickHead, ok bool) {
	kind, rest, ok1 := after(raw, `{"type":"`)
	episode, rest, ok2 := after(rest, `,"episode":"`)
	seq, rest, ok3 := number(rest, `,"seq":`)
	written, rest, ok4 := after(rest, `,"time":"`)
	if !ok1 || !ok2 || !ok3 || !ok4 || len(episode) == 0 || bytes.IndexByte(kind, '\\') >= 0 || bytes.IndexByte(episode, '\\') >= 0 {
		return q, false
	}
	return quickHead{head{Type: string(kind), Episode: string(episode), Seq: seq}, written, rest}, true
}

// after returns the string after a prefix, up to its closing quote.
func after(raw []byte, prefix string) (value, rest []byte, ok bool) {
	raw, ok = bytes.CutPrefix(raw, []byte(prefix))
	if !ok {
		return nil, nil, false
	}
	return bytes.Cut(raw, []byte(`"`))
}

// number returns the number after a prefix, up to the next comma.
func number(raw []byte, prefix string) (n int, rest []byte, ok bool) {
	raw, ok = bytes.CutPrefix(raw, []byte(prefix))
	end := bytes.IndexByte(raw, ',')
	if !ok || end < 0 {
		return 0, nil, false
	}
	n, err := strconv.Atoi(string(raw[:end]))
	return n, raw[end:], err == nil
}

// readHead reads the head of a line. It also checks the end of the line, to detect one that another line has overwritten.
func readHead(raw []byte) (head, error) {
	if q, ok := headQuickly(raw); ok && bytes.HasSuffix(raw, []byte("}\n")) && q.Time.UnmarshalText(q.written) == nil {
		return q.head, nil
	}
	return decode[head](raw)
}

// starts reports whether a line is the first event of an attempt.
func starts(raw []byte) bool {
	if bytes.HasPrefix(raw, []byte(`{"type":"`)) && !bytes.HasPrefix(raw, []byte(`{"type":"start"`)) {
		return false
	}
	h, err := readHead(raw)
	return err == nil && h.Type == TypeStart && h.Episode != "" && h.Seq == 1
}

// headOf returns the type and episode of an event, or "" for another line. It checks that the whole line is JSON.
// Whitespace and key order do not matter.
func headOf(raw []byte) (kind, episode string) {
	if q, ok := headQuickly(raw); ok && jsonv1.Valid(raw) {
		return q.Type, q.Episode
	}
	h, err := decode[head](raw)
	if err != nil || h.Episode == "" {
		return "", ""
	}
	return h.Type, h.Episode
}

// milestone is the beginning of an event, as far as it decides what the event is to its episode.
type milestone struct {
	Type string `json:"type"`
	Step int    `json:"step"`
	By   string `json:"by"`
}

// milestoneOf reads the beginning of an event, or all of it if it is in an unusual form. Values of wrong types are left
// out: the reader of the event reports them.
func milestoneOf(raw []byte) (m milestone) {
	if q, ok := headQuickly(raw); ok {
		m.Type = q.Type
		if m.Type != TypeObservation {
			return m
		}
		step, rest, ok1 := number(q.rest, `,"step":`)
		by, _, ok2 := after(rest, `,"by":"`)
		if ok1 && ok2 {
			m.Step, m.By = step, string(by)
			return m
		}
	}
	m, _ = decode[milestone](raw)
	return m
}
