package offline

import (
	"strings"

	"airqa/internal/lazyregexp"
)

// class is the type of answer that a format requires.
type class int

const (
	asText class = iota
	asInteger
	asFloat
	asBool
	asTitle
	asUUID
	asFormula
	asProse
	asList
)

// shape is the structure of an answer.
type shape struct {
	class    class
	decimals int     // of a float; 0 when unknown
	count    int     // elements of a list, or sentences
	parts    []shape // elements of a list, as far as the format names them
}

// classes are tried in order.
var classes = []struct {
	class   class
	pattern *lazyregexp.Regexp
}{
	{asList, lazyregexp.New(`\blist\b`)},
	{asUUID, lazyregexp.New(`uuid`)},
	{asTitle, lazyregexp.New(`^title|titles? of (the|a) paper|paper titles?`)},
	{asFormula, lazyregexp.New(`formula|latex|equation`)},
	{asBool, lazyregexp.New(`bool|true or false|yes["']? or ["']?no`)},
	{asInteger, lazyregexp.New(`\bint(eger)?s?\b|whole number`)},
	{asFloat, lazyregexp.New(`float|decimal|\ba number\b|percentage`)},
	{asProse, lazyregexp.New(`^$|sentences?\b|paragraph|expla|brief|concise|detailed`)},
}

var (
	decimalPattern = lazyregexp.New(`(\w+) decimal`)
	lengthPattern  = lazyregexp.New(`list of (\w+)|(\w+) sentences?`)
	partPattern    = lazyregexp.New(`\b(?:float|integer|string|formula|title|bool)`)
)

// readShape parses an answer format. Without one, the answer is prose.
func readShape(format string) shape {
	lower := strings.ToLower(strings.TrimSpace(format))
	s := shape{}
	for _, c := range classes {
		if s.class == asText && c.pattern.MatchString(lower) {
			s.class = c.class
		}
	}
	if m := decimalPattern.FindStringSubmatch(lower); m != nil {
		s.decimals = min(count(m[1]), 10)
	}
	if m := lengthPattern.FindStringSubmatch(lower); m != nil {
		s.count = min(count(m[1]+m[2]), 20)
	}
	if s.class != asList {
		return s
	}
	s.count = max(s.count, 2)
	for _, word := range partPattern.FindAllString(lower, -1) {
		part := readShape(word)
		part.decimals = s.decimals
		s.parts = append(s.parts, part)
	}
	return s
}

// part is the shape of element i.
func (s shape) part(i int) shape {
	if len(s.parts) == 0 {
		return shape{}
	}
	return s.parts[min(i, len(s.parts)-1)]
}
