package words

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestFinder(t *testing.T) {
	tests := []struct {
		name, text, part string
		want             []string
	}{
		{"whole words", "31 pages; 3 of them", "3", []string{"3"}},
		{"no part of a word", "recursively, 93.1%", "IV", nil},
		{"every place", "Three herons, 3 nests", "3", []string{"Three", "3"}},
		{"over a line end", "the grey-\nish her\u00adon\nnests", "greyish heron nests", []string{"grey-\nish her\u00adon\nnests"}},
		{"ligature, accent", "an e\ufb03cient re\u0301sume\u0301.", "efficient résumé", []string{"e\ufb03cient re\u0301sume\u0301"}},
		{"thousands", "in 1,024 steps", "1024", []string{"1,024"}},
		{"tags", "<td>Loch</td><td>Ard</td>", "loch ard", []string{"Loch</td><td>Ard"}},
		{"letter", "we set 𝜆=0.35", "lambda 0.35", []string{"𝜆=0.35"}},
		{"an exponent", "at 10^20 or 1020 and 10²⁰", "10²⁰", []string{"10^20", "10²⁰"}},
		{"no exponent", "at 10^20 or 1020 and 10²⁰", "1020", []string{"1020"}},
		{"no words", "a b", " . ", nil},
		{"invalid bytes", "a \xff\xfe heron", "heron", []string{"heron"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for first, end := range NewFinder(tt.text).All(tt.part) {
				got = append(got, tt.text[first:end])
			}
			if len(got) != len(tt.want) {
				t.Fatalf("got %q, want %q", got, tt.want)
			}
			for i := range got {
				if got[i] != tt.want[i] {
					t.Errorf("got %q, want %q", got, tt.want)
				}
			}
		})
	}
}

// An escape sequence of JSON is one character, and a range covers all of it.
func TestJSONFinder(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": "Loch\nArd"}`:           `Loch\nArd`,
		`{"a": "LOCH \u00c4rd"}`:       "",
		`{"a": "loch \"\u0061rd\" x"}`: `loch \"\u0061rd`,
		`{"a": "\\nLoch Ard"}`:         "",
		`{"a": "\ud83d\ude00Loch ard`:  "Loch ard",
		`{"a": "\ud83dLoch ard`:        "Loch ard",
	} {
		first, end, ok := NewJSONFinder(text).Find("Loch Ard")
		if ok != (want != "") || text[first:end] != want {
			t.Errorf("%s: got %q, want %q", text, text[first:end], want)
		}
	}
}

// The finder folds as Fold does, and each of its ranges folds to the word found there.
func FuzzFinder(f *testing.F) {
	for _, text := range []string{"", "e\ufb03cient 1,024 <b>x</b> λ1 Δt two-\nfold", "\xff e\u0301\u0302 ½ ⅷ 한국 ﷺ"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		finder := NewFinder(text)
		if want := Fold(text); finder.folded != want || len(finder.places) != len(want) {
			t.Fatalf("folded %q with %d places, want %q", finder.folded, len(finder.places), want)
		}
		for i, p := range finder.places {
			if p.first < 0 || p.first > p.end || p.end > len(text) || i > 0 && p.first < finder.places[i-1].first {
				t.Fatalf("place %d of %q is %v", i, text, p)
			}
		}
		raw, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var read string
		if err := json.Unmarshal(raw, &read); err != nil {
			t.Fatal(err)
		}
		if got, want := NewJSONFinder(string(raw)).folded, Fold(`"`+read+`"`); got != want {
			t.Fatalf("JSON %s: %q, want %q", raw, got, want)
		}
	})
}

func TestSplit(t *testing.T) {
	const text = "The inter-\nleaved λ is <b>1,024</b> of twelve, not 9.25cm. "
	var got []string
	for _, w := range Split(text) {
		got = append(got, w.Text+"="+text[w.First:w.End])
	}
	want := []string{
		"the=The", "interleaved=inter-\nleaved", "lambda=λ", "is=is", "1024=1,024", "of=of", "12=twelve", "not=not", "9.25cm=9.25cm",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Split(" .\n"); got != nil {
		t.Errorf("words of nothing: %v", got)
	}
}
