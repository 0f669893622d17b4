package preflight

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"airqa/internal/ledger"
	"airqa/train/format"
)

// Special finds the special tokens of a model in texts: everything of the form <|name|>, also with the bars of DeepSeek, and
// words. It is safe for concurrent use.
type Special struct {
	// words has the words by their first character, the longest first; first has these characters and that of the form.
	words map[rune][]string
	first string
}

// markup are tags that rows have on purpose, for thinking and for calls in texts.
var markup = []string{"<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"}

// NewSpecial returns a finder for some words. It ignores those that a space after the first character would not break.
func NewSpecial(words ...string) *Special {
	s := &Special{words: make(map[rune][]string), first: "<"}
	for _, word := range words {
		first, size := utf8.DecodeRuneInString(word)
		if second, _ := utf8.DecodeRuneInString(word[size:]); len(word) == size || unicode.IsSpace(second) || slices.Contains(markup, word) {
			continue
		}
		s.words[first] = append(s.words[first], word)
		if !strings.ContainsRune(s.first, first) {
			s.first += string(first)
		}
	}
	for _, list := range s.words {
		slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) })
	}
	return s
}

// Special returns a finder for the special tokens of the template and the tokenizer, and for more words.
func (k *Counter) Special(more ...string) *Special {
	return NewSpecial(slices.Concat(k.words, more)...)
}

// Find returns the first special token at or after a place in a text and its own place; "" if there is none.
func (s *Special) Find(text string, from int) (word string, at int) {
	for at = from; at < len(text); at++ {
		next := strings.IndexAny(text[at:], s.first)
		if next < 0 {
			break
		}
		at += next
		if word = s.at(text[at:]); word != "" {
			return word, at
		}
	}
	return "", len(text)
}

func (s *Special) at(text string) string {
	first, _ := utf8.DecodeRuneInString(text)
	for _, word := range s.words[first] {
		if strings.HasPrefix(text, word) {
			return word
		}
	}
	for _, bar := range []string{"|", "｜"} {
		rest, ok := strings.CutPrefix(text, "<"+bar)
		if !ok {
			continue
		}
		name := strings.IndexFunc(rest, func(r rune) bool {
			return !strings.ContainsRune("_-./:▁", r) && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r))
		})
		if end := name + len(bar) + 1; name > 0 && strings.HasPrefix(rest[name:], bar+">") {
			return text[:1+len(bar)+end]
		}
	}
	return ""
}

// inTexts returns a special token in the texts of a conversation; "" if there is none.
func (s *Special) inTexts(c format.Conversation) string {
	messages := slices.Clone(c.Messages)
	if c.Rejected != nil {
		messages = append(messages, *c.Rejected)
	}
	texts := []string{decoded(c.Tools)}
	for _, m := range messages {
		texts = append(texts, m.Text(), m.Reasoning)
		for _, call := range m.Calls {
			texts = append(texts, call.Name, decoded(call.Arguments))
		}
	}
	for _, text := range texts {
		if word, _ := s.Find(text, 0); word != "" {
			return word
		}
	}
	return ""
}

// decoded returns JSON without escapes of characters that need none: a trainer decodes them.
func decoded(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) == nil {
		if text, err := ledger.EncodeText(v); err == nil {
			return text
		}
	}
	return string(raw)
}
