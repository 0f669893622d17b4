package embed

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"airqa/internal/tokens"
)

// Part is an indivisible part of a text, which ends at byte End: a word or a sign, with the blank before it.
type Part struct{ End, Tokens int }

// mostOverlap is how many tokens two neighbouring windows share: more than a sentence has, so that every sentence is whole
// in one of them.
const mostOverlap = 64

// Cut returns the windows of a text whose parts are given: stretches of at most limit tokens, about equally long, of which
// each repeats the end of the one before. A text of no more than limit tokens is its only window, as it is.
func Cut(text string, parts []Part, limit int) []string {
	starts := make([]int, len(parts)+1) // in tokens
	for i, p := range parts {
		starts[i+1] = starts[i] + p.Tokens
	}
	total := starts[len(parts)]
	if total <= limit {
		return []string{text}
	}
	overlap := min(mostOverlap, limit/2)
	count := (total - overlap + limit - overlap - 1) / (limit - overlap)
	size := (total + (count-1)*overlap + count - 1) / count
	var windows []string
	for from := 0; ; {
		to := from + 1
		room := size
		if total-starts[from] <= limit {
			room = limit // no short rest
		}
		for to < len(parts) && starts[to+1]-starts[from] <= room {
			to++
		}
		windows = append(windows, between(text, parts, from, to))
		if to == len(parts) {
			return windows
		}
		next := to
		for next > from+1 && starts[to]-starts[next-1] <= overlap && starts[to+1]-starts[next-1] <= size {
			next-- // there stays room for the part that follows
		}
		from = next
	}
}

// between is the text of the parts from one number to before another.
func between(text string, parts []Part, from, to int) string {
	begin := 0
	if from > 0 {
		begin = parts[from-1].End
	}
	return strings.TrimSpace(text[begin:parts[to-1].End])
}

// Windows cuts a text into windows of at most Tokens tokens of cl100k_base.
func (o *OpenAI) Windows(text string) []string {
	limit := o.config.Tokens
	if len(text) <= limit { // a token has at least one byte
		return []string{text}
	}
	var parts []Part
	for end := range words(text, min(limit, maxWord)) {
		begin := 0
		if len(parts) > 0 {
			begin = parts[len(parts)-1].End
		}
		parts = append(parts, Part{End: end, Tokens: tokens.Count(text[begin:end])})
	}
	return Cut(text, parts, limit)
}

// maxWord is how many bytes are counted at once: the time for a run of one letter grows with its square.
const maxWord = 256

// words yields where the words of a text end, each with the blanks before it. What is longer than most bytes is divided.
func words(text string, most int) func(yield func(end int) bool) {
	return func(yield func(end int) bool) {
		begin, inWord := 0, false
		for i, r := range text {
			blank := unicode.IsSpace(r)
			if inWord && blank || i+utf8.RuneLen(r)-begin > most && i > begin {
				if !yield(i) {
					return
				}
				begin, inWord = i, false
			}
			inWord = inWord || !blank
		}
		if begin < len(text) {
			yield(len(text))
		}
	}
}
