package runlog

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"airqa/qa"
)

// course is the order of the events of an episode.
type course struct {
	once   sync.Once
	lines  []line
	places []place
	// from is the index of the first event of the last attempt.
	from int
	err  error
}

// place is what the head of an event states, and what follows from those before it.
type place struct {
	kind string
	// step is 0 for events outside of steps; message is -1 for events that make none.
	step, message int
}

// course reads the heads of an episode, only once.
func (g *grep) course(id string) (*course, error) {
	g.mu.Lock()
	c := g.courses[id]
	if c == nil {
		c = &course{}
		g.courses[id] = c
	}
	g.mu.Unlock()
	c.once.Do(func() {
		c.lines = g.run.lines[id]
		c.places = make([]place, len(c.lines))
		messages := 0
		for i, at := range c.lines {
			var m milestone
			if m, c.err = g.milestone(at); c.err != nil {
				return
			}
			if m.Type == TypeStart && m.Seq == 1 {
				c.from, messages = i, 0
			}
			c.places[i] = place{kind: m.Type, step: m.Step, message: -1}
			if m.makesMessage() {
				c.places[i].message = messages
				messages++
			}
		}
	})
	return c, c.err
}

// find returns the index of a line of the episode.
func (c *course) find(at line) int {
	i, _ := slices.BinarySearchFunc(c.lines, at, func(a, b line) int { return cmp.Compare(a.offset, b.offset) })
	return i
}

// milestone is the beginning of an event.
type milestone struct {
	head
	Step int    `json:"step"`
	By   string `json:"by"`
}

func (m milestone) makesMessage() bool {
	return m.Type == TypeMessage || m.Type == TypeCall || m.Type == TypeObservation && m.By != qa.ByProgram
}

// milestone reads the beginning of a line, or all of it if it is in an unusual form.
func (g *grep) milestone(at line) (milestone, error) {
	raw, err := g.line(line{at.offset, min(at.length, maxHead), at.number})
	if err != nil {
		return milestone{}, err
	}
	if m, ok := quickMilestone(raw); ok {
		return m, nil
	}
	if at.length > maxHead {
		if raw, err = g.line(at); err != nil {
			return milestone{}, err
		}
	}
	var m milestone
	// Wrong types leave the rest; the reader of the event reports them.
	_ = json.Unmarshal(raw, &m)
	return m, nil
}

func (g *grep) line(at line) ([]byte, error) {
	raw := make([]byte, at.length)
	if _, err := g.log.ReadAt(raw, at.offset); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", LogFile, at.number, err)
	}
	return raw, nil
}

// quickMilestone reads the beginning of a line as usually written.
func quickMilestone(raw []byte) (m milestone, ok bool) {
	kind, rest, ok1 := after(raw, `{"type":"`)
	episode, rest, ok2 := after(rest, `,"episode":"`)
	seq, rest, ok3 := number(rest, `,"seq":`)
	_, rest, ok4 := after(rest, `,"time":"`)
	if !ok1 || !ok2 || !ok3 || !ok4 || bytes.IndexByte(episode, '\\') >= 0 {
		return m, false
	}
	m.Type, m.Seq = string(kind), seq
	switch m.Type {
	case TypeCall:
		m.Step, _, ok = number(rest, `,"step":`)
		return m, ok
	case TypeObservation:
		m.Step, rest, ok1 = number(rest, `,"step":`)
		by, _, ok2 := after(rest, `,"by":"`)
		m.By = string(by)
		return m, ok1 && ok2
	}
	return m, true
}

// number returns the number after a prefix, up to the next comma or brace.
func number(raw []byte, prefix string) (n int, rest []byte, ok bool) {
	raw, ok = bytes.CutPrefix(raw, []byte(prefix))
	end := bytes.IndexAny(raw, ",}")
	if !ok || end < 0 {
		return 0, nil, false
	}
	n, err := strconv.Atoi(string(raw[:end]))
	return n, raw[end:], err == nil
}
