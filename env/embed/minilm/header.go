package minilm

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"airqa/internal/ledger"
)

// sizes has the size of each supported or skipped dtype in bytes.
var sizes = map[string]int{
	"BOOL": 1, "U8": 1, "I8": 1, "F8_E4M3": 1, "F8_E5M2": 1, "U16": 2, "I16": 2, "F16": 2, "BF16": 2,
	"U32": 4, "I32": 4, "F32": 4, "U64": 8, "I64": 8, "F64": 8,
}

// entry is the header of one tensor; the names are those of the format.
type entry struct {
	Dtype   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"`
}

func parseEntry(text json.RawMessage, limit int) (entry, error) {
	var e entry
	if err := ledger.Strict(text, &e); err != nil {
		return e, err
	}
	want, ok := sizes[e.Dtype]
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
		return cmp.Or(slices.Compare(x[:], y[:]), strings.Compare(a, b))
	})
}
