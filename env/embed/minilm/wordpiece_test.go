package minilm_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"airqa/env/embed/minilm"
)

func TestTokenizeReferences(t *testing.T) {
	m := open(t, minilm.Config{})
	all := readReferences(t, "testdata/reference.jsonl")
	if len(all) != 446 {
		t.Fatalf("%d references, want 446", len(all))
	}
	for _, r := range all {
		if diff := cmp.Diff(r.IDs, m.Tokenize(r.Text)); diff != "" {
			t.Errorf("%s: Tokenize(%q) (-want +got):\n%s", r.Kind, r.Text, diff)
		}
	}
}

func TestTokenize(t *testing.T) {
	m := open(t, minilm.Config{})
	same := []struct{ name, a, b string }{
		{"form feed joins", "data\fbase", "database"},
		{"soft hyphen joins", "data\u00adbase", "database"},
		{"zero width joins", "data\u200bbase", "database"},
		{"next line joins", "data\u0085base", "database"},
		{"invalid UTF-8 vanishes", "data\xffbase", "database"},
		{"no-break space parts", "data\u00a0base", "data base"},
		{"accents fall, composed or not", "\u00e9t\u00e9", "e\u0301te\u0301"},
		{"a pile of accents falls", "a" + strings.Repeat("\u0301", 80) + "b", "ab"},
		{"final sigma is a sigma", "ΣΑΣ", "σασ"},
		{"ideographs stand alone", "深度学习", "深 度 学 习"},
		{"specials inside a word", "ab[SEP]cd", "ab [SEP] cd"},
	}
	for _, tt := range same {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(m.Tokenize(tt.b), m.Tokenize(tt.a)); diff != "" {
				t.Errorf("Tokenize(%q) against %q (-want +got):\n%s", tt.a, tt.b, diff)
			}
		})
	}
	ids := []struct {
		name, text string
		want       []int
	}{
		{"empty", "", []int{101, 102}},
		{"blank", " \t\r\n", []int{101, 102}},
		{"all special tokens", "[PAD][UNK][CLS][SEP][MASK]", []int{101, 0, 100, 101, 102, 103, 102}},
		{"a bracket before one", "[[SEP]", []int{101, 1031, 102, 102}},
		{"a word of 101 letters", strings.Repeat("a", 101), []int{101, 100, 102}},
		{"nothing but accents", "\u0301\u0301", []int{101, 102}},
	}
	for _, tt := range ids {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, m.Tokenize(tt.text)); diff != "" {
				t.Errorf("Tokenize(%q) (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

func FuzzTokenize(f *testing.F) {
	m := open(f, minilm.Config{})
	for _, seed := range []string{"", "[SEP", "é\u0301[CLS]深", "\xff\x00", strings.Repeat("ab, ", 200)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ids := m.Tokenize(text)
		n := len(ids)
		if n < 2 || n > 256 || ids[0] != 101 || ids[n-1] != 102 {
			t.Fatalf("Tokenize(%q) = %v", text, ids)
		}
		for _, id := range ids {
			if id < 0 || id >= 30522 {
				t.Fatalf("id %d of %q", id, text)
			}
		}
		if utf8.ValidString(text) && strings.TrimSpace(text) == text {
			if diff := cmp.Diff(ids, m.Tokenize(" "+text+"\n")); diff != "" {
				t.Fatalf("white space around %q changes it:\n%s", text, diff)
			}
		}
	})
}
