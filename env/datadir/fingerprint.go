package datadir

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Source identifies the input of one paper.
type Source struct {
	PaperID string
	// SHA256 is the hash of the PDF, MetadataSHA256 the hash of its metadata file; Parser is the program version that
	// read them.
	SHA256, MetadataSHA256, Parser string
}

// Fingerprint returns a hash of the sources of a data directory, in lower-case hex. It does not depend on the order of
// the sources or the location of the directory, so copies share it. Runs record it.
func Fingerprint(sources []Source) string {
	sorted := slices.Clone(sources)
	slices.SortFunc(sorted, func(a, b Source) int { return strings.Compare(a.PaperID, b.PaperID) })
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "airqa data %d\n", Format) // hash.Hash never returns an error
	for _, s := range sorted {
		_, _ = fmt.Fprintf(h, "%q %q %q %q\n", s.PaperID, s.SHA256, s.MetadataSHA256, s.Parser)
	}
	return hex.EncodeToString(h.Sum(nil))
}
