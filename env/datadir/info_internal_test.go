package datadir

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// Fingerprints are recorded, so the lines that they hash may never change.
func TestLineIsQuoted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		field := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ -~]*`), rapid.Just("\xff\x00\u00e9"))
		s := Source{PaperID: field.Draw(t, "id"), SHA256: field.Draw(t, "hash"), Parser: field.Draw(t, "parser")}
		if want := fmt.Sprintf("%q %q %q %q\n", s.PaperID, s.SHA256, s.MetadataSHA256, s.Parser); string(s.appendLine(nil)) != want {
			t.Fatalf("got %q, want %q", string(s.appendLine(nil)), want)
		}
	})
}
