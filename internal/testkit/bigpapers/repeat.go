package bigpapers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// repeat lists the segments of a collection of generation 1 several times in its manifest, as hard links.
func repeat(folder string, times int) error {
	path := filepath.Join(folder, "manifest-1.json")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var m struct {
		Format     int              `json:"format"`
		Collection json.RawMessage  `json:"collection"`
		Segments   []map[string]any `json:"segments"`
		Corpus     *corpus          `json:"corpus,omitempty"`
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return err
	}
	var all []map[string]any
	for i := range times {
		for k, s := range m.Segments {
			copied := maps.Clone(s)
			copied["file"] = fmt.Sprintf("%06d.vec", 100000+i*len(m.Segments)+k)
			if err := link(filepath.Join(folder, fmt.Sprint(s["file"])), filepath.Join(folder, fmt.Sprint(copied["file"]))); err != nil {
				return err
			}
			all = append(all, copied)
		}
	}
	m.Segments = all
	if m.Corpus != nil {
		m.Corpus.times(times)
	}
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	body = bytes.TrimSuffix(body, []byte("}"))
	body = append(body, `,"crc32c":`...)
	sum := crc32.Checksum(body[:len(body)-len(`,"crc32c":`)], crc32.MakeTable(crc32.Castagnoli))
	return os.WriteFile(path, append(strconv.AppendUint(body, uint64(sum), 10), "}\n"...), 0o600)
}

// corpus is bm25.Corpus.
type corpus struct {
	Documents   int         `json:"documents"`
	Tokens      int         `json:"tokens"`
	Frequencies map[int]int `json:"frequencies"`
}

func (c *corpus) times(n int) {
	c.Documents, c.Tokens = c.Documents*n, c.Tokens*n
	old := c.Frequencies
	c.Frequencies = make(map[int]int)
	for _, df := range slices.Sorted(maps.Keys(old)) {
		c.Frequencies[df*n] += old[df]
	}
}
