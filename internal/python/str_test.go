package python_test

import (
	"bufio"
	"math"
	"math/big"
	"os"
	"strconv"
	"testing"

	"airqa/internal/python"

	"github.com/google/go-cmp/cmp"
)

// TestOracle compares with what Python 3.11 answered; each row of the file asks one question.
func TestStrOracle(t *testing.T) {
	f, err := os.Open("testdata/str.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	n := 0
	for lines := bufio.NewScanner(f); lines.Scan(); n++ {
		v, err := python.FromJSON(lines.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		row := v.(*python.Dict)
		for question := range row.All() {
			if check := checks[question.(string)]; check != nil {
				check(t, row)
			}
		}
	}
	if n != 581 {
		t.Errorf("read %d rows, want 581", n)
	}
}

var checks = map[string]func(t *testing.T, row *python.Dict){
	"text":      checkNumber,
	"round":     checkRound,
	"round_int": checkRoundInt,
	"lower":     checkLower,
	"split":     checkSplit,
}

// get returns a value of a row as text; ok is false where Python raised an exception.
func get(row *python.Dict, name string) (text string, ok bool) {
	v, _ := row.Get(name)
	text, ok = v.(string)
	return text, ok
}

func checkNumber(t *testing.T, row *python.Dict) {
	text, _ := get(row, "text")
	want, isInt := get(row, "int")
	if i, ok := python.Int(text); ok != isInt || ok && i.String() != want {
		t.Errorf("int(%q) = %v, %v, want %q", text, i, ok, want)
	}
	if i, ok := python.SmallInt(text); ok && strconv.FormatInt(i, 10) != want {
		t.Errorf("SmallInt(%q) = %d, want %q", text, i, want)
	}
	want, isFloat := get(row, "float")
	if f, ok := python.Float(text); ok != isFloat || ok && python.Repr(f) != want {
		t.Errorf("float(%q) = %v, %v, want %q", text, f, ok, want)
	}
}

func digits(row *python.Dict) int {
	v, _ := row.Get("digits")
	return int(v.(int64))
}

func checkRound(t *testing.T, row *python.Dict) {
	text, _ := get(row, "round")
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	want, fits := get(row, "want")
	if r, ok := python.Round(x, digits(row)); ok != fits || ok && python.Repr(r) != want {
		t.Errorf("round(%s, %d) = %v, %v, want %q", text, digits(row), r, ok, want)
	}
}

func checkRoundInt(t *testing.T, row *python.Dict) {
	text, _ := get(row, "round_int")
	x, _ := new(big.Int).SetString(text, 10)
	want, _ := get(row, "want")
	if r := python.RoundInt(x, digits(row)); r.String() != want {
		t.Errorf("round(%s, %d) = %v, want %s", text, digits(row), r, want)
	}
}

func checkLower(t *testing.T, row *python.Dict) {
	text, _ := get(row, "lower")
	want, _ := get(row, "want")
	if got := python.Lower(text); got != want {
		t.Errorf("lower of %q = %q, want %q", text, got, want)
	}
}

func checkSplit(t *testing.T, row *python.Dict) {
	text, _ := get(row, "split")
	words := python.List{}
	for _, w := range python.Fields(text) {
		words = append(words, w)
	}
	if want, _ := row.Get("want"); !python.Equal(words, want) {
		t.Errorf("split of %q = %q, want %q", text, words, want)
	}
	if want, _ := get(row, "strip"); python.Strip(text) != want {
		t.Errorf("strip of %q = %q, want %q", text, python.Strip(text), want)
	}
}

func TestLower(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"lower already", "abc 1", "abc 1"},
		{"ASCII", "ABC", "abc"},
		{"final sigma", "ΟΔΟΣ", "οδος"},
		{"sigma inside", "ΣΟΣΑ", "σοσα"},
		{"sigma alone", "Σ", "σ"},
		{"sigma before a full stop", "ΑΣ.", "ας."},
		{"sigma before a full stop and a letter", "ΑΣ.Α", "ασ.α"},
		{"sigma before a mark", "ΑΣ\u0301", "ας\u0301"},
		{"sigma after a digit", "1Σ", "1σ"},
		{"dotted capital I", "İ", "i\u0307"},
		{"Kelvin sign", "3 K", "3 k"},
		{"lone surrogate", "A\xed\xa0\x80B", "a\xed\xa0\x80b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, python.Lower(tt.text)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestBlanks(t *testing.T) {
	tests := []struct{ name, text, strip, without, single string }{
		{"none", "ab", "ab", "ab", "ab"},
		{"Unicode", "\u00a0a\u2003\u3000b\u0085", "a\u2003\u3000b", "ab", " a b "},
		{"separators", "\x1ca\x1fb\x1d\x1e", "a\x1fb", "ab", " a b "},
		{"no blank but looks like one", "a\u200bb\ufeff", "a\u200bb\ufeff", "a\u200bb\ufeff", "a\u200bb\ufeff"},
		{"lone surrogate", " \xed\xa0\x80 \ufffd", "\xed\xa0\x80 \ufffd", "\xed\xa0\x80\ufffd", " \xed\xa0\x80 \ufffd"},
		{"only whitespace", " \t\n", "", "", " "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := []string{python.Strip(tt.text), python.RemoveSpace(tt.text), python.CollapseSpace(tt.text, " ")}
			if diff := cmp.Diff([]string{tt.strip, tt.without, tt.single}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestIntTooLong(t *testing.T) {
	digits := make([]byte, 4301)
	for i := range digits {
		digits[i] = '7'
	}
	if _, ok := python.Int(string(digits)); ok {
		t.Error("4,301 digits are read, 4,300 is the most")
	}
	if _, ok := python.Int("-" + string(digits[1:])); !ok {
		t.Error("4,300 digits are not read")
	}
}

func TestFloatNaN(t *testing.T) {
	tests := []struct {
		text string
		want bool
	}{
		{"nan", true},
		{"NaN", true},
		{"+nan", true},
		{" -NAN\n", true},
		{"--nan", false},
		{"+-nan", false},
		{"nan1", false},
		{"n_an", false},
	}
	for _, tt := range tests {
		if f, ok := python.Float(tt.text); ok != tt.want || ok && !math.IsNaN(f) {
			t.Errorf("float(%q) = %v, %v, want a number: %v", tt.text, f, ok, tt.want)
		}
	}
}

func TestRemovePunctuation(t *testing.T) {
	if got := python.RemovePunctuation("a!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~z “–” \x7f"); got != "az “–” \x7f" {
		t.Errorf("got %q", got)
	}
}
