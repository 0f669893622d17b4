package python

import (
	"errors"
	"math/big"
	"strconv"
	"strings"
	"unicode"
)

// maxDigits is the maximum number of decimal digits of an integer, as in CPython.
const maxDigits = 4300

// isNumber reports whether v is a number in Python, where True and False are.
func isNumber(v Value) bool {
	switch v.(type) {
	case bool, int64, *big.Int, float64, complex128:
		return true
	}
	return false
}

// signed reads an operand with any number of signs.
func (p *parser) signed() (Value, error) {
	start, negative, signs := p.pos, false, 0
	for p.peek() == '+' || p.peek() == '-' {
		negative = negative != (p.peek() == '-')
		signs++
		p.pos++
		p.skip()
	}
	v, err := p.operand()
	if err != nil || signs == 0 {
		return v, err
	}
	if !isNumber(v) {
		return nil, p.fail(start, "a sign cannot stand before a value of type %s", Type(v))
	}
	return applySign(v, negative), nil
}

func applySign(v Value, negative bool) Value {
	if b, ok := v.(bool); ok {
		v = int64(0)
		if b {
			v = int64(1)
		}
	}
	if !negative {
		return v
	}
	switch x := v.(type) {
	case int64:
		return reduce(new(big.Int).Neg(big.NewInt(x)))
	case *big.Int:
		return reduce(new(big.Int).Neg(x))
	case float64:
		return -x
	case complex128:
		return -x
	}
	return v
}

// complexSum reads the imaginary part of a number like 3+4j; its real part left began at start.
func (p *parser) complexSum(left Value, start int) (Value, error) {
	at, minus := p.pos, p.peek() == '-'
	p.pos++
	p.skip()
	right, err := p.signed()
	if err != nil {
		return nil, err
	}
	im, ok := right.(complex128)
	re, fits := realPart(left)
	if !ok || !fits {
		return nil, p.fail(at, "operators are not evaluated: write the result of %s", p.src[start:p.pos])
	}
	if minus {
		im = -im
	}
	return complex(re+real(im), 0+imag(im)), nil // the 0 turns -0.0 into 0.0, as in Python
}

// realPart returns an int or a float as float64.
func realPart(v Value) (float64, bool) {
	switch x := v.(type) {
	case int64:
		return float64(x), true
	case *big.Int:
		f, _ := new(big.Float).SetInt(x).Float64()
		return f, true
	case float64:
		return x, true
	}
	return 0, false
}

// number reads an integer, a float, an imaginary number or the ellipsis.
func (p *parser) number() (Value, error) {
	start := p.pos
	rest := p.src[start:]
	if strings.HasPrefix(rest, "...") {
		p.pos += 3
		return Ellipsis{}, nil
	}
	if len(rest) > 1 && rest[0] == '0' && strings.IndexByte("xXoObB", rest[1]) >= 0 {
		return p.radix(start)
	}
	whole := p.digits()
	isFloat := p.take('.')
	if isFloat {
		p.digits()
	}
	if p.pos == start || p.src[start:p.pos] == "." {
		p.pos = start
		return nil, p.unexpected("where a value should stand")
	}
	if p.exponent() {
		isFloat = true
	}
	text := strings.ReplaceAll(p.src[start:p.pos], "_", "")
	if c := p.peek(); c == 'j' || c == 'J' {
		p.pos++
		f, err := p.float(text, start)
		return complex(0, f), p.tail(start, err)
	}
	if isFloat {
		f, err := p.float(text, start)
		return f, p.tail(start, err)
	}
	v, err := p.integer(text, start, whole)
	return v, p.tail(start, err)
}

// digits skips decimal digits with single underscores between them and returns their number.
func (p *parser) digits() int { return p.digitsOf("0123456789") }

func (p *parser) digitsOf(set string) int {
	n := 0
	for p.pos < len(p.src) {
		c := p.src[p.pos]
		if c == '_' && n > 0 && p.pos+1 < len(p.src) && strings.IndexByte(set, p.src[p.pos+1]) >= 0 {
			p.pos++
			continue
		}
		if strings.IndexByte(set, c) < 0 {
			break
		}
		p.pos++
		n++
	}
	return n
}

// exponent skips an exponent, but not an "e" without digits.
func (p *parser) exponent() bool {
	mark := p.pos
	if !p.take('e') && !p.take('E') {
		return false
	}
	if !p.take('+') {
		p.take('-')
	}
	if p.digits() == 0 {
		p.pos = mark
		return false
	}
	return true
}

// float parses a float; beyond the largest one it is infinity, as in Python.
func (p *parser) float(text string, at int) (float64, error) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, p.fail(at, "%q is not a number", text)
	}
	return f, nil
}

// integer parses decimal digits. Like Python, it rejects leading zeros.
func (p *parser) integer(text string, at, digits int) (Value, error) {
	if text[0] == '0' && strings.Trim(text, "0") != "" {
		return nil, p.fail(at, "leading zeros are not allowed: did you mean %s, or a text '%s'?", strings.TrimLeft(text, "0"), text)
	}
	if digits > maxDigits {
		return nil, p.fail(at, "an integer of %d digits is too long: %d are allowed", digits, maxDigits)
	}
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return i, nil
	}
	i, ok := new(big.Int).SetString(text, 10)
	if !ok {
		return nil, p.fail(at, "%q is not a number", text)
	}
	return i, nil
}

// radix parses an integer in base 16, 8 or 2.
func (p *parser) radix(start int) (Value, error) {
	base, set := 16, "0123456789abcdefABCDEF"
	switch p.src[start+1] {
	case 'o', 'O':
		base, set = 8, "01234567"
	case 'b', 'B':
		base, set = 2, "01"
	}
	p.pos += 2
	if p.peek() == '_' {
		p.pos++
	}
	from := p.pos
	if p.digitsOf(set) == 0 {
		return nil, p.fail(start, "%s needs digits of base %d", p.src[start:start+2], base)
	}
	i, _ := new(big.Int).SetString(strings.ReplaceAll(p.src[from:p.pos], "_", ""), base)
	if i == nil {
		return nil, p.fail(start, "%q is not a number", p.src[start:p.pos])
	}
	return reduce(i), p.tail(start, nil)
}

// tail rejects letters and digits right after a number; err takes precedence.
func (p *parser) tail(start int, err error) error {
	if err != nil {
		return err
	}
	if c := p.peek(); isDigit(c) || isNameByte(c) || c >= 0x80 && word(p.src, p.pos) != "" {
		return p.fail(start, "%q is neither a number nor a text in quotes", p.src[start:p.pos]+p.touching())
	}
	return nil
}

// touching returns the start of the letters and digits at pos.
func (p *parser) touching() string {
	rest := p.src[p.pos:]
	for i, r := range rest {
		if i >= 20 || r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return rest[:i]
		}
	}
	return rest
}
