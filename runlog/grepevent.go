package runlog

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"airqa/qa"
)

// grepEvent searches one event after the other.
type grepEvent struct {
	*grep
	at    line
	hit   Hit // what all hits of the event have in common
	found []result
}

// search searches an event.
func (e *grepEvent) search(at line, raw []byte) []result {
	e.at, e.found = at, nil
	h, err := readBeginning(raw)
	if err == nil {
		e.hit = Hit{Episode: h.Episode, Event: h.Seq, Message: int(e.messages[at.number-1])}
		switch h.Type {
		case TypeMessage:
			err = decodeFor(e.message, raw)
		case TypeCall:
			err = decodeFor(e.call, raw)
		case TypeObservation:
			err = decodeFor(e.observation, raw)
		case TypeLost, TypeEnd:
			err = decodeFor(e.ending, raw)
		}
	}
	if err != nil {
		e.fail(LineError{at.number, err})
	}
	return e.found
}

func (e *grepEvent) fail(err error) { e.found = append(e.found, result{err: err}) }

// in searches one field.
func (e *grepEvent) in(field, text string) { e.list(field, occurrences(e.pattern, text)) }

// list adds hits of one field.
func (e *grepEvent) list(field string, hits []Hit) {
	for _, h := range hits {
		h.Episode, h.Event, h.Message = e.hit.Episode, e.hit.Event, e.hit.Message
		h.Step, h.Field = e.hit.Step, field
		e.found = append(e.found, result{hit: h})
	}
}

func (e *grepEvent) call(ev callEvent) error {
	e.hit.Step = ev.Step
	e.in(FieldReply, string(ev.Reply.Text))
	if ev.Reply.Reasoning != nil {
		e.in(FieldReasoning, string(*ev.Reply.Reasoning))
	}
	first := len(e.found)
	calls := ev.Reply.ToolCalls
	if len(calls) == 0 && ev.Called != nil {
		calls = []qa.ToolCall{*ev.Called}
	}
	for _, c := range calls {
		arguments, _ := decode[any](c.Arguments) // nil if there are none
		e.strings(arguments)
	}
	e.action(ev.Action, first)
	for _, other := range ev.Others {
		if other.Status != "" {
			e.in(FieldObservation, other.Text)
		}
	}
	if ev.ParseError != nil {
		e.in(FieldParseError, ev.ParseError.Reason)
	}
	e.attempts(ev.Reply.Attempts)
	return nil
}

// action searches a call, and its texts without the escapes of Python if nothing was found since the hit first.
func (e *grepEvent) action(a *qa.Action, first int) {
	if a == nil {
		return
	}
	e.in(FieldAction, a.Text)
	e.in(FieldActionLaTeX, a.LaTeX)
	if len(e.found) == first {
		e.strings(a.Args)
	}
	if sql, ok := a.Args["sql"].(string); ok && len(e.found) == first { // shown below the name of its tool
		e.in(FieldArguments, a.Name+" "+sql)
	}
}

func (e *grepEvent) attempts(list []qa.Attempt) {
	for _, a := range list {
		e.in(FieldAttempt, string(a.Error))
	}
}

// strings searches the strings in the arguments of a call, in the order of their names.
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

func (e *grepEvent) observation(ev observationEvent) error {
	e.hit.Step = ev.Step
	e.action(ev.Action, 0)
	e.list(FieldObservation, inResult(e.pattern, string(ev.Text)))
	if ev.Full != "" {
		e.list(FieldFull, e.inStored(ev.Full))
	}
	return nil
}

func (e *grepEvent) ending(ev struct {
	endEvent
	Attempts []qa.Attempt `json:"attempts"`
},
) error {
	e.attempts(ev.Attempts)
	e.attempts(ev.Failed)
	e.in(FieldReason, ev.Reason)
	e.in(FieldAnswer, ev.Answer.Text)
	e.in(FieldAnswerLaTeX, ev.Answer.LaTeX)
	return nil
}

// message searches a message, except for the observations that it repeats: they have hits of their own.
func (e *grepEvent) message(ev messageEvent) error {
	if len(ev.Parts) == 1 && ev.Parts[0].Ref != "" {
		e.list(FieldMessage, e.inStored(ev.Parts[0].Ref))
		return nil
	}
	var text strings.Builder
	var repeated [][2]int
	for _, p := range ev.Parts {
		switch {
		case p.Ref != "":
			stored, err := e.run.Text(p.Ref)
			if err != nil {
				e.fail(err)
			}
			text.WriteString(stored)
		case p.Observation > 0:
			seen, err := e.observed(p.Observation)
			if err != nil {
				return err
			}
			repeated = append(repeated, [2]int{text.Len(), text.Len() + len(seen)})
			text.WriteString(seen)
		case p.Text != nil:
			text.WriteString(string(*p.Text))
		}
	}
	e.list(FieldMessage, occurrences(e.pattern, text.String(), repeated...))
	return nil
}

