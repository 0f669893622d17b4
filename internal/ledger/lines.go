package ledger

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
)

// Lines yields the whole lines of r, each with its newline and the caller's to keep. What stands behind the last newline is
// half of a line and left out. It stops at the first error.
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

// Strict decodes the JSON value that data begins with into v; a field that v does not have is an error.
func Strict(data []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	return dec.Decode(v)
}
