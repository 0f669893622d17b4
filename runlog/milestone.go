package runlog

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// milestone is the beginning of an event, as far as it decides what the event is to its episode.
type milestone struct {
	Type string `json:"type"`
	Step int    `json:"step"`
	By   string `json:"by"`
}

// milestoneOf reads the beginning of an event, or all of it if it is in an unusual form. Values of wrong types are left
// out: the reader of the event reports them.
func milestoneOf(raw []byte) milestone {
	m, ok := quickMilestone(raw)
	if !ok {
		m = milestone{}
		_ = json.Unmarshal(raw, &m)
	}
	return m
}

// quickMilestone reads the beginning of a line as usually written.
func quickMilestone(raw []byte) (m milestone, ok bool) {
	kind, rest, ok1 := after(raw, `{"type":"`)
	_, rest, ok2 := after(rest, `,"episode":"`)
	_, rest, ok3 := number(rest, `,"seq":`)
	_, rest, ok4 := after(rest, `,"time":"`)
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return m, false
	}
	m.Type = string(kind)
	if m.Type != TypeObservation {
		return m, true
	}
	m.Step, rest, ok1 = number(rest, `,"step":`)
	by, _, ok2 := after(rest, `,"by":"`)
	m.By = string(by)
	return m, ok1 && ok2
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
