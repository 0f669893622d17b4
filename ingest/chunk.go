package ingest

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"airqa/env/datadir"
	"airqa/ingest/layout"
	"airqa/internal/tokens"
	"airqa/internal/words"
)

type chunker struct {
	limit int
	count func(string) int // tokens or characters
}

func newChunker(c datadir.Chunking) *chunker {
	c = c.Or(datadir.DefaultChunking())
	if c.Unit == datadir.Characters {
		return &chunker{limit: c.Size, count: utf8.RuneCountInString}
	}
	return &chunker{limit: c.Size, count: tokens.Count}
}

// chunkMark is appended to the parser's name if the chunking differs from the paper's, so that the fingerprint of a
// data directory depends on it.
func chunkMark(c datadir.Chunking) string {
	if c = c.Or(datadir.DefaultChunking()); c == datadir.DefaultChunking() {
		return ""
	}
	return fmt.Sprintf("+chunks-%d-%s", c.Size, c.Unit)
}

// page splits the text of a page at the ends of paragraphs if possible, else of sentences, else of words. It omits
// notes on the authors, which would interrupt a passage; they remain on the page.
func (c *chunker) page(doc *layout.Document, lines []layout.Line) []string {
	lines = slices.DeleteFunc(slices.Clone(lines), func(l layout.Line) bool { return l.Role == layout.AuthorNote })
	return c.pack(strings.Split(doc.Flow(lines), "\n"))
}

// pack fills chunks with as many whole paragraphs as fit, one per row.
func (c *chunker) pack(paragraphs []string) []string {
	const margin = 8 // tokens
	var chunks []string
	current := piece{}
	for _, p := range paragraphs {
		for _, next := range c.pieces(p) {
			if current.text == "" {
				current = next
				continue
			}
			// Tokens seldom cross a space or a line end, so the sum of both counts usually suffices; otherwise the
			// concatenation is counted.
			joined := piece{text: current.text + next.separator + next.text, separator: current.separator, most: current.most + next.most}
			if next.separator == "" || joined.most > c.limit-margin {
				joined.most = c.length(joined.text)
			}
			if joined.most <= c.limit {
				current = joined
			} else {
				chunks, current = append(chunks, current.text), next
			}
		}
	}
	if current.text != "" {
		chunks = append(chunks, current.text)
	}
	return chunks
}

// piece is text that fits a chunk, its separator from the previous piece, and its maximum length including the
// separator.
type piece struct {
	text, separator string
	most            int
}

// piece counts a text after a separator.
func (c *chunker) piece(text, separator string) piece {
	n := c.length(text)
	switch {
	case n > c.limit:
	case separator == " ":
		n = max(n, c.length(separator+text))
	case separator == "\n":
		n++
	}
	return piece{text, separator, n}
}

func (c *chunker) fits(text string) bool { return c.length(text) <= c.limit }

// pieces splits a paragraph that exceeds a chunk into sentences, and those into words.
func (c *chunker) pieces(paragraph string) []piece {
	paragraph = strings.TrimSpace(paragraph)
	if paragraph == "" {
		return nil
	}
	if whole := c.piece(paragraph, "\n"); whole.most <= c.limit+1 {
		return []piece{whole}
	}
	var out []piece
	for _, s := range words.Sentences(paragraph) {
		if c.fits(s) {
			out = append(out, c.piece(s, " "))
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
	runes := []rune(word)
	if len(runes) < 2 || c.fits(word) {
		return []piece{c.piece(word, " ")}
	}
	head, tail := c.split(string(runes[:len(runes)/2])), c.split(string(runes[len(runes)/2:]))
	tail[0].separator = ""
	return append(head, tail...)
}

// length counts text, but treats long text as too long without counting: a run of one letter takes quadratic time, and
// a token of prose has about four letters.
func (c *chunker) length(s string) int {
	const mostPerToken = 16
	if len(s) > mostPerToken*c.limit {
		return c.limit + 1
	}
	return c.count(s)
}
