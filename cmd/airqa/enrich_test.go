package main

import (
	"path/filepath"
	"strings"
	"testing"

	"airqa/internal/testkit/openaitest"
	"airqa/llm/cache"
)

// One airqa enrich at a time uses a data directory. Its replies are found at another address of the model, too.
func TestEnrichReplies(t *testing.T) {
	dir := t.TempDir()
	if err := unpackPapers(filepath.Join(dir, "papers")); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(dir, "data")
	program := func(want int, args ...string) string {
		t.Helper()
		out, code := runProgram(t, append(args, "--data", data)...)
		if code != want {
			t.Fatalf("airqa %s ended with %d, want %d:\n%s", strings.Join(args, " "), code, want, out)
		}
		return out
	}
	program(exitDone, "ingest", filepath.Join(dir, "papers", "prunella.pdf"))
	answer := func([]openaitest.Message) string { return "one, two, three" }
	for i, want := range []bool{true, false} {
		s := openaitest.New(openaitest.Config{Reply: answer})
		t.Cleanup(s.Close)
		out := program(exitDone, "enrich", "--again", "--fields", "tldr,tags", "--model", "openai:m", "--base-url", s.URL())
		if asked := s.Calls() == 2; asked != want || !strings.Contains(out, "0 still empty") {
			t.Errorf("address %d: %d calls\n%s", i+1, s.Calls(), out)
		}
	}
	store, err := cache.Open(filepath.Join(data, cache.Folder), cache.Config{Exclusive: true})
	if err != nil {
		t.Fatal(err)
	}
	out := program(exitFailed, "enrich", "--model", "openai:m", "--base-url", "http://127.0.0.1:1/v1")
	if want := data + ": another airqa enrich is using it; wait until it is done"; !strings.Contains(out, want) {
		t.Errorf("%q is not in:\n%s", want, out)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
}
