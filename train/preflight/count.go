package preflight

import (
	"strings"
	"sync"

	"airqa/internal/tokens"
	"airqa/train/preflight/template"
)

// counter counts and splits the pieces of a rendered row.
type counter interface {
	count(p template.Piece) int
	// split returns the first n tokens of a piece and the rest.
	split(p template.Piece, n int) (head, tail string)
}

func newCounter(c Config, t *template.Template) counter {
	if c.Tokenizer == nil {
		return &estimate{special: specials(t), digits: c.EveryDigit, known: newMemo()}
	}
	return &exact{t: c.Tokenizer, bos: c.BOS != "", added: missing(c, t), known: newMemo()}
}

// missing lists the tokens that the trainer adds to the vocabulary.
func missing(c Config, t *template.Template) []string {
	want := t.Stop
	if len(want) == 0 && c.EOS == "" {
		want = []string{"<|endoftext|>"}
	}
	var add []string
	for _, token := range want {
		if _, ok := c.Tokenizer.ID(token); !ok {
			add = append(add, token)
		}
	}
	return add
}

// exact counts with the model's tokenizer.
type exact struct {
	t     Tokenizer
	bos   bool
	added []string // tokens absent from the vocabulary that the trainer adds
	known *memo
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

// of returns the count of a text.
func (m *memo) of(text string, count func(string) int) int {
	m.mu.Lock()
	n, ok := m.m[text]
	m.mu.Unlock()
	if !ok {
		n = count(text)
		m.add(text, n)
	}
	return n
}

func (e *exact) count(p template.Piece) int {
	switch p.Kind {
	case template.BOS:
		if !e.bos {
			return 0
		}
		return 1
	case template.EOS:
		return 1
	}
	return e.known.of(p.Text, e.text)
}

func (m *memo) add(text string, n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.bytes += len(text); m.bytes > memoBytes {
		clear(m.m)
		m.bytes = len(text)
	}
	m.m[strings.Clone(text)] = n
}

func (e *exact) text(text string) (n int) {
	for text != "" {
		before, token, after := cutFirst(text, e.added)
		if before != "" {
			n += e.t.Count(before)
		}
		if token != "" {
			n++
		}
		text = after
	}
	return n
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

func (e *exact) split(p template.Piece, n int) (head, tail string) {
	text := p.Text
	for text != "" {
		before, token, after := cutFirst(text, e.added)
		ids := e.t.Encode(nil, before)
		if len(ids) >= n {
			return head + e.t.Decode(ids[:n]), e.t.Decode(ids[n:]) + token + after
		}
		n -= len(ids)
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

// estimate counts with the vocabulary of another model; special tokens count one.
type estimate struct {
	special []string
	digits  bool // each is a token
	known   *memo
}

// specials lists the special tokens of a template, of which each is one token.
func specials(t *template.Template) []string {
	list := append([]string{"<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|start_header_id|>", "<|end_header_id|>"}, t.Stop...)
	if v := t.Vision; v != nil {
		list = append(list, v.Image, v.Video, v.Begin, v.End)
	}
	return list
}

func (e *estimate) count(p template.Piece) int {
	if p.Kind != template.Text {
		return 1
	}
	return e.known.of(p.Text, e.text)
}

func (e *estimate) text(text string) (n int) {
	for text != "" {
		before, token, after := cutFirst(text, e.special)
		n += tokens.Count(before)
		if e.digits {
			n += furtherDigits(before)
		}
		if token != "" {
			n++
		}
		text = after
	}
	return n
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

func (e *estimate) split(p template.Piece, n int) (head, tail string) {
	for text := p.Text; text != ""; {
		before, token, after := cutFirst(text, e.special)
		if m := tokens.Count(before); m > n {
			part, _ := tokens.Cut(before, n)
			return head + part, p.Text[len(head)+len(part):]
		} else if n -= m; token != "" && n == 0 {
			return head + before, token + after
		}
		if token != "" {
			n--
		}
		head += before + token
		text = after
	}
	return head, ""
}
