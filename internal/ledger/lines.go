package ledger

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
)

// Lines yields the complete lines of r, each with its newline; the caller owns them. It ignores an incomplete last line
// and stops at the first error.
func Lines(r *bufio.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for {
			line, err := r.ReadBytes('\n')
			switch {
			case errors.Is(err, io.EOF):
				return
			case err != nil:
				yield(nil, err)
				return
			}
			if !yield(line, nil) {
				return
			}
		}
	}
}

// Strict decodes the JSON value at the start of data into v and rejects unknown fields.
func Strict(data []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	return dec.Decode(v)
}

// Encode returns a value as one line of JSON without HTML escaping.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// EncodeText is [Encode] without the newline.
func EncodeText(v any) (string, error) {
	line, err := Encode(v)
	return string(bytes.TrimSuffix(line, []byte{'\n'})), err
}

// RedactStrings applies a filter to each string of JSON, keys included, and leaves all other bytes as they are. A filter of
// the encoded text could match a part of an escape sequence.
func RedactStrings(raw []byte, redact func([]byte) []byte) []byte {
	escaped := bytes.Contains(raw, []byte(`\u`)) || bytes.Contains(raw, []byte(`\/`))
	if !escaped && bytes.Equal(redact(raw), raw) {
		return raw
	}
	return EditStrings(raw, func(text string) string { return string(redact([]byte(text))) })
}

// EditStrings changes each string of JSON, keys included, and leaves all other bytes as they are.
func EditStrings(raw []byte, edit func(string) string) []byte {
	var out []byte
	done := 0
	for at := 0; at < len(raw); at++ {
		if raw[at] != '"' {
			continue
		}
		start := at
		for at++; at < len(raw) && raw[at] != '"'; at++ {
			if raw[at] == '\\' {
				at++
			}
		}
		var text string
		if json.Unmarshal(raw[start:min(at+1, len(raw))], &text) != nil {
			continue
		}
		if edited := edit(text); edited != text {
			encoded, _ := EncodeText(edited) // a string always has one
			out = append(append(out, raw[done:start]...), encoded...)
			done = at + 1
		}
	}
	return append(out, raw[done:]...)
}
