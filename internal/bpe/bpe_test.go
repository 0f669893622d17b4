package bpe_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"airqa/internal/bpe"
)

func open(t testing.TB, name string) *bpe.Tokenizer {
	t.Helper()
	tokenizer, err := bpe.Open(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return tokenizer
}

func ExampleTokenizer_Encode() {
	tokenizer, err := bpe.Open("testdata/qwen2.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tokenizer.Encode(nil, "the paper<|im_end|>"))
	// Output: [256 68 400 259 702]
}

// A broken byte is what encoding/json writes for it.
func TestEncodeInvalidUTF8(t *testing.T) {
	tokenizer := open(t, "llama3")
	got, want := tokenizer.Encode(nil, "a\xff\xfe b\xe4\xb8"), tokenizer.Encode(nil, "a\ufffd\ufffd b\ufffd\ufffd")
	if !slices.Equal(got, want) {
		t.Errorf("got %d, want %d", got, want)
	}
}

func TestEncodeAppends(t *testing.T) {
	tokenizer := open(t, "gpt2")
	got := tokenizer.Encode([]int32{7}, "x")
	if want := append([]int32{7}, tokenizer.Encode(nil, "x")...); !slices.Equal(got, want) {
		t.Errorf("got %d, want %d", got, want)
	}
}

// More words than the cache has slots, from several goroutines.
func TestEncodeConcurrently(t *testing.T) {
	tokenizer := open(t, "qwen2") // which has a token for each digit
	want := tokenizer.Count("word00000")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 30_000 {
				if n := tokenizer.Count(fmt.Sprintf("word%05d", i)); n != want {
					t.Errorf("%d tokens, want %d", n, want)
					return
				}
			}
		})
	}
	all.Wait()
}

func TestOpenDirectory(t *testing.T) {
	data, err := os.ReadFile("testdata/gpt2.json")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "tokenizer.json"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := bpe.Open(dir); err != nil {
		t.Error(err)
	}
}

