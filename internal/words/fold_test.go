package words_test

import (
	"cmp"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"airqa/internal/words"
)

// foldByPatterns is the definition of words.Fold, step by step.
func foldByPatterns(text string) string {
	text = norm.NFKC.String(words.MarkScripts(text))
	for _, r := range [][2]string{{`(\p{Ll})-\n(\p{Ll})`, "$1$2"}, {`</?[a-zA-Z][^<>]*>`, " "}, {`(\d),(\d{3})\b`, "$1$2"}} {
		text = regexp.MustCompile(r[0]).ReplaceAllString(text, r[1])
	}
	runes, out, word := []rune(text), " ", ""
	is := func(i int, test func(rune) bool) bool { return i >= 0 && i < len(runes) && test(runes[i]) }
	greek := func(r rune) bool { return unicode.Is(unicode.Greek, r) }
	flush := func() {
		if word != "" {
			out += cmp.Or(words.Synonyms[word], word) + " "
		}
		word = ""
	}
	for i, r := range runes {
		point := r == '.' && (i == 0 || is(i-1, unicode.IsDigit) || is(i-1, unicode.IsSpace)) && is(i+1, unicode.IsDigit)
		switch name := words.Letters[unicode.ToLower(r)]; {
		case name != "" && !is(i-1, greek) && !is(i+1, greek):
			flush()
			out += name + " "
		case unicode.IsLetter(r) || unicode.IsDigit(r) || point:
			word += string(unicode.ToLower(r))
		case r == '\u00ad' || unicode.IsMark(r):
		default:
			flush()
		}
	}
	flush()
	return out
}

// FuzzFold compares Fold with its definition, and the finder with Fold.
func FuzzFold(f *testing.F) {
	for _, seed := range []string{
		"a-\nb-\nc-\nd é-\nß A-\nb a-\nB λ-\nμ λ-\nb", "1,234,567 12,345,678,901 1,2345 1,234_ 1,234é x1,234 ,234 9,999", "1,<b>234</b>1,234<br>",
		"</p ><p\n>a< b <1> </> <a<b>> <é> <a", ".5 1.5 v.5 <i>.5 a\u00a0.5 .\u0661 5.", "ΩλΩ λ₁ ∆t µ ϵ two twelve\u00ad xTWELVE",
		"\xff-\nb a-\n\xff\xce λ\xff<a\xff>1,23\xff4", "\u00ad\u0301a\u0301\u00ad ﬃ\u00ad-\nx ½ ² 1\u0301,234", "a-<b>\nc a-\r\nb",
	} {
		f.Add(seed)
	}
	f.Fuzz(checkFold)
}

func checkFold(t *testing.T, text string) {
	t.Helper()
	want := foldByPatterns(text)
	if got := words.Fold(text); got != want {
		t.Fatalf("Fold(%q)\n got %q\nwant %q", text, got, want)
	}
	if _, _, ok := words.NewFinder(text).Find(text); utf8.ValidString(text) && ok != (strings.TrimSpace(want) != "") {
		t.Fatalf("Find in itself, %q: %v", text, ok)
	}
}

// Fold and its definition agree about random texts of the characters that it treats in a special way.
func TestFoldAgainstDefinition(t *testing.T) {
	parts := []string{
		"-\n", "-", "\n", ",", ".", " ", "<", ">", "/", "_", "a", "b", "Z", "é", "ß", "e\u0301", "\u0301", "\u00ad", "λ", "Λ", "μ", "µ", "ω", "Ω", "σς", "∆",
		"1", "23", "234", "567", "٣", "²", "½", "ﬃ", "two", "twelve", "varphi", "<b>", "</td>", "\u00a0", "\r", "\xff", "\xce", "𝜇", "漢", "ǅ", "İ", "K",
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50_000 {
		var b strings.Builder
		for range rng.IntN(14) {
			b.WriteString(parts[rng.IntN(len(parts))])
		}
		checkFold(t, b.String())
	}
}

// Fold and its definition agree about the documents of this project.
func TestFoldDocuments(t *testing.T) {
	paths, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(paths) < 5 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(string(raw), "\n\n") {
			checkFold(t, line)
		}
	}
}
