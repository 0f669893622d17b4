package format

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"airqa/internal/lazyregexp"
	"airqa/internal/python"
)

// escapes replaces what JSON requires to escape, separators the line separators that some readers of lines split at.
var (
	escapes    = python.JSONEscapes(`"`, `\"`, `\`, `\\`, "\n", `\n`, "\t", `\t`, "\r", `\r`)
	separators = strings.NewReplacer("\u2028", `\u2028`, "\u2029", `\u2029`)
)

// appendString appends a JSON string. s must be valid UTF-8.
func appendString(dst []byte, s string) []byte {
	s = escapes.Replace(s)
	if strings.Contains(s, "\u2028") || strings.Contains(s, "\u2029") {
		s = separators.Replace(s)
	}
	return append(append(append(dst, '"'), s...), '"')
}

// object writes the members of a JSON object in order.
type object struct {
	dst   []byte
	begun bool
}

func begin(dst []byte) object { return object{dst: append(dst, '{')} }

// key appends a key. The caller appends its value to dst.
func (o *object) key(name string) {
	if o.begun {
		o.dst = append(o.dst, ',')
	}
	o.begun = true
	o.dst = append(appendString(o.dst, name), ':')
}

func (o *object) text(name, value string) {
	o.key(name)
	o.dst = appendString(o.dst, value)
}

func (o *object) number(name string, value int) {
	o.key(name)
	o.dst = strconv.AppendInt(o.dst, int64(value), 10)
}

func (o *object) raw(name string, value []byte) {
	o.key(name)
	o.dst = append(o.dst, value...)
}

func (o *object) columns(list []Column) {
	for _, c := range list {
		o.raw(c.Name, []byte(c.Value))
	}
}

func (o *object) end() []byte { return append(o.dst, '}') }

func appendList[T any](dst []byte, items []T, item func([]byte, T) []byte) []byte {
	dst = append(dst, '[')
	for i, v := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = item(dst, v)
	}
	return append(dst, ']')
}

// Spaced formats JSON as Python prints it, with a space after each comma and colon, as chat templates render calls.
func Spaced(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	out := make([]byte, 0, b.Len()+16)
	inside := false
	for i, c := range b.Bytes() {
		out = append(out, c)
		backslashes := i - len(bytes.TrimRight(b.Bytes()[:i], `\`))
		switch {
		case c == '"' && backslashes%2 == 0:
			inside = !inside
		case !inside && (c == ',' || c == ':'):
			out = append(out, ' ')
		}
	}
	return string(out)
}

// Finite returns JSON as Python's json module writes it with null for every NaN, Infinity and -Infinity, which JSON does not
// have, and calls found with each of them.
func Finite(raw []byte, found func(number string)) []byte {
	if !bytes.Contains(raw, []byte("NaN")) && !bytes.Contains(raw, []byte("Infinity")) {
		return raw
	}
	return []byte(textOrNumber.ReplaceAllStringFunc(string(raw), func(m string) string {
		if m[0] == '"' {
			return m
		}
		found(m)
		return "null"
	}))
}

var textOrNumber = lazyregexp.New(`(?s)"(?:[^"\\]|\\.)*"|NaN|-?Infinity`)
