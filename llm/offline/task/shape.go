package task

import (
	"regexp"
	"strings"

	"airqa/llm/offline/words"
)

// Class is the sort of answer that a format demands.
type Class int

// The classes. AsText is what a format demands that says nothing else.
const (
	AsText Class = iota
	AsInteger
	AsFloat
	AsBool
	AsYesNo
	AsTitle
	AsUUID
	AsFormula
	AsProse
	AsList
	AsDict
)

// Shape is the form of an answer.
type Shape struct {
	Class Class
	// Decimals of a float, -1 when not told.
	Decimals int
	// Count of the elements of a list or of the sentences of prose, 0 when not told.
	Count int
	// Parts are the shapes of the elements, as far as the format names them; Keys those of a dictionary.
	Parts []Shape
	Keys  []string
	// Word tells that a text is a single word.
	Word bool
}

// classes are tried in this order: the first pattern that occurs decides.
var classes = []struct {
	class   Class
	pattern *regexp.Regexp
}{
	{AsDict, regexp.MustCompile(`\bdict(?:ionar(?:y|ies))?\b`)},
	{AsList, regexp.MustCompile(`\blist\b|\btuple\b`)},
	{AsUUID, regexp.MustCompile(`uuid`)},
	{AsTitle, regexp.MustCompile(`titles? of (?:the|a) paper|paper titles?|exact title`)},
	{AsFormula, regexp.MustCompile(`formula|latex|equation`)},
	{AsYesNo, regexp.MustCompile(`["']?yes["']? or ["']?no`)},
	{AsBool, regexp.MustCompile(`bool|true or false`)},
	{AsInteger, regexp.MustCompile(`\binteger|\bints?\b|whole number`)},
	{AsFloat, regexp.MustCompile(`float|decimal|\bnumber with|\ba number\b|numeric|percentage`)},
	{AsProse, regexp.MustCompile(`sentences?\b|paragraph|explanation of|explain|concise|brief|free.?form|open.?ended|detailed`)},
}

// ReadShape reads an answer format.
func ReadShape(format string) Shape {
	written, _, _ := strings.Cut(format, "e.g.")
	keys := quoted(written)
	if len(keys) == 0 {
		keys = dictKeys(format)
	}
	format = strings.ToLower(written)
	s := Shape{Decimals: decimals(format), Word: strings.Contains(format, "single word")}
	s.Class = classOf(format)
	switch s.Class {
	case AsDict:
		s.Keys, s.Parts = keys, elements(format)
	case AsList:
		s.Count, s.Parts = listCount(format), elements(format)
		if s.Count == 0 {
			s.Parts = s.Parts[:min(1, len(s.Parts))]
		}
		// "two numbers, an integer and a float" names the first kind for the whole.
		s.Parts = s.Parts[max(0, len(s.Parts)-max(s.Count, 1)):]
	case AsProse:
		s.Count = sentenceCount(format)
	}
	return s
}

// classOf is the class of the whole answer: of a list and a dictionary the one that is named first.
func classOf(format string) Class {
	dict, list := classes[0].pattern.FindStringIndex(format), classes[1].pattern.FindStringIndex(format)
	if dict != nil && list != nil && list[0] < dict[0] {
		return AsList
	}
	for _, x := range classes {
		if x.pattern.MatchString(format) {
			return x.class
		}
	}
	return AsText
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
		if n, ok := words.Count(m[1]); ok {
			return min(n, 10)
		}
		return 1
	}
	return -1
}

func listCount(format string) int {
	for _, m := range ofPattern.FindAllStringSubmatch(format, -1) {
		if n, ok := words.Count(m[1] + m[2]); ok {
			return min(n, 20)
		}
	}
	return 0
}

func sentenceCount(format string) int {
	if m := sentencePattern.FindStringSubmatch(format); m != nil {
		if n, ok := words.Count(m[1]); ok {
			return min(max(n, 1), 5)
		}
	}
	return 2
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
func elements(format string) []Shape {
	var parts []Shape
	for _, m := range elementPattern.FindAllStringSubmatch(format, -1) {
		part := Shape{Class: elementClass(m[2]), Decimals: decimals(format)}
		last := len(parts) - 1
		switch {
		case m[1] == "" || last < 0:
			parts = append(parts, part)
		// "the number of seeds as an integer" is one part, and so is "the formula as a string".
		case parts[last].Class == AsFloat || parts[last].Class == AsText:
			parts[last].Class = part.Class
		}
	}
	return parts
}

func elementClass(word string) Class {
	switch word[:3] {
	case "flo", "num":
		return AsFloat
	case "int":
		return AsInteger
	case "for":
		return AsFormula
	case "tit":
		return AsTitle
	case "boo":
		return AsBool
	}
	return AsText
}
