package ingest

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"airqa/env/datadir"
	"airqa/env/ingest/layout"
	"airqa/internal/tokens"
)

// chunker cuts pages into chunks.
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

// chunkMark follows the parser's name where chunks are not those of the paper, so that the fingerprint of a data directory
// depends on them.
func chunkMark(c datadir.Chunking) string {
	if c = c.Or(datadir.DefaultChunking()); c == datadir.DefaultChunking() {
		return ""
	}
	return fmt.Sprintf("+chunks-%d-%s", c.Size, c.Unit)
}

// page cuts the text of a page at the ends of paragraphs where possible, else of sentences, else of words. Notes on the authors
// are left out: they are on the page, and would interrupt a passage.
func (c *chunker) page(doc *layout.Document, lines []layout.Line) []string {
	lines = slices.DeleteFunc(slices.Clone(lines), func(l layout.Line) bool { return l.Role == layout.AuthorNote })
	return c.pack(strings.Split(doc.Flow(lines), "\n"))
}

// pack fills chunks with whole paragraphs, one a row, as many as fit.
func (c *chunker) pack(paragraphs []string) []string {
	var chunks []string
	current := piece{}
	for _, p := range paragraphs {
		for _, next := range c.pieces(p) {
			if current.text == "" {
				current = next
			} else if joined, fits := c.join(current, next); fits {
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

// piece is text that fits a chunk, what parts it from the piece before, and its maximum length with that.
type piece struct {
	text, separator string
	most            int
}

// join puts two pieces together and tells whether they fit a chunk. A token seldom reaches over a space or a line's end, so
// the sum of both counts is enough to see that they fit; where it is not, the whole is counted.
func (c *chunker) join(a, b piece) (piece, bool) {
	const margin = 8
	joined := piece{text: a.text + b.separator + b.text, separator: a.separator, most: a.most + b.most}
	if b.separator == "" || joined.most > c.limit-margin {
		joined.most = c.length(joined.text)
	}
	return joined, joined.most <= c.limit
}

// piece counts a text behind a separator.
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

// fits tells whether a text is no longer than a chunk.
func (c *chunker) fits(text string) bool { return c.length(text) <= c.limit }

// pieces breaks a paragraph that is longer than a chunk into sentences, and those into words.
func (c *chunker) pieces(paragraph string) []piece {
	paragraph = strings.TrimSpace(paragraph)
	if paragraph == "" {
		return nil
	}
	if whole := c.piece(paragraph, "\n"); whole.most <= c.limit+1 {
		return []piece{whole}
	}
	var out []piece
	for _, s := range sentences(paragraph) {
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

// length counts, but calls long text too long without counting: a run of one letter takes quadratic time, and a token of
// prose has four letters.
func (c *chunker) length(s string) int {
	const mostPerToken = 16
	if len(s) > mostPerToken*c.limit {
		return c.limit + 1
	}
	return c.count(s)
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
