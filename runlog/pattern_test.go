package runlog_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"airqa/internal/terminal"
	"airqa/runlog"
)

func TestAll(t *testing.T) {
	for _, c := range []struct {
		name, pattern, text string
		want                []string // "start:occurrence"
	}{
		{"every case", "winDow", "Window WINDOW window", []string{"0:Window", "7:WINDOW", "14:window"}},
		{"without overlaps", "aa", "aaaaa", []string{"0:aa", "2:aa"}},
		{"the Kelvin sign", "5 k", "5 K, 5 \u212a", []string{"0:5 K", "5:5 \u212a"}},
		{"the long s", "ask", "aſk ASK", []string{"0:aſk", "5:ASK"}},
		{"sharp s is not ss", "straße", "STRASSE STRAẞE straße", []string{"8:STRAẞE", "17:straße"}},
		{"the dotted I matches only itself", "i", "İ I i", []string{"3:I", "5:i"}},
		{"sigma", "σας", "ΣΑΣ σασ", []string{"0:ΣΑΣ", "7:σασ"}},
		{"cases of different length", "ⱥ", "Ⱥⱥ", []string{"0:Ⱥ", "2:ⱥ"}},
		{"no case", "日本", "in 日本 and 日本", []string{"3:日本", "14:日本"}},
		{"emoji", "😀", "a😀", []string{"1:😀"}},
		{"line end", "a b", "A\r\n\tB a\u00a0b a\u2028b ab", []string{"0:A\r\n\tB", "6:a\u00a0b", "11:a\u2028b"}},
		{"whitespace in the pattern", " a\u2003\nb\t", "a b", []string{"0:a b"}},
		{"layout of SQL", "IN ( SELECT x, y )", "in (select x,y) in(\n  SELECT x,\n y\n)", []string{"0:in (select x,y)", "16:in(\n  SELECT x,\n y\n)"}},
		{"quotes", `"hello world"`, "he said \"Hello\nworld\"", []string{"8:\"Hello\nworld\""}},
		{"an exponent", "10²⁰ j", "10^20 J 1020 J 10²⁰\nJ", []string{"0:10^20 J", "15:10²⁰\nJ"}},
		{"a number without an exponent", "1020", "10^20 10²⁰ 1020", []string{"14:1020"}},
		{"a raised digit after a letter", "m2", "m² 5²", []string{"0:m²"}},
		{"a fraction after a number", "3 ½", "31/2 3½ 3 1⁄2", []string{"5:3½", "9:3 1⁄2"}},
		{"decomposed", "café", "cafe\u0301 CAFÉ cafe", []string{"0:cafe\u0301", "7:CAFÉ"}},
		{"composed", "cafe\u0301s", "cafés", []string{"0:cafés"}},
		{"a letter is not its accented one", "e", "e\u0301 é", nil},
		{"ligature", "efficient", "an e\ufb03cient heron", []string{"3:e\ufb03cient"}},
		{"full width", "ABC 12", "ａｂｃ\u3000１２", []string{"0:ａｂｃ\u3000１２"}},
		{"Hangul", "\u1112\u1161\u11ab국", "한국", []string{"0:한국"}},
		{"soft hyphen and zero width", "heron", "her\u00adon he\u200bron", []string{"0:her\u00adon", "8:he\u200bron"}},
		{"controls as they are shown", `\x1b[31m red \u202e`, "a\x1b[31m red\u202e", []string{"1:\x1b[31m red\u202e"}},
		{"a line end as it is shown", `a\x0d b\u2028c`, "a\r\nb\u2028c", []string{"0:a\r\nb\u2028c"}},
		{"controls as they are", "\x1b x\x00", "\x1b x\x00", []string{"0:\x1b x\x00"}},
		{"invalid bytes are shown as one", "a�b", "a\xff\xfeb", []string{"0:a\xff\xfeb"}},
		{"no visible characters", " \n\u00ad", "a \n\u00ad", nil},
		{"long", strings.Repeat("ab", 600), "x" + strings.Repeat("AB", 600), []string{"1:" + strings.Repeat("AB", 600)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for start, end := range runlog.CompilePattern(c.pattern).All(c.text) {
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
	" ", "\u00a0", "\r\n", "(", ",", "e", "\u0301", "é", "ﬁ", "\u00ad", "\u202e", "½", "_", "1", "´",
}

func texts(most int) *rapid.Generator[string] {
	list := rapid.SliceOfN(rapid.SampledFrom(letters), 1, most)
	return rapid.Map(list, func(s []string) string { return strings.Join(s, "") })
}

// All finds what a comparison of the whole texts finds, and each of its ranges contains the pattern.
func TestAgainstComparison(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern, text := texts(4).Draw(t, "pattern"), texts(30).Draw(t, "text")
		p := runlog.CompilePattern(pattern)
		want := reference(pattern) != "" && strings.Contains(reference(text), reference(pattern))
		found := false
		for start, end := range p.All(text) {
			if found = true; !strings.Contains(reference(text[start:end]), reference(pattern)) {
				t.Fatalf("%q in %q at %q", pattern, text, text[start:end])
			}
		}
		raw, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		if found != want || found && !p.MayContain(string(raw)) {
			t.Fatalf("%q in %q: %t, want %t", pattern, text, found, want)
		}
	})
}

// reference is what is compared of a text.
func reference(text string) string {
	var b strings.Builder
	for r := range strings.SplitSeq(norm.NFKC.String(strings.ToValidUTF8(text, "\ufffd")), "") {
		switch c, _ := utf8.DecodeRuneInString(r); {
		case unicode.IsSpace(c):
			r = " "
		case terminal.Safe(r) == r && unicode.Is(unicode.Cf, c):
			r = ""
		default:
			r = terminal.Safe(r)
		}
		for _, c := range r { // the least of each orbit, as (?i) compares
			least := c
			for next := unicode.SimpleFold(c); next != c; next = unicode.SimpleFold(next) {
				least = min(least, next)
			}
			b.WriteRune(least)
		}
	}
	out := ""
	for field := range strings.FieldsSeq(b.String()) {
		before, _ := utf8.DecodeLastRuneInString(out)
		after, _ := utf8.DecodeRuneInString(field)
		if inWord(before) && inWord(after) {
			out += " "
		}
		out += field
	}
	for strings.Contains(out, "\ufffd\ufffd") {
		out = strings.ReplaceAll(out, "\ufffd\ufffd", "\ufffd")
	}
	return out
}

func inWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

func BenchmarkAll(b *testing.B) {
	text := strings.Repeat("A passage of a paper, of some \"hundred\" characters and\n", 4000)
	for _, pattern := range []string{"x", "of x", "characterizations", "Characterizations", "日本", "zebra"} {
		p := runlog.CompilePattern(pattern)
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
