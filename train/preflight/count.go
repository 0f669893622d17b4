package preflight

import (
	"strings"
	"sync"

	"airqa/internal/tokens"
	"airqa/train/preflight/template"
)

// counter counts and splits the pieces of a rendered row: exactly with the model's tokenizer, or with the vocabulary of
// another model.
type counter struct {
	// special are tokens that count one wherever they stand: those that the trainer adds to the vocabulary, or of an estimate
	// all special tokens of the template.
	special []string
	// bos reports whether the tokenizer has a first token.
	bos bool
	// countPlain and cutPlain count a text without special tokens, and divide it after n tokens, of which it has more.
	countPlain func(text string) int
	cutPlain   func(text string, n int) (head, tail string)
	known      *memo
}

func newCounter(c Config, t *template.Template) *counter {
	if k := c.Tokenizer; k != nil {
		cut := func(text string, n int) (head, tail string) {
			ids := k.Encode(nil, text)
			return k.Decode(ids[:n]), k.Decode(ids[n:])
		}
		return &counter{special: addedTokens(c, t), bos: c.BOS != "", countPlain: k.Count, cutPlain: cut, known: newMemo()}
	}
	estimate := tokens.Count
	if c.EveryDigit {
		estimate = func(text string) int { return tokens.Count(text) + furtherDigits(text) }
	}
	cut := func(text string, n int) (head, tail string) {
		head, _ = tokens.Cut(text, n)
		return head, text[len(head):]
	}
	return &counter{special: specialTokens(t), bos: true, countPlain: estimate, cutPlain: cut, known: newMemo()}
}

// addedTokens lists the tokens that the trainer adds to the vocabulary.
func addedTokens(c Config, t *template.Template) (add []string) {
	want := t.Stop
	if len(want) == 0 && c.EOS == "" {
		want = []string{"<|endoftext|>"}
	}
	for _, token := range want {
		if _, ok := c.Tokenizer.ID(token); !ok {
			add = append(add, token)
		}
	}
	return add
}

// specialTokens lists the special tokens of a template.
func specialTokens(t *template.Template) []string {
	list := append([]string{"<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|start_header_id|>", "<|end_header_id|>"}, t.Stop...)
	if v := t.Vision; v != nil {
		for _, token := range []string{v.Image, v.Video, v.Begin, v.End} {
			if token != "" {
				list = append(list, token)
			}
		}
	}
	return list
}

// count returns the number of tokens of a piece.
func (c *counter) count(p template.Piece) int {
	switch {
	case p.Kind == template.BOS && !c.bos:
		return 0
	case p.Kind != template.Text:
		return 1
	}
	return c.known.count(p.Text, func(text string) (n int) {
		for text != "" {
			before, token, after := cutFirst(text, c.special)
			if before != "" {
				n += c.countPlain(before)
			}
			if token != "" {
				n++
			}
			text = after
		}
		return n
	})
}

// split returns the first n tokens of a piece and the rest.
func (c *counter) split(p template.Piece, n int) (head, tail string) {
	for text := p.Text; text != ""; {
		before, token, after := cutFirst(text, c.special)
		size := 0
		if before != "" {
			size = c.countPlain(before)
		}
		if size > n {
			first, rest := c.cutPlain(before, n)
			return head + first, rest + token + after
		}
		n -= size
		if token != "" {
			if n == 0 {
				return head + before, token + after
			}
			n--
		}
		head += before + token
		text = after
	}
	return head, ""
}

// cutFirst cuts text around the first of the tokens that occurs in it.
func cutFirst(text string, tokens []string) (before, token, after string) {
	at := -1
	for _, t := range tokens {
		if i := strings.Index(text, t); i >= 0 && (at < 0 || i < at || i == at && len(t) > len(token)) {
			at, token = i, t
		}
	}
	if at < 0 {
		return text, "", ""
	}
	return text[:at], token, text[at+len(token):]
}

// furtherDigits returns how many digits are not the first of three in a token.
func furtherDigits(text string) (n int) {
	run := 0
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			run = 0
			continue
		}
		if run++; run%3 != 1 {
			n++
		}
	}
	return n
}

// memo remembers counts of texts, as rows of one trajectory repeat each other's turns.
type memo struct {
	mu    sync.Mutex
	m     map[string]int
	bytes int
}

// memoBytes is the size of the texts after which a memo is cleared.
const memoBytes = 32 << 20

func newMemo() *memo { return &memo{m: make(map[string]int)} }

// count returns the count of a text.
func (m *memo) count(text string, count func(string) int) int {
	m.mu.Lock()
	n, ok := m.m[text]
	m.mu.Unlock()
	if ok {
		return n
	}
	n = count(text)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.bytes += len(text); m.bytes > memoBytes {
		clear(m.m)
		m.bytes = len(text)
	}
	m.m[strings.Clone(text)] = n
	return n
}
