package bpe

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"airqa/internal/files"
)

// file is a tokenizer.json. Its truncation, padding, post-processor and decoder do not change the ids of a text; the
// post-processor names special tokens.
type file struct {
	Added        []addedToken `json:"added_tokens"`
	Normalizer   *component   `json:"normalizer"`
	PreTokenizer *component   `json:"pre_tokenizer"`
	Model        modelFile    `json:"model"`
	Processor    *processor   `json:"post_processor"`
}

type modelFile struct {
	Type         string           `json:"type"`
	Vocab        json.RawMessage  `json:"vocab"`
	Merges       json.RawMessage  `json:"merges"`
	Dropout      float64          `json:"dropout"`
	Unk          *string          `json:"unk_token"`
	Prefix       string           `json:"continuing_subword_prefix"`
	Suffix       string           `json:"end_of_word_suffix"`
	FuseUnk      bool             `json:"fuse_unk"`
	ByteFallback bool             `json:"byte_fallback"`
	IgnoreMerges bool             `json:"ignore_merges"`
	vocab        map[string]int32 // Vocab, decoded
}

type component struct {
	Type          string      `json:"type"`
	Normalizers   []component `json:"normalizers"`
	Pretokenizers []component `json:"pretokenizers"`

	Pattern          map[string]string `json:"pattern"` // Regex or String
	Behavior         string            `json:"behavior"`
	Invert           bool              `json:"invert"`
	AddPrefixSpace   bool              `json:"add_prefix_space"`
	UseRegex         *bool             `json:"use_regex"`
	IndividualDigits bool              `json:"individual_digits"`
}

// processor is a post-processor: a sequence of others, a template, or one of two fixed tokens and their ids.
type processor struct {
	Processors []processor                          `json:"processors"`
	Tokens     map[string]struct{ Tokens []string } `json:"special_tokens"`
	Sep        []any                                `json:"sep"`
	Cls        []any                                `json:"cls"`
}

// special lists the tokens that a post-processor adds.
func (p *processor) special() (list []string) {
	for _, part := range p.Processors {
		list = append(list, part.special()...)
	}
	for _, key := range slices.Sorted(maps.Keys(p.Tokens)) {
		list = append(list, p.Tokens[key].Tokens...)
	}
	for _, value := range slices.Concat(p.Sep, p.Cls) {
		if word, ok := value.(string); ok {
			list = append(list, word)
		}
	}
	return list
}

// errUnsupported ends every error about a file that is not for this package.
var errUnsupported = errors.New("only byte-level BPE tokenizers are supported, such as those of Qwen, Llama 3 and GPT-2")

// Open reads a tokenizer from a tokenizer.json file or from a directory that has one.
func Open(path string) (*Tokenizer, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "tokenizer.json")
	}
	data, err := files.ReadText(path)
	if err != nil {
		return nil, fmt.Errorf("open tokenizer: %w", err)
	}
	t, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("open tokenizer %s: %w", path, err)
	}
	return t, nil
}

func parse(data []byte) (*Tokenizer, error) {
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, err
	}
	t := new(Tokenizer)
	if err := t.readModel(&f.Model); err != nil {
		return nil, err
	}
	if err := t.readNormalizer(f.Normalizer); err != nil {
		return nil, err
	}
	if err := t.readPreTokenizer(f.PreTokenizer); err != nil {
		return nil, err
	}
	t.readAdded(f.Added, f.Model.vocab)
	for _, token := range f.Added {
		if token.Special {
			t.Special = append(t.Special, token.Content)
		}
	}
	if f.Model.Unk != nil {
		t.Special = append(t.Special, *f.Model.Unk)
	}
	if f.Processor != nil {
		t.Special = append(t.Special, f.Processor.special()...)
	}
	return t, nil
}

