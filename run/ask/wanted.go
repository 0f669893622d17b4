package ask

import (
	"fmt"
	"math"
	"strings"
	"unicode"

	"airqa/internal/python"
	"airqa/internal/words"
	"airqa/qa"
)

// wanted is what to look for: the values or sentences of an answer, and the words of its question.
type wanted struct {
	values []value
	asked  map[string]bool
}

// value is one value or sentence of an answer.
type value struct {
	folded string
	// numbers and fresh are its words that the question does not have.
	numbers, fresh map[string]bool
}

// mostShort is the number of words up to which a value is searched as a whole.
const mostShort = 8

// short reports whether the value is a number, a name or a phrase rather than a sentence.
func (v value) short() bool { return len(strings.Fields(v.folded)) <= mostShort }

// empty reports whether a value has no words of its own: the answer to "does it" is yes or no, or the question's own words.
func (v value) empty() bool {
	text := strings.TrimSpace(v.folded)
	return text == "yes" || text == "no" || text == "true" || text == "false" || len(v.numbers)+len(v.fresh) == 0
}

// telling reports whether a value is long enough that a text with the same words, whatever its subject, is its source.
func (v value) telling() bool {
	const leastSentence = 4 // the number of content words from which a text in the same words needs no more evidence
	return len(v.folded) >= leastQuote || len(words.Content(v.folded)) >= leastSentence
}

func wantedOf(question string, a qa.Answer) wanted {
	w := wanted{asked: stems(words.Fold(question))}
	for _, word := range []string{"many", "much", "value", "number", "amount"} { // said of any number
		delete(w.asked, word)
	}
	texts := []string{a.Text}
	if v, ok := python.Read(a.Literal); ok && a.Literal != "" {
		texts = flat(python.ToGo(v)) // the values of lists and dictionaries one by one
	}
	const mostValues = 50 // limits the work for a long list
	for _, text := range texts {
		text = valid(text)
		for _, part := range partsOf(text) {
			if v := w.value(text[part.first:part.end]); strings.TrimSpace(v.folded) != "" && len(w.values) < mostValues {
				w.values = append(w.values, v)
			}
		}
	}
	return w
}

func (w wanted) value(text string) value {
	v := value{folded: words.Fold(text), numbers: map[string]bool{}, fresh: map[string]bool{}}
	for word := range stems(v.folded) {
		switch {
		case w.asked[word]:
		case unicode.IsDigit(rune(word[0])):
			v.numbers[word] = true
		default:
			v.fresh[word] = true
		}
	}
	return v
}

func flat(v any) []string {
	var list []string
	switch x := v.(type) {
	case nil:
	case []any:
		for _, e := range x {
			list = append(list, flat(e)...)
		}
	case map[string]any:
		for _, e := range x {
			list = append(list, flat(e)...)
		}
	case float64:
		if x == math.Trunc(x) && math.Abs(x) < 1e15 {
			return []string{fmt.Sprintf("%.0f", x)}
		}
		list = append(list, fmt.Sprint(x))
	default:
		list = append(list, fmt.Sprint(x))
	}
	return list
}

// stems are the content words of a folded text without the s of a plural. Of scripts without spaces, they are the pairs
// of characters.
func stems(folded string) map[string]bool {
	list := make(map[string]bool)
	for word := range words.Content(folded) {
		if runes := []rune(word); strings.ContainsFunc(word, unspaced) && len(runes) > 2 {
			for i := range runes[1:] {
				list[string(runes[i:i+2])] = true
			}
			continue
		}
		if len(word) > 3 && !unicode.IsDigit(rune(word[0])) {
			word = strings.TrimSuffix(word, "s")
		}
		list[word] = true
	}
	return list
}

// has reports whether a folded text has a value, as whole words. Scripts without spaces have no words.
func (v value) has(folded string) bool {
	if strings.ContainsFunc(v.folded, unspaced) {
		return strings.Contains(strings.ReplaceAll(folded, " ", ""), strings.ReplaceAll(v.folded, " ", ""))
	}
	return strings.Contains(folded, v.folded)
}

// unspaced reports whether a character is of a script that is written without spaces.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// share is the share of words that a text has, 0 if there are none.
func share(want, in map[string]bool) float64 {
	if len(want) == 0 {
		return 0
	}
	return float64(words.Shared(want, in)) / float64(len(want))
}
