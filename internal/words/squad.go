package words

import (
	"strings"

	"airqa/internal/python"
)

// SQuADTokens returns the words of a text as the SQuAD evaluation scripts normalize it: in lower case, without ASCII
// punctuation and articles. Punctuation is deleted, so that "cat-sat" is one word; other punctuation than ASCII stays.
func SQuADTokens(text string) []string {
	text = python.RemovePunctuation(python.Lower(text))
	var b strings.Builder
	for text != "" {
		end := strings.IndexFunc(text, func(r rune) bool { return !IsWord(r) })
		if end < 0 {
			end = len(text)
		}
		switch word := text[:end]; word { // a run of word characters: "a" before a curly apostrophe is an article
		case "a", "an", "the":
			b.WriteByte(' ')
		default:
			b.WriteString(word)
		}
		rest := strings.IndexFunc(text[end:], IsWord)
		if rest < 0 {
			rest = len(text) - end
		}
		b.WriteString(text[end : end+rest])
		text = text[end+rest:]
	}
	return python.Fields(b.String())
}

// SQuADF1 is the token F1 of the script of version 1.1, from 0 to 1: 0 without a common token, also if both texts are
// empty.
func SQuADF1(predicted, gold string) float64 {
	return overlap(SQuADTokens(predicted), SQuADTokens(gold))
}

// SQuADF1v2 is the token F1 of version 2.0: 1 if both texts have no token, else as [SQuADF1].
func SQuADF1v2(predicted, gold string) float64 {
	p, g := SQuADTokens(predicted), SQuADTokens(gold)
	if len(p) == 0 && len(g) == 0 {
		return 1
	}
	return overlap(p, g)
}

// overlap is the F1 of two multisets.
func overlap(predicted, gold []string) float64 {
	left := make(map[string]int)
	for _, t := range gold {
		left[t]++
	}
	common := 0
	for _, t := range predicted {
		if left[t] > 0 {
			left[t]--
			common++
		}
	}
	if common == 0 {
		return 0
	}
	precision, recall := float64(common)/float64(len(predicted)), float64(common)/float64(len(gold))
	return 2 * precision * recall / (precision + recall)
}
