package ingest

import (
	"strings"
	"unicode"

	"airqa/env/ingest/layout"
	"airqa/internal/tokens"
)

// ChunkTokens is the most tokens of a chunk, counted in cl100k_base (AirQA paper, Appendix B: chunks of 512 tokens).
const ChunkTokens = 512

// chunker cuts pages into chunks.
type chunker struct {
	limit int // in tokens
}

// page cuts the text of a page at the ends of paragraphs where possible, else of sentences, else of words.
func (c *chunker) page(doc *layout.Document, lines []layout.Line) []string {
	return c.pack(strings.Split(doc.Flow(lines), "\n"))
}

// pack fills chunks with whole paragraphs, one a row, as many as fit.
func (c *chunker) pack(paragraphs []string) []string {
	var chunks []string
	current := ""
	for _, p := range paragraphs {
		for _, piece := range c.pieces(p) {
			joined := join(current, piece.text, piece.separator)
			if current != "" && c.tokens(joined) > c.limit {
				chunks = append(chunks, current)
				joined = piece.text
			}
			current = joined
		}
	}
	if current != "" {
		chunks = append(chunks, current)
	}
	return chunks
}

// piece is text that fits a chunk, and what parts it from the piece before.
type piece struct {
	text, separator string
}

// pieces breaks a paragraph that is longer than a chunk into sentences, and those into words.
func (c *chunker) pieces(paragraph string) []piece {
	paragraph = strings.TrimSpace(paragraph)
	if paragraph == "" {
		return nil
	}
	if c.tokens(paragraph) <= c.limit {
		return []piece{{paragraph, "\n"}}
	}
	var out []piece
	for _, s := range sentences(paragraph) {
		if c.tokens(s) <= c.limit {
			out = append(out, piece{s, " "})
			continue
		}
		for w := range strings.FieldsSeq(s) {
			out = append(out, c.split(w)...)
		}
	}
	out[0].separator = "\n"
	return out
}

// split halves a word until its parts fit: base64, a URL, a page without spaces.
func (c *chunker) split(word string) []piece {
	if c.tokens(word) <= c.limit {
		return []piece{{word, " "}}
	}
	runes := []rune(word)
	if len(runes) < 2 {
		return []piece{{word, " "}}
	}
	head, tail := c.split(string(runes[:len(runes)/2])), c.split(string(runes[len(runes)/2:]))
	tail[0].separator = ""
	return append(head, tail...)
}

// tokens counts, but calls long text too long without counting: a run of one letter takes quadratic time, and a token of
// prose has four letters.
func (c *chunker) tokens(s string) int {
	const mostPerToken = 16
	if len(s) > mostPerToken*c.limit {
		return c.limit + 1
	}
	return tokens.Count(s)
}

func join(a, b, separator string) string {
	if a == "" {
		return b
	}
	return a + separator + b
}

// sentences cuts after ". ", "? " and "! " before a capital or a digit.
func sentences(s string) []string {
	var out []string
	runes := []rune(s)
	start := 0
	for i := 0; i+2 < len(runes); i++ {
		ends := strings.ContainsRune(".?!", runes[i]) && runes[i+1] == ' '
		if ends && (unicode.IsUpper(runes[i+2]) || unicode.IsDigit(runes[i+2])) {
			out = append(out, string(runes[start:i+1]))
			start = i + 2
		}
	}
	return append(out, string(runes[start:]))
}
