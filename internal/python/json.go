package python

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// jsonReader reads one JSON text; pos is the next byte.
type jsonReader struct {
	parser
}

// FromJSON parses raw like Python's json.loads: integers of any size and floats are distinct, NaN, Infinity and
// -Infinity are floats, and objects keep the order of their keys and the last value of a repeated one. The result
// contains nil, bool, int64, *[big.Int], float64, string, [List] and *[Dict]. The error is an *[Error].
func FromJSON(raw []byte) (Value, error) {
	return readJSON(parser{src: string(raw)})
}

// ParseJSON parses the JSON value at byte start of text and returns its end; it ignores the rest. The error is an
// *[Error] with positions in the whole text.
func ParseJSON(text string, start int, o Options) (v Value, end int, err error) {
	j := jsonReader{parser{src: text, pos: start, o: o, json: true}}
	j.skip()
	v, err = j.value()
	return v, j.pos, err
}

// ReadJSON is [FromJSON] without a reason for errors.
func ReadJSON(text string) (Value, bool) {
	v, err := readJSON(parser{src: text, quiet: true})
	return v, err == nil
}

func readJSON(p parser) (Value, error) {
	p.json = true
	j := jsonReader{p}
	j.skip()
	v, err := j.value()
	if err != nil {
		return nil, err
	}
	j.skip()
	if j.pos < len(j.src) {
		return nil, j.unexpected("after the JSON value")
	}
	return v, nil
}

func (j *jsonReader) value() (Value, error) {
	switch c := j.peek(); {
	case j.quoted():
		return j.text()
	case c == '{':
		return j.object()
	case c == '[':
		return j.array()
	case c == '-' || isDigit(c):
		return j.number()
	}
	return j.constant()
}

// jsonWords are the constants of JSON as Python reads them.
var jsonWords = []struct {
	word  string
	value Value
}{
	{"null", nil},
	{"true", true},
	{"false", false},
	{"NaN", math.NaN()},
	{"Infinity", math.Inf(1)},
	{"-Infinity", math.Inf(-1)},
	{"None", nil},
	{"True", true},
	{"False", false},
}

// looseWords is the number of words at the end of jsonWords that only [Options.Loose] accepts.
const looseWords = 3

func (j *jsonReader) constant() (Value, error) {
	known := len(jsonWords)
	if !j.o.Loose {
		known -= looseWords
	}
	for _, w := range jsonWords[:known] {
		if strings.HasPrefix(j.src[j.pos:], w.word) {
			j.pos += len(w.word)
			return w.value, nil
		}
	}
	return nil, j.unexpected("where a JSON value should stand")
}

// number reads a JSON number; it leaves digits after a leading zero for the caller to reject.
func (j *jsonReader) number() (Value, error) {
	start := j.pos
	j.take('-')
	if !isDigit(j.peek()) {
		j.pos = start
		return j.constant()
	}
	if !j.take('0') {
		j.plainDigits()
	}
	digits := j.pos - start
	isFloat := j.optional('.', "")
	if j.optional('e', "+-") || j.optional('E', "+-") {
		isFloat = true
	}
	text := j.src[start:j.pos]
	if isFloat {
		return j.float(text, start)
	}
	return j.integer(text, start, digits)
}

func (j *jsonReader) plainDigits() int {
	start := j.pos
	for isDigit(j.peek()) {
		j.pos++
	}
	return j.pos - start
}

// optional skips mark, a sign and digits; without digits it does not move.
func (j *jsonReader) optional(mark byte, signs string) bool {
	before := j.pos
	if !j.take(mark) {
		return false
	}
	if c := j.peek(); c != 0 && strings.IndexByte(signs, c) >= 0 {
		j.pos++
	}
	if j.plainDigits() == 0 {
		j.pos = before
		return false
	}
	return true
}

func (j *jsonReader) array() (Value, error) {
	start := j.pos
	if err := j.open(); err != nil {
		return nil, err
	}
	items := List{}
	for done := j.closed(']'); !done; done = j.closed(']') {
		if len(items) > 0 && !j.take(',') {
			return nil, j.notClosed(']', start)
		}
		j.skip()
		v, err := j.value()
		if err != nil {
			return nil, err
		}
		items = append(items, v)
	}
	return items, nil
}

