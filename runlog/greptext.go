package runlog

import (
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

// stored is a text beside the log that was searched.
type stored struct {
	once sync.Once
	hits []Hit
	err  error
}

// inStored returns the hits in a text beside the log. Each text is searched once.
func (e *grepEvent) inStored(sum string) []Hit {
	e.mu.Lock()
	s := e.texts[sum]
	if s == nil {
		s = &stored{}
		e.texts[sum] = s
	}
	e.mu.Unlock()
	s.once.Do(func() {
		var text string
		text, s.err = e.run.Text(sum)
		s.hits = occurrences(e.pattern, text)
	})
	if s.err != nil {
		e.fail(s.err)
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
