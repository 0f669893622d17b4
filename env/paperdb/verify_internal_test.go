package paperdb

import (
	"path/filepath"
	"strings"
	"testing"

	"airqa/qa"
)

// verify reports rows with truncated text.
func TestVerifyFindsCutText(t *testing.T) {
	w, err := OpenWriter(t.Context(), filepath.Join(t.TempDir(), "papers.duckdb"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	p := Paper{Metadata: Metadata{PaperID: qa.PaperUUID("x", ""), Title: "Short", Authors: []string{"Ada"}}}
	if err := w.Put(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	conn, err := w.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	for _, change := range []func(*Metadata){
		func(m *Metadata) { m.Title = "Short and the rest" },
		func(m *Metadata) { m.Authors = []string{"Ada", "Grace"} },
	} {
		sent := p
		change(&sent.Metadata)
		rows, err := tableRows(sent)
		if err != nil {
			t.Fatal(err)
		}
		if err := rows[0].verify(t.Context(), conn, p.Metadata.PaperID); err == nil || !strings.Contains(err.Error(), "bytes of text") {
			t.Errorf("got %v", err)
		}
	}
}
