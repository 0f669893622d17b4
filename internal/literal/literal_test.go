package literal_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"airqa/internal/literal"
)

func TestAll(t *testing.T) {
	for _, c := range []struct {
		name, pattern, text string
		want                []string // "start:occurrence"
	}{
		{"lower case matches every case", "window", "Window WINDOW window", []string{"0:Window", "7:WINDOW", "14:window"}},
		{"an upper-case letter is exact", "Window", "window Window WINDOW", []string{"7:Window"}},
		{"without overlaps", "aa", "aaaaa", []string{"0:aa", "2:aa"}},
		{"the Kelvin sign", "5 k", "5 K, 5 \u212a", []string{"0:5 K", "5:5 \u212a"}},
		{"the long s", "ask", "aſk ASK", []string{"0:aſk", "5:ASK"}},
		{"sharp s is not ss", "straße", "STRASSE STRAẞE straße", []string{"8:STRAẞE", "17:straße"}},
		{"the dotted I matches only itself", "i", "İ I i", []string{"3:I", "5:i"}},
		{"sigma", "σας", "ΣΑΣ σασ", []string{"0:ΣΑΣ", "7:σασ"}},
		{"cases of different length", "ⱥ", "Ⱥⱥ", []string{"0:Ⱥ", "2:ⱥ"}},
		{"no case", "日本", "in 日本 and 日本", []string{"3:日本", "14:日本"}},
		{"emoji", "😀", "a😀", []string{"1:😀"}},
		{"lines", "a\nb", "A\nB", []string{"0:A\nB"}},
		{"bytes", "\xff", "a\xffb", []string{"1:\xff"}},
		{"an invalid byte is not the replacement character", "\ufffd", "\xff\ufffd", []string{"1:\ufffd"}},
		{"longer than the window", strings.Repeat("ab", 60), "x" + strings.Repeat("AB", 60), []string{"1:" + strings.Repeat("AB", 60)}},
		{"almost longer than the window", strings.Repeat("ab", 60), strings.Repeat("AB", 59), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for start, end := range literal.Compile(c.pattern).All(c.text) {
				got = append(got, fmt.Sprint(start, ":", c.text[start:end]))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// letters are characters whose cases and escape sequences differ in length.
var letters = []string{
	"a", "A", "k", "K", "\u212a", "s", "ſ", "ß", "ẞ", "İ", "ı", "Ⱥ", "ⱥ", "σ", "ς", "日", "😀", "\n", "\"", "\\", "/", "\x01", "\u2028", "\ufffd", "\xff", "u",
}

func texts(most int) *rapid.Generator[string] {
	list := rapid.SliceOfN(rapid.SampledFrom(letters), 1, most)
	return rapid.Map(list, func(s []string) string { return strings.Join(s, "") })
}

// All finds what a comparison at every character finds.
func TestAgainstComparison(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern, text := texts(3).Draw(t, "pattern"), texts(30).Draw(t, "text")
		p := literal.Compile(pattern)
		var got []int
		for start := range p.All(text) {
			got = append(got, start)
		}
		if want := compare(pattern, text); !slices.Equal(want, got) {
			t.Fatalf("%q in %q at %v, want %v", pattern, text, got, want)
		}
	})
}

func compare(pattern, text string) (at []int) {
	exact := !utf8.ValidString(pattern) || strings.ContainsFunc(pattern, unicode.IsUpper)
	for i := 0; i < len(text); {
		end := i
		for range utf8.RuneCountInString(pattern) {
			_, n := utf8.DecodeRuneInString(text[end:])
			end += n
		}
		same := utf8.ValidString(text[i:end]) && strings.EqualFold(text[i:end], pattern)
		if exact {
			same = strings.HasPrefix(text[i:], pattern)
			end = i + len(pattern)
		}
		if same {
			at = append(at, i)
			i = end
			continue
		}
		_, n := utf8.DecodeRuneInString(text[i:])
		i += n
	}
	return at
}

func BenchmarkAll(b *testing.B) {
	text := strings.Repeat("A passage of a paper, of some \"hundred\" characters and\n", 4000)
	for _, pattern := range []string{"x", "of x", "characterizations", "Characterizations", "日本", "zebra"} {
		p := literal.Compile(pattern)
		b.Run(pattern, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				for range p.All(text) {
					continue
				}
			}
		})
	}
}
