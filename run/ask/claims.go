package ask

import (
	"slices"
	"strings"
	"unicode"

	"airqa/internal/python"
	"airqa/internal/words"
	"airqa/qa"
	"airqa/trace/cause"
)

// claims are the values or sentences of an answer, and the words of its question.
type claims struct {
	values []value
	asked  map[string]bool
}

// value is one value or sentence of an answer.
type value struct {
	folded string
	// numbers and words are those that the question does not have.
	numbers, words map[string]bool
}

// mostShort is the number of words up to which a value is a number, a name or a phrase rather than a sentence.
const mostShort = 8

// isEmpty reports whether a value has no words of its own: the answer to "does it" is yes or no, or the question's own words.
func (v value) isEmpty() bool {
	truth := slices.Contains([]string{"yes", "no", "true", "false"}, strings.TrimSpace(v.folded))
	return truth || len(v.numbers)+len(v.words) == 0
}

// isTelling reports whether a value is long enough that a text with the same words, whatever its subject, is its source.
func (v value) isTelling() bool {
	const leastSentence = 4 // the number of content words from which a text in the same words needs no more evidence
	return len(v.folded) >= leastQuote || len(words.Content(v.folded)) >= leastSentence
}

func claimsOf(question string, a qa.Answer) claims {
	c := claims{asked: stems(words.Fold(question))}
	for _, word := range []string{"many", "much", "value", "number", "amount"} { // said of any number
		delete(c.asked, word)
	}
	texts := [][]string{{a.Text}}
	if v, ok := python.Read(a.Literal); ok {
		if parts := cause.Parts(python.ToGo(v)); parts != nil {
			texts = parts // the values of lists and dictionaries one by one
		}
	}
	const mostValues = 50 // limits the work for a long list
	for _, forms := range texts {
		text := strings.ToValidUTF8(forms[0], "\ufffd")
		for _, p := range partsOf(text) {
			if v := c.value(text[p.first:p.end]); strings.TrimSpace(v.folded) != "" && len(c.values) < mostValues {
				c.values = append(c.values, v)
			}
		}
	}
	return c
}

func (c claims) value(text string) value {
	v := value{folded: words.Fold(text), numbers: map[string]bool{}, words: map[string]bool{}}
	for word := range stems(v.folded) {
		switch {
		case c.asked[word]:
		case unicode.IsDigit(rune(word[0])):
			v.numbers[word] = true
		default:
			v.words[word] = true
		}
	}
	return v
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

// isIn reports whether a folded text has a value, as whole words. Scripts without spaces have no words.
func (v value) isIn(folded string) bool {
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
func share(of, in map[string]bool) float64 { return words.ShareOf(of, in, nil) }
