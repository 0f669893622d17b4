package python_test

import (
	"math"
	"math/big"
	"testing"
	"unicode/utf8"

	"airqa/internal/python"
)

// FuzzNumbers checks that no text brings the readers of numbers down, that they agree with each other, and that what
// was read is read again from how Go prints it.
func FuzzNumbers(f *testing.F) {
	for _, s := range []string{"12", " -1_000\n", "٣٤", "1e400", "nan", "-Infinity", "0x10", "1__0", "\u00a07", "\x1c7", ".5e-3", "+", "9223372036854775808"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		i, isInt := python.Int(s)
		small, isSmall := python.SmallInt(s)
		if isSmall && (!isInt || !i.IsInt64() || i.Int64() != small) {
			t.Fatalf("SmallInt of %q is %d, Int %v %v", s, small, i, isInt)
		}
		x, isFloat := python.Float(s)
		if !isInt {
			return
		}
		if again, ok := python.Int(i.String()); i.BitLen() < 14_000 && (!ok || again.Cmp(i) != 0) {
			t.Fatalf("Int of %q is %v, and of that %v", s, i, again)
		}
		if want, _ := new(big.Float).SetInt(i).Float64(); !isFloat || x != want {
			t.Fatalf("Float of %q is %v %v, Int %v", s, x, isFloat, i)
		}
	})
}

// FuzzText checks that whitespace and case are treated alike by all functions, and valid text stays valid.
func FuzzText(f *testing.F) {
	for _, s := range []string{" a  b ", "ΑΣ", "İK", "\u2028x\x1f", "\xff", "\xed\xa0\x80", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		bare := python.RemoveSpace(s)
		joined := ""
		for _, word := range python.Fields(s) {
			joined += word
		}
		if joined != bare || python.CollapseSpace(s, "") != bare || python.RemoveSpace(python.Strip(s)) != bare {
			t.Fatalf("%q: %q without whitespace, %q in fields, %q joined", s, bare, joined, python.CollapseSpace(s, ""))
		}
		if stripped := python.Strip(s); python.Strip(stripped) != stripped {
			t.Fatalf("Strip of %q is %q, of that %q", s, stripped, python.Strip(stripped))
		}
		if lower := python.Lower(s); utf8.ValidString(s) && !utf8.ValidString(lower) {
			t.Fatalf("Lower of %q is %q", s, lower)
		}
	})
}

// FuzzRound checks that rounding is near, and that what is rounded stays.
func FuzzRound(f *testing.F) {
	f.Add(2.675, 2)
	f.Add(-0.5, 0)
	f.Add(1e308, -308)
	f.Add(5e-324, 324)
	f.Fuzz(func(t *testing.T, x float64, digits int) {
		once, ok := python.Round(x, digits)
		if !ok || math.IsNaN(x) || math.IsInf(x, 0) {
			return
		}
		if twice, ok := python.Round(once, digits); !ok || twice != once {
			t.Fatalf("Round(%v, %d) is %v, of that %v", x, digits, once, twice)
		}
		if half := 0.5000001 * math.Pow(10, -float64(digits)); math.Abs(once-x) > half+math.Abs(x)*1e-15 {
			t.Fatalf("Round(%v, %d) is %v", x, digits, once)
		}
	})
}