func (j *jsonReader) object() (Value, error) {
	start, d := j.pos, &Dict{}
	if err := j.open(); err != nil {
		return nil, err
	}
	for done := j.closed('}'); !done; done = j.closed('}') {
		if d.Len() > 0 && !j.take(',') {
			return nil, j.notClosed('}', start)
		}
		j.skip()
		if err := j.member(d); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func (j *jsonReader) member(d *Dict) error {
	if !j.quoted() {
		return j.unexpected("where a key in double quotes should stand")
	}
	at := j.pos
	k, err := j.text()
	if err != nil {
		return err
	}
	if _, twice := d.Get(k); twice && j.o.UniqueKeys {
		return &Error{Offset: at, Reason: "the key " + Repr(k) + " occurs twice"}
	}
	j.skip()
	if !j.take(':') {
		return j.unexpected("where a colon should stand")
	}
	j.skip()
	v, err := j.value()
	if err != nil {
		return err
	}
	d.Set(k, v)
	return nil
}

func (j *jsonReader) quoted() bool { return j.peek() == '"' || j.o.Loose && j.peek() == '\'' }

// text reads a string. It rejects control characters, like json.loads.
func (j *jsonReader) text() (Value, error) {
	start := j.pos
	end, plain := j.pos+1, true
	for ; end < len(j.src) && j.src[end] != j.src[start]; end++ {
		if j.src[end] < ' ' && !j.o.Loose {
			return nil, j.fail(end, "a control character in a JSON text must be escaped")
		}
		if j.src[end] == '\\' {
			plain = false
			end++
		}
	}
	if end >= len(j.src) {
		return nil, j.fail(start, "the closing quote %c is missing", j.src[start])
	}
	j.pos = end + 1
	body := j.src[start+1 : end]
	if plain && utf8.ValidString(body) {
		return body, nil
	}
	text, reason := unescapeJSON(body, j.o)
	if reason != "" {
		return nil, j.fail(start, "%s in this string", reason)
	}
	return text, nil
}

// jsonEscapes maps the letter after a backslash to the character.
var jsonEscapes = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescapeJSON replaces the escapes in the body of a string, and invalid UTF-8 by U+FFFD.
func unescapeJSON(body string, o Options) (text, reason string) {
	body = strings.ToValidUTF8(body, "\uFFFD")
	out := make([]byte, 0, len(body))
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' {
			out = append(out, body[i])
			continue
		}
		if n := LaTeXCommand(body[i:]); n > 0 && o.LaTeX {
			out = append(out, body[i:i+n]...)
			i += n - 1
			continue
		}
		i++
		if c, ok := jsonEscapes[body[i]]; ok {
			if o.KeepControls && control(string(c)) {
				out, c = append(out, '\\'), body[i]
			}
			out = append(out, c)
			continue
		}
		r, n, err := surrogatePair(body[i:])
		if err != nil && o.Loose {
			if body[i] != '\'' {
				out = append(out, '\\')
			}
			out = append(out, body[i])
			continue
		}
		if err != nil {
			return "", err.Error()
		}
		out = append(out, char(r, false)...)
		i += n - 1
	}
	return string(out), ""
}

// surrogatePair reads "uXXXX" and, after a high surrogate, the low one; n is the length read.
func surrogatePair(s string) (r rune, n int, err error) {
	r, ok := fourHex(s)
	if !ok {
		return 0, 0, errors.New(`a backslash needs one of "\/bfnrt, or u and four hexadecimal digits`)
	}
	if 0xD800 <= r && r <= 0xDBFF && len(s) > 5 && s[5] == '\\' {
		if low, ok := fourHex(s[6:]); ok && 0xDC00 <= low && low <= 0xDFFF {
			return 0x10000 + (r-0xD800)<<10 + (low - 0xDC00), 11, nil
		}
	}
	return r, 5, nil
}

func fourHex(s string) (rune, bool) {
	if len(s) < 5 || s[0] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(s[1:5], 16, 32)
	return rune(v), err == nil
}
