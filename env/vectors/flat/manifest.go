package flat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"

	"airqa/env/vectors"
	"airqa/env/vectors/bm25"
	"airqa/internal/files"
	"airqa/internal/lazyregexp"
	"airqa/internal/ledger"
)

// manifest describes one generation N of a collection, as the JSON file manifest-N.json in its folder. Every change replaces
// it atomically. Files that no manifest lists are not part of the collection.
type manifest struct {
	Format     int                `json:"format"`
	Collection vectors.Collection `json:"collection"`
	Segments   []segment          `json:"segments"`
	// Corpus has the statistics of a collection of words.
	Corpus bm25.Corpus `json:"corpus,omitzero"`
	// CRC32C is the checksum of what comes before it in the file; it is the last key.
	CRC32C uint32 `json:"crc32c,omitempty"`
}

type segment struct {
	// File is the name of the segment, Gone of the list of its deleted records; empty for none.
	File string `json:"file"`
	Gone string `json:"gone,omitempty"`
	// Records is the number of live records, Dead of deleted ones.
	Records int `json:"records"`
	Dead    int `json:"dead,omitempty"`
	// HeadCRC32C and GoneCRC32C are the checksums of the heads of both files, which contain those of their sections; 0 is
	// not checked.
	HeadCRC32C uint32 `json:"headCrc32c,omitempty"`
	GoneCRC32C uint32 `json:"goneCrc32c,omitempty"`
}

const manifestFormat = 1

// sumKey comes before the checksum in the file.
const sumKey = `,"crc32c":`

var (
	segmentName  = lazyregexp.New(`^(\d{1,9})\.(vec|gone)$`)
	manifestName = lazyregexp.New(`^manifest-(\d{1,9})\.json$`)
)

func manifestFile(generation int) string { return fmt.Sprintf("manifest-%d.json", generation) }

// readManifest returns the manifest of a collection; fs.ErrNotExist is wrapped if there is no such collection.
func readManifest(dir string, generation int) (manifest, error) {
	text, err := os.ReadFile(filepath.Join(dir, manifestFile(generation)))
	if err != nil {
		return manifest{}, err
	}
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("manifest: %w: %w", err, errDamaged)
	}
	if end := bytes.LastIndex(text, []byte(sumKey)); end < 0 || sumOf(text[:end]) != m.CRC32C {
		return m, fmt.Errorf("checksum of the manifest: %w", errDamaged)
	}
	if m.Format != manifestFormat {
		return m, fmt.Errorf("manifest of format %d, not %d; %w", m.Format, manifestFormat, errFormat)
	}
	if err := errors.Join(ledger.Strict(text, &m), m.Collection.Check()); err != nil {
		return m, fmt.Errorf("manifest: %w: %w", err, errDamaged)
	}
	for _, s := range m.Segments {
		if !segmentName.MatchString(s.File) || s.Gone != "" && !segmentName.MatchString(s.Gone) { // no other path may be opened
			return m, fmt.Errorf("manifest: segment %.40q: %w", s.File, errDamaged)
		}
	}
	return m, nil
}

func (m manifest) write(dir string, generation int) error {
	m.Format, m.CRC32C = manifestFormat, 0
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	text = bytes.TrimSuffix(text, []byte("}"))
	text = fmt.Appendf(text, "%s%d}\n", sumKey, sumOf(text))
	return files.WriteFile(filepath.Join(dir, manifestFile(generation)), text)
}

func sumOf(text []byte) uint32 { return crc32.Checksum(text, castagnoli()) }
