package weights

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"airqa/internal/ledger"
)

// maxHeader is the header limit of the reference reader of safetensors.
const maxHeader = 100 << 20

// size returns the size of a supported or skipped dtype in bytes.
func size(dtype string) (int, bool) {
	switch dtype {
	case "BOOL", "U8", "I8", "F8_E4M3", "F8_E5M2":
		return 1, true
	case "U16", "I16", "F16", "BF16":
		return 2, true
	case "U32", "I32", "F32":
		return 4, true
	case "U64", "I64", "F64":
		return 8, true
	}
	return 0, false
}

// entry is the header of one tensor; the names are those of the format.
type entry struct {
	Dtype   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"`
}

func split(data []byte) (header, payload []byte, err error) {
	if len(data) < 8 {
		return nil, nil, fmt.Errorf("%w: only %d bytes", ErrFormat, len(data))
	}
	n := binary.LittleEndian.Uint64(data)
	if n > maxHeader || n > uint64(len(data)-8) {
		return nil, nil, fmt.Errorf("%w: header of %d bytes in a file of %d", ErrFormat, n, len(data))
	}
	return data[8 : 8+n], data[8+n:], nil
}

func parseEntry(text json.RawMessage, limit int) (entry, error) {
	var e entry
	if err := ledger.Strict(text, &e); err != nil {
		return e, err
	}
	want, ok := size(e.Dtype)
	if !ok {
		return e, fmt.Errorf("unknown dtype %q", e.Dtype)
	}
	if e.Offsets[0] < 0 || e.Offsets[1] < e.Offsets[0] || e.Offsets[1] > limit {
		return e, fmt.Errorf("offsets %v outside %d bytes of data", e.Offsets, limit)
	}
	for _, n := range e.Shape {
		if n < 0 || n > 0 && want > limit/n {
			return e, fmt.Errorf("shape %v does not fit the file", e.Shape)
		}
		want *= n
	}
	if want != e.Offsets[1]-e.Offsets[0] {
		return e, fmt.Errorf("shape %v of %s needs %d bytes, offsets hold %d", e.Shape, e.Dtype, want, e.Offsets[1]-e.Offsets[0])
	}
	return e, nil
}

func byOffset(header map[string]entry) []string {
	return slices.SortedFunc(maps.Keys(header), func(a, b string) int {
		x, y := header[a].Offsets, header[b].Offsets
		if c := slices.Compare(x[:], y[:]); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
}

// covered checks that the tensors cover the data without gaps.
func (f *File) covered() error {
	at := 0
	for _, name := range byOffset(f.header) {
		o := f.header[name].Offsets
		if o[0] != at {
			return fmt.Errorf("%w: tensor %q begins at byte %d, not at %d", ErrFormat, name, o[0], at)
		}
		at = o[1]
	}
	if at != len(f.payload) {
		return fmt.Errorf("%w: %w: %d of %d bytes belong to a tensor", ErrFormat, errGap, at, len(f.payload))
	}
	return nil
}

var errGap = errors.New("data left over")
