package paperdb

import (
	"fmt"
	"strings"
	"testing"
)

// The cache returns what it was given, and its size is bounded.
func TestPassed(t *testing.T) {
	var p passed
	long := strings.Repeat("x", 10_000)
	for i := range 1000 {
		text := fmt.Sprint("SELECT ", i, long)
		p.keep(text, statement{text: text + " changed", tables: []string{"chunks"}})
		s, ok := p.get(text)
		if !ok || s.text != text+" changed" || len(s.tables) != 1 || s.tables[0] != "chunks" {
			t.Fatalf("statement %d: %+v, %v", i, s, ok)
		}
		s.tables[0] = "changed"
		if p.size > maxPassedBytes || len(p.statements) > maxPassedBytes/20_000 {
			t.Fatalf("%d statements of %d bytes", len(p.statements), p.size)
		}
		if s, _ := p.get(text); s.tables[0] != "chunks" {
			t.Fatal("a caller changed the tables")
		}
	}
	p.keep(strings.Repeat(long, 10), statement{})
	if _, ok := p.get(strings.Repeat(long, 10)); ok {
		t.Error("a statement of 100 KB is kept")
	}
}
