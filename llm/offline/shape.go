package offline

import (
	"regexp"
	"strconv"
	"strings"
)

// class is the sort of answer that a format demands.
type class int

const (
	asText class = iota
	asInteger
	asFloat
	asBool
	asYesNo
	asTitle
	asUUID
	asFormula
	asProse
	asList
	asDict
)

// shape is the form of an answer.
type shape struct {
	class class
	// decimals of a float, -1 when not told.
	decimals int
	// count of the elements of a list or of the sentences of prose, 0 when not told.
	count int
	// parts are the shapes of the elements, as far as the format names them; keys those of a dictionary.
	parts []shape
	keys  []string
	// word tells that a text is a single word.
	word bool
}

// classes are tried in this order: the first pattern that occurs decides.
var classes = []struct {
	class   class
	pattern *regexp.Regexp
}{
	{asDict, regexp.MustCompile(`\bdict(?:ionar(?:y|ies))?\b`)},
	{asList, regexp.MustCompile(`\blist\b|\btuple\b`)},
	{asUUID, regexp.MustCompile(`uuid`)},
	{asTitle, regexp.MustCompile(`titles? of (?:the|a) paper|paper titles?|exact title`)},
	{asFormula, regexp.MustCompile(`formula|latex|equation`)},
	{asYesNo, regexp.MustCompile(`["']?yes["']? or ["']?no`)},
	{asBool, regexp.MustCompile(`bool|true or false`)},
	{asInteger, regexp.MustCompile(`\binteger|\bints?\b|whole number`)},
	{asFloat, regexp.MustCompile(`float|decimal|\bnumber with|\ba number\b|numeric|percentage`)},
	{asProse, regexp.MustCompile(`sentences?\b|paragraph|explanation of|explain|concise|brief|free.?form|open.?ended|detailed`)},
}

// readShape reads an answer format.
func readShape(format string) shape {
	written, _, _ := strings.Cut(format, "e.g.")
	keys := quoted(written)
	if len(keys) == 0 {
		keys = dictKeys(format)
	}
	format = strings.ToLower(written)
	s := shape{decimals: decimals(format), word: strings.Contains(format, "single word")}
	s.class = classOf(format)
	switch s.class {
	case asDict:
		s.keys, s.parts = keys, elements(format)
	case asList:
		s.count, s.parts = listCount(format), elements(format)
		if s.count == 0 {
			s.parts = s.parts[:min(1, len(s.parts))]
		}
		// "two numbers, an integer and a float" names the first kind for the whole.
		s.parts = s.parts[max(0, len(s.parts)-max(s.count, 1)):]
	case asProse:
		s.count = sentenceCount(format)
	}
	return s
}

// classOf is the class of the whole answer: of a list and a dictionary the one that is named first.
func classOf(format string) class {
	dict, list := classes[0].pattern.FindStringIndex(format), classes[1].pattern.FindStringIndex(format)
	if dict != nil && list != nil && list[0] < dict[0] {
		return asList
	}
	for _, x := range classes {
		if x.pattern.MatchString(format) {
			return x.class
		}
	}
	return asText
}

var (
	decimalPattern  = regexp.MustCompile(`(\w+) (?:decimal|digits? after)`)
	ofPattern       = regexp.MustCompile(`(?:list|tuple) of (?:length )?(?:exactly )?(\w+)|(\w+) (?:elements|items|strings|floats|integers)`)
	sentencePattern = regexp.MustCompile(`(\w+) sentences?`)
	quotedPattern   = regexp.MustCompile("[\"'“`]([^\"'”`]{1,60})[\"'”`]")
	keyPattern      = regexp.MustCompile(`["']([^"'{}\[\]:]{1,60})["']\s*:`)
	elementPattern  = regexp.MustCompile(`(as an? (?:\w+ )?)?\b(floats?|integers?|ints?|strings?|names?|formulas?|titles?|bool\w*|numbers?)\b`)
)

func decimals(format string) int {
	if m := decimalPattern.FindStringSubmatch(format); m != nil {
		if n, ok := countWord(m[1]); ok {
			return min(n, 10)
		}
		return 1
	}
	return -1
}

func listCount(format string) int {
	for _, m := range ofPattern.FindAllStringSubmatch(format, -1) {
		if n, ok := countWord(m[1] + m[2]); ok {
			return min(n, 20)
		}
	}
	return 0
}

func sentenceCount(format string) int {
	if m := sentencePattern.FindStringSubmatch(format); m != nil {
		if n, ok := countWord(m[1]); ok {
			return min(max(n, 1), 5)
		}
	}
	return 2
}

// counts are the numerals that papers and formats write as words.
var counts = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen " +
	"sixteen seventeen eighteen nineteen twenty")

func countWord(w string) (int, bool) {
	for i, c := range counts {
		if c == strings.ToLower(w) {
			return i, true
		}
	}
	n, err := strconv.Atoi(w)
	return n, err == nil && n >= 0
}

// dictKeys are the keys of a dictionary that a format shows as an example.
func dictKeys(format string) []string {
	var list []string
	for _, m := range keyPattern.FindAllStringSubmatch(format, -1) {
		list = append(list, m[1])
	}
	return list
}

func quoted(text string) []string {
	var list []string
	for _, m := range quotedPattern.FindAllStringSubmatch(text, -1) {
		list = append(list, m[1])
	}
	return list
}

// elements returns the shapes that a format of several parts names, in their order.
func elements(format string) []shape {
	var parts []shape
	for _, m := range elementPattern.FindAllStringSubmatch(format, -1) {
		part := shape{class: elementClass(m[2]), decimals: decimals(format)}
		last := len(parts) - 1
		switch {
		case m[1] == "" || last < 0:
			parts = append(parts, part)
		// "the number of seeds as an integer" is one part, and so is "the formula as a string".
		case parts[last].class == asFloat || parts[last].class == asText:
			parts[last].class = part.class
		}
	}
	return parts
}

func elementClass(word string) class {
	switch word[:3] {
	case "flo", "num":
		return asFloat
	case "int":
		return asInteger
	case "for":
		return asFormula
	case "tit":
		return asTitle
	case "boo":
		return asBool
	}
	return asText
}
