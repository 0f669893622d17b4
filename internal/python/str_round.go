package python

import (
	"math"
	"math/big"
	"strconv"
)

// Beyond these numbers of digits, round() changes nothing or leaves nothing of a float64.
const (
	roundNothing = 323
	roundAway    = -308
)

// Round returns f rounded to digits after the point (before it when negative) as round(f, digits) does: the
// exact binary value decides, and a tie goes to the even neighbour. False means that the result is too large.
func Round(f float64, digits int) (float64, bool) {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0) || digits > roundNothing:
		return f, true
	case digits < roundAway:
		return math.Copysign(0, f), true
	case digits < 0:
		return roundWhole(f, -digits)
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(f, 'f', digits, 64), 64)
	return r, err == nil
}

// roundWhole rounds to a multiple of ten to the power of zeros.
func roundWhole(f float64, zeros int) (float64, bool) {
	whole := math.Trunc(f)
	i, _ := big.NewFloat(whole).Int(nil)
	rounded := roundInt(i, zeros, f != whole)
	r, err := strconv.ParseFloat(rounded.String(), 64)
	return math.Copysign(r, f), err == nil
}

// RoundInt returns i rounded as round(i, digits) does for an int: only negative digits change it.
func RoundInt(i *big.Int, digits int) *big.Int {
	if digits >= 0 {
		return i
	}
	if -digits > len(i.String())+1 {
		return new(big.Int)
	}
	return roundInt(i, -digits, false)
}

// roundInt rounds to a multiple of ten to the power of zeros, ties to even; more says that the number goes
// on after the point, so that what looks like a tie is none.
func roundInt(i *big.Int, zeros int, more bool) *big.Int {
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(zeros)), nil)
	quotient, rest := new(big.Int).QuoRem(new(big.Int).Abs(i), unit, new(big.Int))
	tie := rest.Lsh(rest, 1).Cmp(unit)
	if tie > 0 || tie == 0 && (more || quotient.Bit(0) == 1) {
		quotient.Add(quotient, big.NewInt(1))
	}
	quotient.Mul(quotient, unit)
	if i.Sign() < 0 {
		quotient.Neg(quotient)
	}
	return quotient
}
