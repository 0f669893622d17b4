package embed_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"airqa/env/embed"
	"airqa/internal/tokens"
)

func TestOpenAIWindows(t *testing.T) {
	e, err := embed.NewOpenAI(embed.OpenAIConfig{BaseURL: "http://127.0.0.1", Model: "m", Tokens: 100})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, text string
		want       []int // tokens of each window
	}{
		{"empty", "", []int{0}},
		{"fits", strings.Repeat(" word", 100), []int{100}},
		{"one more", strings.Repeat(" word", 101), []int{76, 75}},
		{"many", strings.Repeat(" word", 1000), slices.Repeat([]int{100}, 19)},
		{"no blank", strings.Repeat("学", 300), []int{99, 99, 99, 99, 36}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []int
			for _, w := range e.Windows(tt.text) {
				got = append(got, tokens.Count(w))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("tokens of each window (-want +got):\n%s", diff)
			}
		})
	}
}

// For any parts, the windows cover the text in order without gaps, and only windows of a single part exceed the limit.
func TestCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOf(rapid.IntRange(0, 12)).Draw(t, "parts")
		limit := rapid.IntRange(10, 40).Draw(t, "limit")
		var text strings.Builder
		var parts []embed.Part
		total := 0
		for i, n := range sizes {
			text.WriteString(string(rune('一' + i))) // no whitespace, which windows drop at their ends
			parts = append(parts, embed.Part{End: text.Len(), Tokens: n})
			total += n
		}
		windows := embed.Cut(text.String(), parts, limit)
		if total <= limit {
			if diff := cmp.Diff([]string{text.String()}, windows); diff != "" {
				t.Fatalf("(-want +got):\n%s", diff)
			}
			return
		}
		end := 0
		for i, w := range windows {
			at := strings.Index(text.String(), w)
			if at < 0 || at > end || at+len(w) <= end {
				t.Fatalf("window %d of %q begins at %d, ends at %d; the one before ended at %d", i, windows, at, at+len(w), end)
			}
			end = at + len(w)
		}
		if end != text.Len() {
			t.Fatalf("%q leaves out the end", windows)
		}
	})
}

// An endpoint gets the first window of a text that is too long; wrapped models know what they read.
func TestPartReadOfEndpoint(t *testing.T) {
	o, err := embed.NewOpenAI(embed.OpenAIConfig{BaseURL: "http://127.0.0.1:1/v1", Model: "m", Tokens: 40})
	if err != nil {
		t.Fatal(err)
	}
	kept := embed.NewKept(o, embed.KeptConfig{})
	defer kept.Close()
	for text, want := range map[string]int{"short": 0, strings.Repeat("word ", 30): 0, strings.Repeat("word ", 400): 40} {
		if got := embed.PartRead(kept, text); got > want || got < want-20 || (got == 0) != (want == 0) {
			t.Errorf("%.20q: %d, want about %d", text, got, want)
		}
	}
	if got := embed.PartRead(&model{}, strings.Repeat("word ", 1000)); got != 0 {
		t.Errorf("%d of a model without a limit", got)
	}
}