// observed returns the text of an earlier observation of the attempt.
func (e *grepEvent) observed(step int) (string, error) {
	lines := e.run.linesOf(e.hit.Episode)
	i, _ := slices.BinarySearchFunc(lines, e.at, func(a, b line) int { return cmp.Compare(a.offset, b.offset) })
	for i--; i >= 0 && e.messages[lines[i].number-1] != notRead; i-- {
		at := lines[i]
		raw := make([]byte, at.length)
		if _, err := e.log.ReadAt(raw, at.offset); err != nil {
			return "", fmt.Errorf("%s:%d: %w", LogFile, at.number, err)
		}
		if m, _ := readBeginning(raw); m.Type == TypeObservation && m.Step == step {
			ev, err := decode[observationEvent](raw)
			return string(ev.Text), err
		}
	}
	return "", fmt.Errorf("message refers to the observation of step %d, which is not there", step)
}

const (
	// maxHits is the maximum number of hits listed for one field.
	maxHits = 100
	// around is the number of characters shown on each side of a hit.
	around = 60
)

// occurrences returns the hits in a text, without their place in the log and those within some ranges of it.
func occurrences(p *Pattern, text string, without ...[2]int) []Hit {
	var hits []Hit
	for start, end := range p.All(text) {
		if slices.ContainsFunc(without, func(r [2]int) bool { return r[0] <= start && end <= r[1] }) {
			continue
		}
		if len(hits) == maxHits {
			break
		}
		hits = append(hits, Excerpt(text, start, end))
	}
	return hits
}

// Excerpt returns a hit at a byte range of a text, without its place in a log. It copies what it shows, so that a hit does
// not keep the text in memory.
func Excerpt(text string, start, end int) Hit {
	from, to := start, end
	for range around {
		r, n := utf8.DecodeLastRuneInString(text[:from])
		if n == 0 || r == '\n' {
			break
		}
		from -= n
	}
	for range around {
		r, n := utf8.DecodeRuneInString(text[to:])
		if n == 0 || r == '\n' {
			break
		}
		to += n
	}
	shown := strings.Clone(text[from:to])
	return Hit{Offset: start, End: end, Snippet: Snippet{Before: shown[:start-from], Match: shown[start-from : end-from], After: shown[end-from:]}}
}

// inResult returns the hits in a tool's result: in the text that the model saw, and in its rows as people are shown them.
func inResult(p *Pattern, text string) []Hit {
	hits := occurrences(p, text)
	if !strings.HasPrefix(text, "{") || len(hits) == 0 && !p.MayContain(text) {
		return hits
	}
	for _, names := range []bool{false, true} {
		shown, places := shownRows(text, names)
		for _, h := range occurrences(p, shown) {
			h.Offset, h.End = places[h.Offset], max(places[h.End], places[h.Offset]+1)
			if !slices.ContainsFunc(hits, func(o Hit) bool { return h.Offset < o.End && o.Offset < h.End }) {
				hits = append(hits, h)
			}
		}
	}
	slices.SortFunc(hits, func(a, b Hit) int { return a.Offset - b.Offset })
	return hits[:min(len(hits), maxHits)]
}

// shownRows returns rows, which are lines of JSON, as people are shown them: the texts of their cells with a space between,
// each behind the name of its column, or without names below those of the first row. places has the byte in rows for each
// byte of the text, and the end of rows.
func shownRows(rows string, names bool) (shown string, places []int) {
	var head []byte
	var headPlaces []int
	text, begin, inside, line := make([]byte, 0, len(rows)), 0, false, 0 // begin is the beginning of the last string
	for at := 0; at < len(rows); {
		r, n := cellChar(rows[at:], inside)
		switch rows[at] {
		case '"':
			if inside = !inside; inside {
				begin = len(text)
			} else if !names && strings.HasPrefix(rows[at+1:], ":") {
				if line == 0 {
					head, headPlaces = append(head, text[begin:]...), append(headPlaces, places[begin:]...)
				}
				text, places = text[:begin], places[:begin]
			}
		case '\n': // no string contains one: the last was cut
			inside, line = false, line+1
		}
		for text = utf8.AppendRune(text, r); len(places) < len(text); {
			places = append(places, at)
		}
		at += n
	}
	return string(append(head, text...)), append(append(headPlaces, places...), len(rows))
}

// cellChar returns the first character of a text in JSON, a space for syntax, and its length there.
func cellChar(text string, inside bool) (r rune, n int) {
	r, n = utf8.DecodeRuneInString(text)
	if inside && r == '\\' {
		if char, _, rest, err := strconv.UnquoteChar(text, '"'); err == nil {
			return char, len(text) - len(rest)
		}
	}
	if r == '"' || !inside && strings.ContainsRune("{}:,", r) {
		r = ' '
	}
	return r, n
}

// inStored returns the hits in a text beside the log. Each text is searched once.
func (e *grepEvent) inStored(sum string) []Hit {
	search, _ := e.texts.LoadOrStore(sum, sync.OnceValues(func() ([]Hit, error) {
		text, err := e.run.Text(sum)
		return inResult(e.pattern, text), err
	}))
	hits, err := search.(func() ([]Hit, error))()
	if err != nil {
		e.fail(err)
	}
	return hits
}
