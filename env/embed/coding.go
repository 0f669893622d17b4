package embed

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
)

// coding is how an endpoint writes vectors: as base64 of float32, a third of the bytes and quick to read, or as numbers.
// Base64 is requested until the endpoint refuses it or sends numbers.
type coding int32

const (
	unknown coding = iota
	floats
	packed
)

// format is the value of encoding_format.
func (c coding) format() string {
	if c == floats {
		return "float"
	}
	return "base64"
}

// vector is a vector in a response, in either coding.
type vector struct {
	numbers []float32
	coding  coding
}

// UnmarshalJSON reads a string of base64 or an array of numbers.
func (v *vector) UnmarshalJSON(raw []byte) error {
	if len(raw) == 0 || raw[0] != '"' {
		v.coding = floats
		return json.Unmarshal(raw, &v.numbers)
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return err
	}
	bytes, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(bytes)%4 != 0 {
		return fmt.Errorf("a vector is neither an array of numbers nor base64 of float32: %.40q", text)
	}
	v.numbers, v.coding = make([]float32, len(bytes)/4), packed
	for i := range v.numbers {
		v.numbers[i] = math.Float32frombits(binary.LittleEndian.Uint32(bytes[4*i:]))
	}
	return nil
}

// refusedError is a response with another status than 200.
type refusedError struct {
	status int
	text   string
	body   []byte
}

func (e *refusedError) Error() string { return "endpoint responded " + e.text }
