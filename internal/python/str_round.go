package python

import (
	"math"
	"math/big"
	"strconv"
)

// Beyond these digits, round() changes nothing in a float64 or leaves nothing of it.
const (
	roundNothing = 323
	roundAway    = -308
)

// Round returns f rounded like round(f, digits), where negative digits are before the point: it rounds the exact binary
// value, ties to even. It returns false on overflow.
func Round(f float64, digits int) (float64, bool) {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0) || digits > roundNothing:
		return f, true
	case digits < roundAway:
		return math.Copysign(0, f), true
	case digits < 0:
		whole := math.Trunc(f)
		i, _ := big.NewFloat(whole).Int(nil)
		r, err := strconv.ParseFloat(roundInt(i, -digits, f != whole).String(), 64)
		return math.Copysign(r, f), err == nil
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(f, 'f', digits, 64), 64)
	return r, err == nil
}

// RoundInt returns i rounded like round(i, digits) for an int: only negative digits change it.
func RoundInt(i *big.Int, digits int) *big.Int {
	if digits >= 0 {
		return i
	}
	if -digits > len(i.String())+1 {
		return new(big.Int)
	}
	return roundInt(i, -digits, false)
}

// roundInt rounds to a multiple of ten to the power of zeros, ties to even; more means that nonzero digits follow, so
// that an apparent tie is none.
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
