// Package weights reads safetensors files: the full-precision file of a model, and the reduced file with matrices of 8-bit
// integers and one float16 scale per group of 32. Start from [Parse]. The package does not depend on the model.
package weights

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"airqa/internal/ledger"
)

// ErrFormat is wrapped by all errors about invalid files.
var ErrFormat = errors.New("weights file")

// KeyPayload is the metadata key of a reduced file for the digest of its data section, in hex.
const KeyPayload = "payload_sha256"

// File is a parsed safetensors file. It references the parsed bytes. It is safe for concurrent use.
type File struct {
	Metadata map[string]string // the file's own metadata; may be nil

	header  map[string]entry
	payload []byte
}

// Parse reads the header of a safetensors file: 8 bytes little-endian length, a JSON object that maps names to dtype,
// shape and data_offsets, then the data. Every tensor must lie inside the data and have the size of its shape, and the
// tensors must cover the data without gaps or overlaps. File references data.
func Parse(data []byte) (*File, error) {
	if len(data) < 8 {
		return nil, fmt.Errorf("%w: only %d bytes", ErrFormat, len(data))
	}
	n := binary.LittleEndian.Uint64(data)
	if n > maxHeader || n > uint64(len(data)-8) {
		return nil, fmt.Errorf("%w: header of %d bytes in a file of %d", ErrFormat, n, len(data))
	}
	header, payload := data[8:8+n], data[8+n:]
	raw := map[string]json.RawMessage{}
	if err := json.Unmarshal(header, &raw); err != nil {
		return nil, fmt.Errorf("%w: header: %w", ErrFormat, err)
	}
	f := &File{header: map[string]entry{}, payload: payload}
	if text, ok := raw["__metadata__"]; ok {
		if err := json.Unmarshal(text, &f.Metadata); err != nil {
			return nil, fmt.Errorf("%w: metadata: %w", ErrFormat, err)
		}
		delete(raw, "__metadata__")
	}
	for name, text := range raw {
		var err error
		if f.header[name], err = parseEntry(text, len(payload)); err != nil {
			return nil, fmt.Errorf("%w: tensor %q: %w", ErrFormat, name, err)
		}
	}
	return f, f.covered()
}

// Sum computes the SHA-256 of the data section, in hex. It takes tens of milliseconds for 90 MB. A reduced file
// declares its own in Metadata[KeyPayload].
func (f *File) Sum() string {
	return ledger.Hash(f.payload)
}
