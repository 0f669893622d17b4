package minilm

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"airqa/internal/files"
)

// errWeights is wrapped by all errors about invalid files.
var errWeights = errors.New("weights file")

// keyPayload is the metadata key of a reduced file for the digest of its data section, in hex.
const keyPayload = "payload_sha256"

// weightsFile is a parsed safetensors file: the full-precision file of a model, or the reduced file with matrices of 8-bit
// integers and one float16 scale per group of 32. It references the parsed bytes. It is safe for concurrent use.
type weightsFile struct {
	Metadata map[string]string // the file's own metadata; may be nil

	header  map[string]entry
	payload []byte
}

// parseWeights reads the header of a safetensors file: 8 bytes little-endian length, a JSON object that maps names to dtype,
// shape and data_offsets, then the data. Every tensor must lie inside the data and have the size of its shape, and the
// tensors must cover the data without gaps or overlaps. weightsFile references data.
func parseWeights(data []byte) (*weightsFile, error) {
	const maxHeader = 100 << 20 // the limit of the reference reader of safetensors
	if len(data) < 8 {
		return nil, fmt.Errorf("%w: only %d bytes", errWeights, len(data))
	}
	n := binary.LittleEndian.Uint64(data)
	if n > maxHeader || n > uint64(len(data)-8) {
		return nil, fmt.Errorf("%w: header of %d bytes in a file of %d", errWeights, n, len(data))
	}
	header, payload := data[8:8+n], data[8+n:]
	raw := map[string]json.RawMessage{}
	if err := json.Unmarshal(header, &raw); err != nil {
		return nil, fmt.Errorf("%w: header: %w", errWeights, err)
	}
	f := &weightsFile{header: map[string]entry{}, payload: payload}
	if text, ok := raw["__metadata__"]; ok {
		if err := json.Unmarshal(text, &f.Metadata); err != nil {
			return nil, fmt.Errorf("%w: metadata: %w", errWeights, err)
		}
		delete(raw, "__metadata__")
	}
	for name, text := range raw {
		var err error
		if f.header[name], err = parseEntry(text, len(payload)); err != nil {
			return nil, fmt.Errorf("%w: tensor %q: %w", errWeights, name, err)
		}
	}
	at := 0
	for _, name := range byOffset(f.header) {
		o := f.header[name].Offsets
		if o[0] != at {
			return nil, fmt.Errorf("%w: tensor %q begins at byte %d, not at %d", errWeights, name, o[0], at)
		}
		at = o[1]
	}
	if at != len(payload) {
		return nil, fmt.Errorf("%w: data left over: %d of %d bytes belong to a tensor", errWeights, at, len(payload))
	}
	return f, nil
}

// Sum computes the SHA-256 of the data section, in hex. It takes tens of milliseconds for 90 MB. A reduced file
// declares its own in Metadata[keyPayload].
func (f *weightsFile) Sum() string {
	return files.Hash(f.payload)
}
