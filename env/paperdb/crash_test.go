package paperdb

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/qa"
)

// TestKilledPut kills a process between writing the rows of a paper and the commit. The database must be unchanged.
func TestKilledPut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "papers.duckdb")
	w, err := OpenWriter(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Put(t.Context(), large("before")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"before": chunks, "committed": chunks}
	for range 2 {
		killInPut(t, path)
		if diff := cmp.Diff(want, titles(t, path)); diff != "" {
			t.Fatalf("after the kill (-want +got):\n%s", diff)
		}
	}
	w, err = OpenWriter(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Put(t.Context(), large("after")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := titles(t, path); len(got) != 3 || got["after"] != chunks {
		t.Errorf("got %v", got)
	}
}

const chunks = 3000

// large returns a paper with enough rows for several batches of the appender.
func large(title string) Paper {
	id := qa.PaperUUID(title, "")
	p := Paper{Metadata: Metadata{PaperID: id, Title: title}}
	for k := range chunks {
		p.Chunks = append(p.Chunks, Chunk{ID: qa.PartUUID(id, 1, "chunk", k), Text: strings.Repeat("x", 200), Ordinal: k})
	}
	return p
}

// killInPut runs this test binary as a child that commits one paper, replaces another and stops before the commit.
func killInPut(t *testing.T, path string) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestChild$")
	child.Env = append(os.Environ(), "AIRQA_TEST_DATABASE="+path)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if line != "written\n" {
		t.Errorf("child said %q, %v", line, err)
	}
	// While the writer is alive, readers get an error that names the reason.
	if _, err := OpenReader(t.Context(), Config{Path: path}); err == nil || !strings.Contains(err.Error(), "another program is using it") {
		t.Errorf("open beside a writer: got %v", err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Error(err)
	}
	_, _ = io.Copy(io.Discard, out)
	_ = child.Wait() // it was killed
}

// TestChild is the child of killInPut.
func TestChild(t *testing.T) {
	path := os.Getenv("AIRQA_TEST_DATABASE")
	if path == "" {
		t.Skip("runs as a child of TestKilledPut")
	}
	w, err := OpenWriter(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Put(t.Context(), large("committed")); err != nil {
		t.Fatal(err)
	}
	w.beforeCommit = func() {
		_, _ = os.Stdout.WriteString("written\n")
		select {}
	}
	replaced := large("before")
	replaced.Chunks = replaced.Chunks[:10]
	t.Fatal(w.Put(t.Context(), replaced))
}

// titles maps the titles to their numbers of chunks; "committed" is present after the first kill and must be complete.
func titles(t *testing.T, path string) map[string]int {
	t.Helper()
	r, err := OpenReader(t.Context(), Config{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	names := make(map[string]string)
	for n, err := range r.Names(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		names[n.PaperID] += n.Title
	}
	counts := make(map[string]int)
	for c, err := range r.Cells(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if c.Table == "chunks" {
			counts[names[c.PaperID]]++
		}
	}
	if n, ok := counts["committed"]; ok && n != chunks {
		t.Errorf("the committed paper has %d chunks", n)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return counts
}
