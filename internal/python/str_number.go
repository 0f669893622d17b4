package python

import (
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Int parses s like int(): surrounding whitespace, one sign, decimal digits of any script, single underscores between
// digits. It returns false if int() would fail.
func Int(s string) (*big.Int, bool) {
	text, ok := plainDigits(s)
	if !ok {
		return nil, false
	}
	digits := strings.TrimLeft(text, "+-")
	if len(text)-len(digits) > 1 || len(digits) > maxDigits || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return nil, false
	}
	return new(big.Int).SetString(text, 10)
}

// SmallInt is [Int] for ASCII digits that fit int64; false means that the caller must use Int.
func SmallInt(s string) (int64, bool) {
	if s == "" || len(s) > 18 {
		return 0, false
	}
	for i := range len(s) {
		if s[i] < '0' && (i > 0 || s[i] != '-' && s[i] != '+') || s[i] > '9' {
			return 0, false
		}
	}
	v, err := strconv.ParseInt(s, 10, 64)
	return v, err == nil
}

// Float parses s like float(): like [Int], with fraction and exponent, "inf", "infinity" and "nan". Overflow is an
// infinity. It returns false if float() would fail.
func Float(s string) (float64, bool) {
	text, ok := plainDigits(s)
	if !ok || !floatForm(text) {
		return 0, false
	}
	if len(text) == 4 && strings.EqualFold(text[1:], "nan") {
		return math.NaN(), true // ParseFloat accepts no sign before it
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil || errors.Is(err, strconv.ErrRange)
}

// floatForm rejects what ParseFloat accepts and Python does not: hexadecimal, and other words.
func floatForm(s string) bool {
	switch strings.ToLower(strings.TrimLeft(s, "+-")) {
	case "inf", "infinity", "nan":
		return true
	}
	return s != "" && strings.Trim(s, "0123456789+-.eE") == ""
}

// plainDigits trims s, converts decimal digits of any script to ASCII and removes underscores between digits. It returns
// false for misplaced underscores and other characters beyond ASCII.
func plainDigits(s string) (string, bool) {
	if other := false; !IsASCII(s) {
		s = strings.Map(func(r rune) rune {
			if r = PlainDigit(r); r >= utf8.RuneSelf || other {
				other = true
				return -1
			}
			return r
		}, s)
		if other {
			return "", false
		}
	}
	s = strings.Trim(s, " \t\n\v\f\r")
	if strings.IndexByte(s, '_') < 0 {
		return s, true
	}
	for i := range len(s) {
		if s[i] == '_' && (i == 0 || i == len(s)-1 || !isDigit(s[i-1]) || !isDigit(s[i+1])) {
			return "", false
		}
	}
	return strings.ReplaceAll(s, "_", ""), true
}

// PlainDigit maps digits and whitespace of any script to ASCII, and leaves other characters as they are.
func PlainDigit(r rune) rune {
	switch {
	case r < utf8.RuneSelf:
		return r
	case unicode.IsSpace(r):
		return ' '
	case unicode.Is(unicode.Nd, r):
		return '0' + digitValue(r)
	}
	return r
}

// digitValue returns the value of a decimal digit. Unicode keeps the ten digits of a script together; the mathematical
// ones are five consecutive runs.
func digitValue(r rune) rune {
	if 0x1D7CE <= r && r <= 0x1D7FF {
		return (r - 0x1D7CE) % 10
	}
	zero := r
	for r-zero < 9 && unicode.Is(unicode.Nd, zero-1) {
		zero--
	}
	return r - zero
}

// IsASCII reports whether s has only ASCII characters.
func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