func TestOpenErrors(t *testing.T) {
	const (
		byteLevel = `"pre_tokenizer":{"type":"ByteLevel"}`
		model     = `"model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2},"merges":["a b"]}`
	)
	split := func(step string) string {
		return `{"pre_tokenizer":{"type":"Sequence","pretokenizers":[` + step + `,{"type":"ByteLevel","use_regex":false}]},` + model + `}`
	}
	tests := []struct{ name, file, want string }{
		{"not JSON", `x`, "invalid character"},
		{"WordPiece", `{` + byteLevel + `,"model":{"type":"WordPiece","vocab":{"a":0}}}`, `model "WordPiece": only byte-level BPE`},
		{"Unigram", `{` + byteLevel + `,"model":{"type":"Unigram","vocab":[["a",-1.5]]}}`, `model "Unigram": only byte-level BPE`},
		{"no merges", `{` + byteLevel + `,"model":{"type":"BPE","vocab":{"a":0}}}`, "the model has no merges"},
		{"no model", `{}`, `model "": only byte-level BPE`},
		{"merge of three", `{` + byteLevel + `,"model":{"type":"BPE","vocab":{"a":0},"merges":["a b c"]}}`, "merge 1 has 3 parts"},
		{"merges of another kind", `{` + byteLevel + `,"model":{"type":"BPE","vocab":{"a":0},"merges":{"a":1}}}`, "model.merges"},
		{"merge outside", `{` + byteLevel + `,"model":{"type":"BPE","vocab":{"a":0,"b":1},"merges":[["a","b"]]}}`, `("a", "b") has tokens outside the vocabulary`},
		{"suffix", `{` + byteLevel + `,"model":{"type":"BPE","end_of_word_suffix":"</w>","vocab":{},"merges":[]}}`, "end_of_word_suffix"},
		{"byte fallback", `{` + byteLevel + `,"model":{"type":"BPE","byte_fallback":true,"vocab":{},"merges":[]}}`, "byte_fallback"},
		{"unk", `{` + byteLevel + `,"model":{"type":"BPE","unk_token":"?","vocab":{},"merges":[]}}`, `unk_token "?" is not in the vocabulary`},
		{"vocabulary", `{` + byteLevel + `,"model":{"type":"BPE","vocab":[],"merges":[]}}`, "model.vocab"},
		{"normalizer", `{"normalizer":{"type":"Sequence","normalizers":[{"type":"NFC"},{"type":"Lowercase"}]},` + byteLevel + `,` + model + `}`, `normalizer "Lowercase"`},
		{"no pre-tokenizer", `{` + model + `}`, "no pre_tokenizer: only byte-level BPE"},
		{"Metaspace", `{"pre_tokenizer":{"type":"Metaspace"},` + model + `}`, `"Metaspace" in place 1 of 1: ByteLevel must be the last`},
		{"Punctuation", split(`{"type":"Punctuation"}`), `pre_tokenizer "Punctuation" is not supported`},
		{"no pattern", split(`{"type":"Split","behavior":"Isolated"}`), "no pattern"},
		{"behavior", split(`{"type":"Split","pattern":{"String":"x"},"behavior":"MergedWithNext"}`), `behavior "MergedWithNext"`},
		{"broken pattern", split(`{"type":"Split","pattern":{"Regex":"(x"},"behavior":"Isolated"}`), "missing closing"},
		{"possessive", split(`{"type":"Split","pattern":{"Regex":"x++"},"behavior":"Isolated"}`), "x++"},
		{"word", split(`{"type":"Split","pattern":{"Regex":"\\w+"},"behavior":"Isolated"}`), `\w in pattern \w+ is not supported`},
		{"anchor", split(`{"type":"Split","pattern":{"Regex":"^[^x]"},"behavior":"Isolated"}`), `^ in pattern`},
		{"intersection", split(`{"type":"Split","pattern":{"Regex":"[a-z&&x]"},"behavior":"Isolated"}`), `[a-z&&x] in pattern`},
		{"nested class", split(`{"type":"Split","pattern":{"Regex":"[a[bc]]"},"behavior":"Isolated"}`), `[a[bc] in pattern`},
		{"no minimum", split(`{"type":"Split","pattern":{"Regex":"a{,3}"},"behavior":"Isolated"}`), `{, in pattern`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "t.json")
			if err := os.WriteFile(path, []byte(tt.file), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := bpe.Open(path)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	if _, err := bpe.Open(filepath.Join(t.TempDir(), "missing.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// No text panics, and it has no more tokens than bytes.
func FuzzEncode(f *testing.F) {
	tokenizer := open(f, "o200k")
	f.Add("the paper's 12,345 words<|im_end|>\n")
	f.Add("e\u0301 中文 \r\n\xff 👩‍🔬")
	f.Fuzz(func(t *testing.T, text string) {
		if n := tokenizer.Count(text); n < 0 || n > 3*len(text) {
			t.Errorf("Count(%q) = %d", text, n)
		}
	})
}

func FuzzOpen(f *testing.F) {
	for _, file := range []string{
		`{"added_tokens":[{"content":"x","single_word":true,"lstrip":true,"rstrip":true}],"normalizer":{"type":"NFC"},` +
			`"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":true},"model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2},"merges":["a b"]}}`,
		`{"pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Digits"},{"type":"Split","pattern":{"Regex":"\\s+(?!\\S)"},` +
			`"behavior":"Removed","invert":true},{"type":"ByteLevel","use_regex":false}]},` +
			`"model":{"unk_token":"u","fuse_unk":true,"ignore_merges":true,"vocab":{"a":0,"u":1},"merges":[]}}`,
	} {
		f.Add([]byte(file))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, file []byte) {
		path := filepath.Join(dir, fmt.Sprint(os.Getpid()))
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		tokenizer, err := bpe.Open(path)
		if err != nil {
			return
		}
		_ = tokenizer.Encode(nil, "a b ab x x1 the e\u0301 '\n")
	})
}
