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

// large is the number of records from which a segment is repeated: a collection has many of these, and few small ones.
const large = 1 << 18

// repeat lists the large segments of a collection of generation 1 again in its manifest, as hard links, until it has as many
// records.
func repeat(folder string, records int) error {
	path := filepath.Join(folder, "manifest-1.json")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var m struct {
		Format     int             `json:"format"`
		Collection json.RawMessage `json:"collection"`
		Segments   []segment       `json:"segments"`
		Corpus     *corpus         `json:"corpus,omitempty"`
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return err
	}
	have, largest := 0, 0
	for _, s := range m.Segments {
		have, largest = have+s.Records, max(largest, s.Records)
	}
	own, originals := have, m.Segments
	for i := 0; have < records; i++ {
		s := originals[i%len(originals)]
		if s.Records < min(large, largest) {
			continue
		}
		copied := s
		copied.File = fmt.Sprintf("%06d.vec", 100000+i)
		if err := link(filepath.Join(folder, s.File), filepath.Join(folder, copied.File)); err != nil {
			return err
		}
		m.Segments, have = append(m.Segments, copied), have+s.Records
	}
	if m.Corpus != nil {
		m.Corpus.times(have / own)
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

// segment is a segment of a manifest without deleted records.
type segment struct {
	File       string `json:"file"`
	Records    int    `json:"records"`
	HeadCRC32C uint32 `json:"headCrc32c"`
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
