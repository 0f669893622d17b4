package table

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// scanner infers shapes from JSON text without building values. It is as strict as Arrow's reader, or as lenient as
// pandas' in an array.
type scanner struct {
	data    []byte
	pos     int
	array   bool // rows are items of an array
	objects int  // number of objects so far, for repeated keys
	mixed   bool // a change of type makes a column [Mixed]
}

// syntax is the error of broken JSON.
func (s *scanner) syntax(text string) error { return &fault{text: text, free: true} }

func (s *scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\n', '\r', '\t':
			s.pos++
		default:
			return
		}
	}
}

func (s *scanner) peek() byte {
	if s.pos < len(s.data) {
		return s.data[s.pos]
	}
	return 0
}

// value reads one value into its shape.
func (s *scanner) value(to *shape) error {
	c := s.peek()
	if next := kindOf(c); s.mixed && to.kind != Null && next != Null && next != to.kind {
		to.kind = Mixed
	}
	if to.kind == Mixed {
		to = &shape{}
	}
	switch {
	case c == '"':
		return s.text(to)
	case c == '{':
		return s.object(to)
	case c == '[':
		return s.list(to)
	case c == '-' || '0' <= c && c <= '9':
		return s.number(to)
	}
	return s.word(to)
}

// kindOf returns the kind of a value from its first byte; Null if it is null or broken.
func kindOf(first byte) Kind {
	switch {
	case first == '"':
		return String
	case first == '{':
		return Struct
	case first == '[':
		return List
	case first == 't' || first == 'f':
		return Bool
	case first == '-' || first == 'N' || first == 'I' || '0' <= first && first <= '9':
		return Int
	}
	return Null
}

// become sets the kind of a shape.
func (to *shape) become(k Kind) error {
	switch to.kind {
	case k:
		return nil
	case Null:
		to.kind = k
		return nil
	}
	return conflict(to.kind, k)
}

func (s *scanner) word(to *shape) error {
	for _, w := range []struct {
		text string
		kind Kind
	}{{"null", Null}, {"true", Bool}, {"false", Bool}, {"NaN", Float}, {"Infinity", Float}, {"Inf", Float}} {
		if !bytes.HasPrefix(s.data[s.pos:], []byte(w.text)) {
			continue
		}
		s.pos += len(w.text)
		switch w.kind {
		case Null:
			return nil
		case Bool:
			return to.become(Bool)
		}
		to.notInt, to.fraction = true, true
		return to.become(Int)
	}
	return s.syntax("Invalid value")
}

func (s *scanner) number(to *shape) error {
	start := s.pos
	if s.data[s.pos] == '-' {
		s.pos++
		if c := s.peek(); c == 'I' || c == 'N' {
			return s.word(to)
		}
	}
	digits := s.digits()
	switch first := s.pos - digits; {
	case digits == 0:
		return s.syntax("Invalid value")
	case s.data[first] == '0' && digits > 1:
		return s.syntax("Missing a comma or '}' after an object member")
	}
	fraction, err := s.optional(".", "Miss fraction part in number")
	if err != nil {
		return err
	}
	exponent, err := s.optional("eE", "Miss exponent in number")
	if err != nil {
		return err
	}
	return s.addNumber(to, s.data[start:s.pos], !fraction && !exponent && digits < 19)
}

// optional skips one of the marks and the digits that must follow, after a sign in an exponent.
func (s *scanner) optional(marks, missing string) (bool, error) {
	if strings.IndexByte(marks, s.peek()) < 0 {
		return false, nil
	}
	s.pos++
	if c := s.peek(); marks != "." && (c == '+' || c == '-') {
		s.pos++
	}
	if s.digits() == 0 {
		return true, s.syntax(missing)
	}
	return true, nil
}

// addNumber adds the facts of a number; small reports whether it is surely an int64.
func (s *scanner) addNumber(to *shape, text []byte, small bool) error {
	if err := to.become(Int); err != nil || small {
		return err
	}
	if _, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		return nil
	}
	to.notInt = true
	if f, err := strconv.ParseFloat(string(text), 64); err != nil || f != float64(int64(f)) {
		to.fraction = true
	}
	if s.array && !bytes.ContainsAny(text, ".eE") {
		if _, err := strconv.ParseUint(string(text), 10, 64); err != nil {
			return s.syntax("Value is too big")
		}
	}
	return nil
}

func (s *scanner) digits() (n int) {
	for s.pos < len(s.data) && '0' <= s.data[s.pos] && s.data[s.pos] <= '9' {
		s.pos++
		n++
	}
	return n
}

func (s *scanner) text(to *shape) error {
	body, err := s.quoted()
	if err != nil {
		return err
	}
	if err := to.become(String); err != nil {
		return err
	}
	to.addText(body, s.array)
	return nil
}

