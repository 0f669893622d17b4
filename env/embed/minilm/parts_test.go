package minilm_test

import (
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
		{"just fits", strings.Repeat("word ", 254), []int{254}},
		{"one more", strings.Repeat("word ", 255), []int{159, 159}},
		{"ideographs", strings.Repeat("学", 600), []int{242, 242, 242}},
		{"signs", strings.Repeat("/", 300), []int{182, 181}},
		{"a long word is one piece", strings.Repeat("a", 5000), []int{1}},
		{"words of several pieces", strings.Repeat("tokenization ", 200), []int{232, 230}},
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
