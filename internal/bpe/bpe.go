// Package bpe encodes text with the byte-level BPE tokenizers that Hugging Face tokenizer.json files describe (GPT-2,
// Llama 3, Qwen and their relatives). The ids are those of the tokenizers library with add_special_tokens=False. Start
// with [Open] and [Tokenizer.Encode]. The package does not train tokenizers and does not apply chat templates.
package bpe

import (
	"sync"
	"unicode/utf8"
)

// Tokenizer encodes text. It is safe for concurrent use.
type Tokenizer struct {
	before    tokenFinder // added tokens, matched in the original text
	after     tokenFinder // added tokens, matched in the normalized text
	nfc       bool
	splitters []splitter
	model     model
	// Special are the special tokens of the file, also those that its post-processor adds.
	Special []string
	buffers sync.Pool // of *[]int32
}

// splitter passes the pieces of a text to emit, in order.
type splitter func(text string, emit func(piece string))

// Encode appends the ids of text to dst. Added tokens in the text, such as <|im_end|>, get their own ids. A byte of
// invalid UTF-8 counts as U+FFFD, as it does in encoding/json. The file's truncation and padding do not apply.
func (t *Tokenizer) Encode(dst []int32, text string) []int32 {
	if !utf8.ValidString(text) {
		text = string([]rune(text))
	}
	e := encoder{t: t, ids: dst}
	t.before.find(text, e.normalize, e.added)
	return e.ids
}

// Count returns the number of ids that [Tokenizer.Encode] gives a text.
func (t *Tokenizer) Count(text string) int {
	buffer, ok := t.buffers.Get().(*[]int32)
	if !ok {
		buffer = new([]int32)
	}
	*buffer = t.Encode((*buffer)[:0], text)
	n := len(*buffer)
	t.buffers.Put(buffer)
	return n
}

type encoder struct {
	t   *Tokenizer
	ids []int32
}

func (e *encoder) added(id int32) { e.ids = append(e.ids, id) }

func (e *encoder) normalize(text string) {
	if e.t.nfc {
		text = normalize(text)
	}
	e.t.after.find(text, e.split, e.added)
}

func (e *encoder) split(text string) {
	e.pieces(e.t.splitters, text)
}

// pieces applies the splitters one after another, then the model.
func (e *encoder) pieces(splitters []splitter, text string) {
	switch len(splitters) {
	case 0:
		e.ids = e.t.model.encode(e.ids, text)
	case 1:
		splitters[0](text, func(piece string) { e.ids = e.t.model.encode(e.ids, piece) })
	default:
		splitters[0](text, func(piece string) { e.pieces(splitters[1:], piece) })
	}
}
