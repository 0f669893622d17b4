package gate

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"airqa/internal/lazyregexp"
	"airqa/internal/python"
	"airqa/internal/words"
)

// minLeak is the number of characters from which a word of the answer in the question is a leak; short words and numbers
// may be there by chance.
const minLeak = 3

// answerParts returns an answer, or the elements of a list, but no truth values.
func answerParts(answer string) []string {
	v, ok := python.Read(answer)
	if !ok {
		v = answer
	}
	var parts []string
	switch x := v.(type) {
	case bool:
	case python.List:
		for _, item := range x {
			parts = append(parts, python.Str(item))
		}
	default:
		parts = []string{python.Str(x)}
	}
	return slices.DeleteFunc(parts, func(part string) bool {
		return slices.Contains([]string{"", "yes", "no", "true", "false"}, strings.ToLower(strings.TrimSpace(part)))
	})
}

// leaksIn reports whether a question contains an answer other than as an alternative to choose. A short answer must also
// count what the question asks for: "how many heads" and "12 heads".
func leaksIn(question, answer string) bool {
	short := utf8.RuneCountInString(strings.TrimSpace(answer)) < minLeak
	for _, at := range occurrences(question, answer) {
		if short && !countsAsked(question, at) {
			continue
		}
		if !alternative(question, at.First, at.End, isNumber(answer)) {
			return true
		}
	}
	return false
}

// countsAsked reports whether a number in a question precedes the word that follows "how many".
func countsAsked(question string, at words.Word) bool {
	asked, counted := "", ""
	text := words.Split(question)
	for i := 1; i+1 < len(text); i++ {
		if text[i].Text == "many" && text[i-1].Text == "how" {
			asked = stem(text[i+1].Text)
		}
		if text[i].End == at.End {
			counted = stem(text[i+1].Text)
		}
	}
	return asked != "" && asked == counted
}

var (
	// structure are the words after a number that describes the form of an answer.
	structure = lazyregexp.New(`(?i)^[-\s]*(?:decimals?|digits?|places?|significant|fractional|elements?|items?|entries|` +
		`words?|sentences?|strings?|` +
		`integers?|numbers?|floats?|names?|values?|keys?|letters?|characters?|sub-?lists?|lists?|tuples?|dimensional|parts?|lines?)\b`)
	// bounds are the words before and after the ends of a range.
	boundsBefore = lazyregexp.New(`(?i)(?:\bfrom|\bbetween|\bto|\band|\brange(?:s|d)?|\bout of|\bleast|\bmost|[-–\[(])\s*$`)
	ranged       = lazyregexp.New(`(?i)\b(?:from|between|rang\p{L}+|interval|scale|at least|at most|out of)\b|[\[(]\s*\d`)
	options      = lazyregexp.New(`(?i)\b(?:one of|either|choose|chosen|choosing|select\p{L}*|among|options?|from the following|whether)\b`)
	example      = lazyregexp.New(`(?i)\b(?:such as|e\.?g\.?|for example|for instance|like|example)\b`)
)

// leaksInFormat reports whether an answer format contains the answer, of any length, other than in a range, in a list of
// options, or as a number that describes the form ("a list of 3 strings").
func leaksInFormat(format, answer string) bool {
	for _, at := range occurrences(format, answer) {
		before, after := format[:at.First], format[at.End:]
		if isNumber(answer) && (structure.MatchString(after) || boundsBefore.MatchString(before) && ranged.MatchString(format)) {
			continue
		}
		if options.MatchString(before) && !example.MatchString(before) {
			continue
		}
		return true
	}
	return false
}

// occurrences returns where a text has the words of an answer, or its number in another form: 12.0 or twelve.
func occurrences(text, answer string) (list []words.Word) {
	for first, end := range words.NewFinder(text).All(answer) {
		list = append(list, words.Word{Text: answer, First: first, End: end})
	}
	if number, ok := numberOf(answer); ok {
		for _, w := range words.Split(text) {
			if n, ok := numberIn(w.Text); ok && n == number {
				list = append(list, w)
			}
		}
	}
	return list
}

// numberOf reads a number in digits or, up to twenty, in words. "one" is a pronoun too often.
func numberOf(text string) (float64, bool) {
	text = strings.ToLower(strings.Trim(strings.TrimSpace(text), "%$€"))
	if i := slices.Index(words.Numerals, text); i >= 0 && i != 1 {
		return float64(i), true
	}
	n, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	return n, err == nil
}

