package runlog

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"airqa/internal/literal"
)

const (
	// maxHits is the maximum number of hits listed for one field.
	maxHits = 100
	// around is the number of characters shown on each side of a hit.
	around = 60
	// maxKept is the number of hits in stored texts above which those of further texts are not kept in memory.
	maxKept = 20_000
)

// occurrences returns the hits in a text, without their place in the log and those within some ranges of it.
func occurrences(p *literal.Pattern, text string, without ...[2]int) []Hit {
	var hits []Hit
	for start, end := range p.All(text) {
		if slices.ContainsFunc(without, func(r [2]int) bool { return r[0] <= start && end <= r[1] }) {
			continue
		}
		if len(hits) == maxHits {
			hits[maxHits-1].More++
			continue
		}
		hits = append(hits, excerpt(text, start, end))
	}
	return hits
}

// excerpt copies what it shows, so that a hit does not keep its field in memory.
func excerpt(text string, start, end int) Hit {
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
	start, end = start-from, end-from
	return Hit{Offset: from + start, Before: shown[:start], Match: shown[start:end], After: shown[end:]}
}

// stored is what is known of a text beside the log.
type stored struct {
	once sync.Once
	has  bool
	hits []Hit // nil if too many texts have hits
	err  error
}

// relevant reports whether an event that refers to the text must be decoded.
func (s *stored) relevant() bool { return s.has || s.err != nil }

// stored searches a text beside the log, only once.
func (g *grep) stored(sum string) *stored {
	g.mu.Lock()
	s := g.texts[sum]
	if s == nil {
		s = &stored{}
		g.texts[sum] = s
	}
	g.mu.Unlock()
	s.once.Do(func() {
		var text string
		text, s.err = g.run.Text(sum)
		hits := occurrences(g.pattern, text)
		s.has = len(hits) > 0
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.kept < maxKept {
			g.kept += len(hits)
			s.hits = hits
		}
	})
	return s
}

// inStored returns the hits in a text beside the log.
func (e *grepEvent) inStored(sum string) []Hit {
	s := e.stored(sum)
	if s.err != nil {
		e.fail(s.err)
	}
	if s.hits == nil && s.has {
		return occurrences(e.pattern, e.text(sum))
	}
	return s.hits
}

// text returns a text beside the log.
func (e *grepEvent) text(sum string) string {
	text, err := e.run.Text(sum)
	if err != nil {
		e.fail(err)
	}
	return text
}

// message searches a message, except for the observations that it repeats: they have hits of their own.
func (e *grepEvent) message() error {
	var ev messageEvent
	if err := decode(&e.scan, e.raw, &ev, messageFields); err != nil {
		return err
	}
	if len(ev.Parts) == 1 && ev.Parts[0].Ref != "" {
		e.list(FieldMessage, e.inStored(ev.Parts[0].Ref))
		return nil
	}
	texts := make([]string, len(ev.Parts))
	var repeated [][2]int
	size := 0
	for i, p := range ev.Parts {
		var err error
		if texts[i], err = e.part(p); err != nil {
			return err
		}
		if p.Ref == "" && p.Observation > 0 {
			repeated = append(repeated, [2]int{size, size + len(texts[i])})
		}
		size += len(texts[i])
	}
	e.list(FieldMessage, occurrences(e.pattern, strings.Join(texts, ""), repeated...))
	return nil
}

func (e *grepEvent) part(p part) (string, error) {
	switch {
	case p.Ref != "":
		return e.text(p.Ref), nil
	case p.Observation > 0:
		return e.observed(p.Observation)
	case p.Text != nil:
		return string(*p.Text), nil
	}
	return "", nil
}

// observed returns the text of an earlier observation of the attempt.
func (e *grepEvent) observed(step int) (string, error) {
	for i := e.course.find(e.at) - 1; i >= e.course.from; i-- {
		at := e.course.lines[i]
		raw, err := e.line(line{at.offset, min(at.length, maxHead), at.number})
		if err != nil {
			return "", err
		}
		if m, ok := quickMilestone(raw); ok && (m.Type != TypeObservation || m.Step != step) {
			continue
		}
		if raw, err = e.line(at); err != nil {
			return "", err
		}
		if m := milestoneOf(raw); m.Type == TypeObservation && m.Step == step {
			var ev observationTexts
			err = decode(&e.scan, raw, &ev, observationTextFields)
			return string(ev.Text), err
		}
	}
	return "", fmt.Errorf("message refers to the observation of step %d, which is not there", step)
}

// line reads a line of the log.
func (g *grep) line(at line) ([]byte, error) {
	raw := make([]byte, at.length)
	if _, err := g.log.ReadAt(raw, at.offset); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", LogFile, at.number, err)
	}
	return raw, nil
}
