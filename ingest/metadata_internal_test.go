package ingest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env/paperdb"
	"airqa/ingest/sources"
	"airqa/qa"
)

func TestMetadataWinsFieldByField(t *testing.T) {
	guessed := paperdb.Metadata{Title: "A Gussed Title", Abstract: "What was read.", NumPages: 7}
	m, err := parseMetadata("p.json", []byte(`{"title": "A Guessed Title", "conference": "ACL", "year": 2031, "volume": null,
		"authors": ["A. One"], "abstract": "", "pdf_url": "https://example.org/p.pdf", "something_else": [1, 2]}`))
	if err != nil {
		t.Fatal(err)
	}
	override(&guessed, m)
	want := paperdb.Metadata{
		PaperID: qa.PaperUUID("A Guessed Title", "acl2031"), Title: "A Guessed Title", Abstract: "What was read.", NumPages: 7,
		Conference: "ACL", Year: 2031, Authors: []string{"A. One"}, DownloadURL: "https://example.org/p.pdf",
	}
	if diff := cmp.Diff(want, guessed); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestItsUUIDWinsToo(t *testing.T) {
	const id = "0B2E9A4C-5D8B-5F1E-9C77-0A8D6E2F4B10"
	m, err := parseMetadata("p.json", []byte(`{"uuid": "`+id+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	row := paperdb.Metadata{Title: "T"}
	override(&row, m)
	if row.PaperID != strings.ToLower(id) {
		t.Errorf("got %s", row.PaperID)
	}
}

func TestWithoutMetadataTheVenueIsUnknown(t *testing.T) {
	row := paperdb.Metadata{Title: "Attention Is All You Need"}
	override(&row, sources.Metadata{})
	if want := qa.PaperUUID("attentionisallyouneed", qa.Uncategorized); row.PaperID != want {
		t.Errorf("got %s, want %s", row.PaperID, want)
	}
}

func TestBadMetadataNamesFileAndByte(t *testing.T) {
	for _, tt := range []struct{ name, data, want string }{
		{"cut off", `{"title": "A`, "papers/p.json, byte 12"},
		{"wrong kind", `{"year": "2031"}`, `byte 15: "year" must be a int, not a string`},
		{"on a line", "{\n\n\"year\": x}", "(line 3)"},
		{"on a line after a mark", "\ufeff{\n\"year\": \"x\"}", "(line 2)"},
		{"no uuid", `{"uuid": "p1"}`, `uuid "p1" is not a uuid`},
		{"empty", ``, "papers/p.json, byte 0"},
	} {
		_, err := parseMetadata("papers/p.json", []byte(tt.data))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q in it", tt.name, err, tt.want)
		}
	}
}

// Metadata that a person saved in another encoding is the same.
func TestEncodedMetadata(t *testing.T) {
	const text = `{"title": "A Title"}`
	var wide []byte
	for _, c := range []byte(text) {
		wide = append(wide, c, 0)
	}
	for name, raw := range map[string]string{"mark": "\ufeff" + text, "UTF-16": "\xff\xfe" + string(wide), "UTF-16 without mark": string(wide)} {
		if m, err := parseMetadata("p.json", []byte(raw)); err != nil || m.Title != "A Title" {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
}
