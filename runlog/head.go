package runlog

import (
	"bytes"
	"encoding/json"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"airqa/qa"
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

// decodeFor gives a line to what takes its event.
func decodeFor[E any](take func(E) error, raw []byte) error {
	ev, err := decode[E](raw)
	if err != nil {
		return err
	}
	return take(ev)
}

// beginning is the beginning of an event, as far as it decides what the event is to its episode.
type beginning struct {
	head
	// Step and By are an observation's. Values of wrong types are left out: the reader of the event reports them.
	Step int    `json:"step"`
	By   string `json:"by"`
}

// readBeginning reads the beginning of a line: the members up to the last one that it needs, or all if they are in another order. It
// also checks the end of the line, to detect one that another line has overwritten.
func readBeginning(raw []byte) (b beginning, err error) {
	last := `,"time":"`
	if bytes.HasPrefix(raw, []byte(`{"type":"observation"`)) {
		last = `,"by":"`
	}
	if at := bytes.Index(raw, []byte(last)) + len(last); at >= len(last) && bytes.HasSuffix(raw, []byte("}\n")) {
		members := slices.Concat(raw[:at+bytes.IndexByte(raw[at:], '"')+1], []byte("}"))
		err := jsonv2.Unmarshal(members, &b, quickly)
		whole := b.Episode != "" && b.Seq != 0 && !b.Time.IsZero() && (b.Type != TypeObservation || b.Step != 0)
		if err == nil && b.Type != "" && whole {
			return b, nil
		}
	}
	b, _ = decode[beginning](raw)
	b.head, err = decode[head](raw)
	return b, err
}

// role is what the event is to its episode.
func (b beginning) role() uint32 {
	switch {
	case b.Type == TypeStart && b.Episode != "" && b.Seq == 1:
		return roleStart
	case b.Type == TypeMessage, b.Type == TypeCall, b.Type == TypeObservation && b.By != qa.ByProgram:
		return roleMessage
	}
	return roleOther
}