// addText notes what a text is not. Most columns are settled by their first value.
func (to *shape) addText(body []byte, array bool) {
	if !to.notTime {
		to.notTime = array || !isTime(body)
	}
	if !to.notFloat {
		_, err := strconv.ParseFloat(string(body), 64)
		to.notFloat = err != nil
	}
	if !to.notInt {
		_, err := strconv.ParseInt(string(body), 10, 64)
		to.notInt = err != nil
	}
}

// quoted reads a string and returns it as written, between the quotes.
func (s *scanner) quoted() ([]byte, error) {
	s.pos++
	start, escaped := s.pos, false
	for {
		n := bytes.IndexByte(s.data[s.pos:], '"')
		if n < 0 {
			return nil, s.syntax("Missing a closing quotation mark in string")
		}
		slash := bytes.IndexByte(s.data[s.pos:s.pos+n], '\\')
		if slash < 0 {
			s.pos += n
			break
		}
		escaped = true
		s.pos += slash + 2
		if s.pos > len(s.data) {
			return nil, s.syntax("Missing a closing quotation mark in string")
		}
	}
	body := s.data[start:s.pos]
	s.pos++
	return body, s.checkText(body, escaped)
}

func (s *scanner) checkText(body []byte, escaped bool) error {
	if !s.array {
		for _, c := range body {
			if c < ' ' {
				return s.syntax("Invalid encoding in string: a control character must be escaped")
			}
		}
	}
	if escaped {
		if err := s.checkEscapes(body); err != nil {
			return err
		}
	}
	if !utf8.Valid(body) {
		return ErrUTF8
	}
	return nil
}

func (s *scanner) checkEscapes(body []byte) error {
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' {
			continue
		}
		i++
		switch body[i] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		case 'u':
			n, err := s.checkUnicode(body[i+1:])
			if err != nil {
				return err
			}
			i += n
		default:
			return s.syntax("Invalid escape character in string")
		}
	}
	return nil
}

// checkUnicode checks the digits of \uXXXX and, after a high surrogate, the low one; it returns the number of bytes.
func (s *scanner) checkUnicode(after []byte) (int, error) {
	code, ok := hex4(after)
	if !ok {
		return 0, s.syntax("Incorrect hex digit after \\u escape in string")
	}
	high := code>>10 == 0xD800>>10
	switch {
	case !high && code>>10 != 0xDC00>>10:
		return 4, nil
	case high && lowFollows(after[4:]):
		return 10, nil
	case high && s.array && !bytes.HasPrefix(after[4:], []byte(`\u`)):
		return 4, nil // pandas drops it
	}
	return 0, s.syntax("The surrogate pair in string is invalid: a lone surrogate")
}

func lowFollows(after []byte) bool {
	if !bytes.HasPrefix(after, []byte(`\u`)) {
		return false
	}
	code, ok := hex4(after[2:])
	return ok && code>>10 == 0xDC00>>10
}

func hex4(b []byte) (uint64, bool) {
	if len(b) < 4 {
		return 0, false
	}
	v, err := strconv.ParseUint(string(b[:4]), 16, 32)
	return v, err == nil
}

func (s *scanner) list(to *shape) error {
	if err := to.become(List); err != nil {
		return err
	}
	if to.elem == nil {
		to.elem = &shape{}
	}
	s.pos++
	for n := 0; ; n++ {
		s.space()
		if s.peek() == ']' && n == 0 {
			s.pos++
			return nil
		}
		if err := inside("[]", s.value(to.elem)); err != nil {
			return err
		}
		s.space()
		switch s.peek() {
		case ',':
			s.pos++
		case ']':
			s.pos++
			return nil
		default:
			return s.syntax("Missing a comma or ] after an array element")
		}
	}
}

func (s *scanner) object(to *shape) error {
	if err := to.become(Struct); err != nil {
		return err
	}
	s.objects++
	me := s.objects
	s.pos++
	for n := 0; ; n++ {
		s.space()
		if s.peek() == '}' && n == 0 {
			s.pos++
			return nil
		}
		if err := s.member(to, n, me); err != nil {
			return err
		}
		s.space()
		switch s.peek() {
		case ',':
			s.pos++
		case '}':
			s.pos++
			return nil
		default:
			return s.syntax("Missing a comma or '}' after an object member")
		}
	}
}

// member reads key n of object me.
func (s *scanner) member(to *shape, n, me int) error {
	if s.peek() != '"' {
		return s.syntax("Missing a name for object member")
	}
	key, err := s.quoted()
	if err != nil {
		return err
	}
	f := to.field(unescape(key), n)
	if f.seen == me && !s.array {
		return &fault{path: "/" + f.name, text: "was specified twice"}
	}
	f.seen = me
	s.space()
	if s.peek() != ':' {
		return s.syntax("Missing a colon after a name of object member")
	}
	s.pos++
	s.space()
	return inside(f.name, s.value(f))
}

// unescape returns a key as it is read.
func unescape(key []byte) []byte {
	if bytes.IndexByte(key, '\\') < 0 {
		return key
	}
	return []byte(plainText(key))
}
