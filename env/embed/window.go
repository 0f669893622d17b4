package embed

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"airqa/internal/tokens"
)

// Part is an indivisible part of a text that ends at byte End: a word or a punctuation mark, with preceding whitespace.
type Part struct{ End, Tokens int }

// maxOverlap is the number of tokens shared by neighbouring windows. It exceeds the length of a sentence, so every
// sentence is complete in one of them.
const maxOverlap = 64

// Cut splits a text with the given parts into windows of at most limit tokens. The windows have about equal length, and
// each repeats the end of its predecessor. A text of at most limit tokens is its only window, unchanged.
func Cut(text string, parts []Part, limit int) []string {
	starts := make([]int, len(parts)+1) // in tokens
	for i, p := range parts {
		starts[i+1] = starts[i] + p.Tokens
	}
	total := starts[len(parts)]
	if total <= limit {
		return []string{text}
	}
	overlap := min(maxOverlap, limit/2)
	count := (total - overlap + limit - overlap - 1) / (limit - overlap)
	size := (total + (count-1)*overlap + count - 1) / count
	var windows []string
	for from := 0; ; {
		to := from + 1
		room := size
		if total-starts[from] <= limit {
			room = limit // avoids a short last window
		}
		for to < len(parts) && starts[to+1]-starts[from] <= room {
			to++
		}
		begin := 0
		if from > 0 {
			begin = parts[from-1].End
		}
		windows = append(windows, strings.TrimSpace(text[begin:parts[to-1].End]))
		if to == len(parts) {
			return windows
		}
		next := to
		for next > from+1 && starts[to]-starts[next-1] <= overlap && starts[to+1]-starts[next-1] <= size {
			next-- // leaves room for the next part
		}
		from = next
	}
}

// Windows splits a text into windows of at most Tokens tokens of cl100k_base, with the prefix.
func (o *OpenAI) Windows(text string) []string {
	limit := o.config.Tokens - tokens.Count(o.prefix)
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

// PartRead is the length of the first window of a text that has several: Embed sends no more.
func (o *OpenAI) PartRead(text string) int {
	if windows := o.Windows(text); len(windows) > 1 {
		return tokens.Count(windows[0])
	}
	return 0
}

// maxWord is the maximum number of bytes tokenized at once: the time for a run of one letter grows quadratically.
const maxWord = 256

// words yields the end of each word of the text, including preceding whitespace. Words longer than most bytes are
// split.
func words(text string, limit int) func(yield func(end int) bool) {
	return func(yield func(end int) bool) {
		begin, inWord := 0, false
		for i, r := range text {
			space := unicode.IsSpace(r)
			if inWord && space || i+utf8.RuneLen(r)-begin > limit && i > begin {
				if !yield(i) {
					return
				}
				begin, inWord = i, false
			}
			inWord = inWord || !space
		}
		if begin < len(text) {
			yield(len(text))
		}
	}
}
