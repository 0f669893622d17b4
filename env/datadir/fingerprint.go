package datadir

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Source is what a fingerprint knows of one paper.
type Source struct {
	PaperID string
	// SHA256 is the hash of the PDF and MetadataSHA256 that of its metadata file; Parser names the program
	// version that read them.
	SHA256, MetadataSHA256, Parser string
}

// Fingerprint is a hash of what a data directory was made from, in lower-case hex. It depends neither on the
// order of sources nor on where the directory lies, so a copy has the same one; a run records it.
func Fingerprint(sources []Source) string {
	sorted := slices.Clone(sources)
	slices.SortFunc(sorted, func(a, b Source) int { return strings.Compare(a.PaperID, b.PaperID) })
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "airqa data %d\n", Format) // a hash never fails to write
	for _, s := range sorted {
		_, _ = fmt.Fprintf(h, "%q %q %q %q\n", s.PaperID, s.SHA256, s.MetadataSHA256, s.Parser)
	}
	return hex.EncodeToString(h.Sum(nil))
}
