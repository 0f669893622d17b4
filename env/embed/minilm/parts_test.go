package minilm_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env/embed/minilm"
)

func TestWindows(t *testing.T) {
	m := open(t, minilm.Config{})
	tests := []struct {
		name, text string
		want       []int // pieces of each window, without [CLS] and [SEP]
	}{
		{"empty", "", []int{0}},
		{"just fits", strings.Repeat("word ", 100), []int{100}},
		{"one more", strings.Repeat("word ", 101), []int{76, 75}},
		{"ideographs", strings.Repeat("学", 600), slices.Repeat([]int{100}, 11)},
		{"signs", strings.Repeat("/", 300), slices.Repeat([]int{100}, 5)},
		{"a long word is one piece", strings.Repeat("a", 5000), []int{1}},
		{"words of several pieces", strings.Repeat("tokenization ", 200), slices.Repeat([]int{100}, 7)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []int
			for _, w := range m.Windows(tt.text) {
				got = append(got, len(m.Tokenize(w))-2)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("pieces of each window (-want +got):\n%s", diff)
			}
		})
	}
	if got := m.Windows(" as it is \n"); len(got) != 1 || got[0] != " as it is \n" {
		t.Errorf("a text that fits became %q", got)
	}
}

// The model reads 254 pieces besides the two special tokens: texts that differ after them have the same vector.
func TestPartRead(t *testing.T) {
	m := open(t, minilm.Config{})
	for text, want := range map[string]int{
		"": 0, "short": 0, strings.Repeat("a ", 253): 0, strings.Repeat("a ", 255): 254, strings.Repeat("unbelievably, ", 200): 254,
		strings.Repeat("\u8bba\u6587", 128): 254,
	} {
		if got := m.PartRead(text); got != want {
			t.Errorf("%.20q: %d, want %d", text, got, want)
		}
		two := embed(t, m, text+" north", text+" south")
		if same := slices.Equal(two[0], two[1]); same != (want > 0) {
			t.Errorf("%.20q: its end does not count: %t", text, same)
		}
	}
}

// With one vector, a passage is not cut, and what is after its first 256 pieces does not count. The vectors are of the same
// model, so that a query may meet either form.
func TestOneVector(t *testing.T) {
	whole, windows := open(t, minilm.Config{OneVector: true}), open(t, minilm.Config{})
	read := strings.Repeat("heron ", 254) // with [CLS] and [SEP]
	text := read + strings.Repeat("egret ", 100)
	if got := whole.Windows(text); !slices.Equal(got, []string{text}) {
		t.Errorf("%d parts of a passage", len(got))
	}
	if len(windows.Windows(text)) < 2 {
		t.Error("a passage is not cut into windows")
	}
	vectors := embed(t, whole, text, read, strings.Repeat("heron ", 253)+"egret")
	if !slices.Equal(vectors[0], vectors[1]) || slices.Equal(vectors[0], vectors[2]) {
		t.Error("the vector is not of the first 256 pieces")
	}
	a, b := whole.Info(), windows.Info()
	if err := a.Check(b); err != nil || a.Window != 256 || b.Window != 100 || !a.OneVector || b.OneVector {
		t.Errorf("%+v, %+v: %v", a, b, err)
	}
}