// numberIn is [numberOf] for a word; a unit may follow its decimals, as in 9.2cm.
func numberIn(word string) (float64, bool) {
	if strings.Contains(word, ".") {
		word = strings.TrimRightFunc(word, unicode.IsLetter)
	}
	return numberOf(word)
}

func isNumber(text string) bool {
	_, ok := numberOf(text)
	return ok
}

const (
	// open are words after "or" that name no alternative: "12 or more", "or which".
	open = `(?:more|less|fewer|higher|lower|greater|larger|smaller|bigger|later|earlier|longer|shorter|above|below|under|over|so|not|no|` +
		`an?other|others?|otherwise|something|anything|someone|somewhere|else|(?:an? )?(?:different|additional)|` +
		`any|some|none|neither|even|rather|` +
		`what|which|who|how|why|when|where|whether|is|are|does|do|did|was|were|if|thereabouts|approximately|about|roughly)\b`
	article = `(?:the |an? |in |on |with |by |using |via |from )*`
	// item is an alternative in a list, without a new clause.
	item = `[^,.;:?]{1,60}`
)

var (
	orNext    = lazyregexp.New(`(?i)^["'”’)]*((?: [\w+-]+){0,3}),? or ` + article + `["'“‘(]*([\p{L}\p{N}])`)
	orOpen    = lazyregexp.New(`(?i)^["'”’)]*(?: [\w+-]+){0,3},? or ` + open)
	orNow     = lazyregexp.New(`(?i)^["'”’)]*,? or `)
	listNext  = lazyregexp.New(`(?i)^["'”’)]*((?:, ` + item + `)*), ?(?:or |` + item + ` or )["'“‘(]*[\p{L}\p{N}]`)
	orBefore  = lazyregexp.New(`(?i)([\p{L}\p{N}%-]+)["'”’)]*,? or ` + article + `["'“‘(]*$`)
	orAlready = lazyregexp.New(`(?i)([\p{L}\p{N}%-]+)["'”’)]*,? or ((?:[\w+-]+ ){1,3})["'“‘(]*$`)
	andBefore = lazyregexp.New(`(?i)\b(?:between|among) ` + article + `(?:` + item + `, ?)*` + item + `,? and ` + article + `["'“‘(]*$`)
	listed    = lazyregexp.New(`(?i)\bamong ` + article + `(?:` + item + `, ?)*["'“‘(]*$`)
	andLater  = lazyregexp.New(`(?i)^["'”’)]*(?:, ` + item + `)*,? and ["'“‘(]*[\p{L}\p{N}]`)
	andNext   = lazyregexp.New(`(?i)^["'”’)]* and ` + article + `["'“‘(]*[\p{L}\p{N}]`)
	between   = lazyregexp.New(`(?i)\bbetween ` + article + `["'“‘(]*$`)
	newClause = lazyregexp.New(`(?i)\b(?:what|which|who|how|why|when|where|is|are|does|do|did|was|were|and)\b`)
	openWord  = lazyregexp.New(`(?i)^` + open + `$`)
)

// alternative reports whether bytes of a question are one of the alternatives that it offers: "A or B", "A, B, or C",
// "between A and B". A number is one only if it stands next to "or".
func alternative(question string, start, end int, number bool) bool {
	before, after := whitespace.ReplaceAllString(question[:start], " "), whitespace.ReplaceAllString(question[end:], " ")
	first := orBefore.FindStringSubmatch(before) // "A or"
	follows := first != nil && !openWord.MatchString(first[1])
	precedes := orNext.MatchString(after) && !orOpen.MatchString(after) // "or B", also "layers or B"
	if number {
		return follows || precedes && orNow.MatchString(after)
	}
	list := listNext.FindString(after) // ", B, or C" within the same clause
	opensList := list != "" && !newClause.MatchString(list) && !orOpen.MatchString(after)
	return follows || precedes || opensList || endsAlternative(before) || joined(before, after)
}

// endsAlternative reports whether the text before an answer ends with "or" and up to three words that the answer completes:
// "A or the larger". An open word or a new clause names no alternative.
func endsAlternative(before string) bool {
	m := orAlready.FindStringSubmatch(before)
	if m == nil || openWord.MatchString(m[1]) || newClause.MatchString(m[2]) {
		return false
	}
	return !openWord.MatchString(strings.Fields(m[2])[0])
}

// joined reports whether "and" joins an answer to others after "between" or "among": "between A and B".
func joined(before, after string) bool {
	switch {
	case andBefore.MatchString(before):
		return true
	case listed.MatchString(before) && andLater.MatchString(after):
		return true
	}
	return between.MatchString(before) && andNext.MatchString(after)
}

var whitespace = lazyregexp.New(`\s+`)