func (t *Tokenizer) readNormalizer(c *component) error {
	switch {
	case c == nil:
	case c.Type == "NFC":
		t.nfc = true
	case c.Type == "Sequence":
		for i := range c.Normalizers {
			if err := t.readNormalizer(&c.Normalizers[i]); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("normalizer %q is not supported, only NFC", c.Type)
	}
	return nil
}

func (t *Tokenizer) readPreTokenizer(c *component) error {
	if c == nil {
		return fmt.Errorf("no pre_tokenizer: %w", errUnsupported)
	}
	steps := []component{*c}
	if c.Type == "Sequence" {
		steps = c.Pretokenizers
	}
	for i, step := range steps {
		last := i == len(steps)-1
		if last != (step.Type == "ByteLevel") {
			return fmt.Errorf("pre_tokenizer %q in place %d of %d: ByteLevel must be the last: %w", step.Type, i+1, len(steps), errUnsupported)
		}
		if err := t.readSplitter(step); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tokenizer) readSplitter(c component) error {
	switch c.Type {
	case "ByteLevel":
		if c.AddPrefixSpace {
			t.splitters = append(t.splitters, addSpace)
		}
		if c.UseRegex == nil || *c.UseRegex {
			w, _ := wordsOf(gpt2Pattern)
			t.splitters = append(t.splitters, w.split)
		}
		return nil
	case "Digits":
		d := digits{math.MaxInt, classes()}
		if c.IndividualDigits {
			d.longest = 1
		}
		t.splitters = append(t.splitters, d.split)
		return nil
	case "Split":
		s, err := splitterOf(c)
		t.splitters = append(t.splitters, s)
		return err
	}
	return fmt.Errorf("pre_tokenizer %q is not supported", c.Type)
}

func (t *Tokenizer) readModel(f *modelFile) error {
	merges, err := f.check()
	if err != nil {
		return err
	}
	m := &t.model
	if err := m.readMerges(f.vocab, merges); err != nil {
		return err
	}
	m.fuse, m.unk = f.FuseUnk, none
	if f.IgnoreMerges {
		m.whole = f.vocab
	}
	m.cache = wordCache{maphash.MakeSeed(), make([]atomic.Pointer[cached], cacheSlots)}
	return m.readBytes(f)
}

// check refuses models of other kinds and returns the merges.
func (f *modelFile) check() (merges [][]string, err error) {
	if f.Type != "BPE" && (f.Type != "" || f.Merges == nil) {
		return nil, fmt.Errorf("model %q: %w", f.Type, errUnsupported)
	}
	if f.Merges == nil {
		return nil, fmt.Errorf("the model has no merges: %w", errUnsupported)
	}
	if f.Prefix != "" || f.Suffix != "" || f.Dropout != 0 {
		return nil, errors.New("continuing_subword_prefix, end_of_word_suffix and dropout are not supported")
	}
	if err := json.Unmarshal(f.Vocab, &f.vocab); err != nil {
		return nil, fmt.Errorf("model.vocab: %w", err)
	}
	return readMergeList(f.Merges)
}

// readMergeList reads merges as pairs or, in older files, as lines of two parts.
func readMergeList(data []byte) (merges [][]string, err error) {
	var lines []string
	var list any = &merges
	if inside := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("[")), " \t\r\n"); bytes.HasPrefix(inside, []byte(`"`)) {
		list = &lines
	}
	if err := json.Unmarshal(data, list); err != nil {
		return nil, fmt.Errorf("model.merges: %w", err)
	}
	for _, line := range lines {
		if !strings.HasPrefix(line, "#version") {
			merges = append(merges, strings.Split(line, " "))
		}
	}
	return merges, nil
}

func (m *model) readMerges(vocab map[string]int32, merges [][]string) error {
	size := bits.Len(uint(len(merges) + len(merges)/2)) // of the table, in bits
	m.merges = mergeTable{make([]mergeSlot, 1<<size), 64 - size}
	for rank, parts := range merges {
		if len(parts) != 2 {
			return fmt.Errorf("merge %d has %d parts, not 2", rank+1, len(parts))
		}
		left, ok1 := vocab[parts[0]]
		right, ok2 := vocab[parts[1]]
		both, ok3 := vocab[parts[0]+parts[1]]
		if !ok1 || !ok2 || !ok3 {
			return fmt.Errorf("merge %d (%q, %q) has tokens outside the vocabulary", rank+1, parts[0], parts[1])
		}
		*m.merges.at(left, right) = mergeSlot{left, right, merge{uint32(rank + 1), both}}
	}
	return nil
}

// readBytes looks up the tokens of the single bytes. A small vocabulary may lack some.
func (m *model) readBytes(f *modelFile) error {
	missing := 0
	for b := range m.bytes {
		id, ok := f.vocab[spell(string([]byte{byte(b)}))]
		if !ok {
			id = none
			missing++
		}
		m.bytes[b] = id
	}
	if missing == 0 {
		return nil
	}
	if f.ByteFallback {
		return fmt.Errorf("byte_fallback: %w", errUnsupported)
	}
	if f.Unk != nil {
		id, ok := f.vocab[*f.Unk]
		if !ok {
			return fmt.Errorf("the unk_token %q is not in the vocabulary", *f.Unk)
		}
		m.unk = id
	}
	return nil
}

// readAdded adds the added tokens. Their ids are those of the vocabulary, or the next free ones: the ids in the file
// do not count. The last token of an id counts.
func (t *Tokenizer) readAdded(tokens []addedToken, vocab map[string]int32) {
	added := make(map[string]int32, len(tokens))
	byID := make(map[int32]*addedToken, len(tokens))
	next := int32(len(vocab))
	for i := range tokens {
		token := &tokens[i]
		if token.Content == "" {
			continue
		}
		id, ok := added[token.Content]
		if !ok {
			id, ok = vocab[token.Content]
		}
		if !ok {
			id = next
			next++
		}
		token.id, added[token.Content], byID[id] = id, id, token
	}
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		t.find(byID[id])
	}
}

// find has the texts searched for a token.
func (t *Tokenizer) find(token *addedToken) {
	switch {
	case !token.Normalized:
		t.before.add(token.Content, token)
	case t.nfc:
		t.after.add(normalize(token.Content), token)
	default:
		t.after.add(token.Content, token)
	}
}
