package trace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"airqa/runlog"
	"airqa/trace"
	"airqa/trace/cause"

	"github.com/google/go-cmp/cmp"
)

// openIn opens the notes of a run for an author, whose clock starts at a minute.
func openIn(t *testing.T, dir, author string, minute int) *trace.NoteFile {
	t.Helper()
	at := time.Date(2031, 5, 1, 12, minute, 0, 0, time.UTC)
	f, err := trace.OpenNotes(dir, trace.NoteConfig{Author: author, Now: func() time.Time { at = at.Add(time.Second); return at }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func runDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := runlog.Create(dir, runlog.Config{}, nil); err != nil {
		t.Fatal(err)
	}
	return dir
}

func add(t *testing.T, f *trace.NoteFile, n trace.Note) trace.Note {
	t.Helper()
	kept, err := f.Add(n)
	if err != nil {
		t.Fatal(err)
	}
	return kept
}

func texts(list []trace.Note) []string {
	var out []string
	for _, n := range list {
		out = append(out, n.Author+" "+n.Text+string(n.Cause))
	}
	return out
}

func TestNotes(t *testing.T) {
	dir := runDir(t)
	f := openIn(t, dir, "ada", 0)
	first := add(t, f, trace.Note{Episode: "a#0", Step: 2, Field: "observation.text", First: 3, End: 6, Quote: "foo", Text: "look here"})
	add(t, f, trace.Note{Episode: "b#0", Text: "other"})
	add(t, f, trace.Note{Episode: "a#0", Text: "second"})
	if diff := cmp.Diff([]string{"ada look here", "ada second"}, texts(f.Of("a#0"))); diff != "" {
		t.Error(diff)
	}
	if err := f.Remove(first.ID); err != nil {
		t.Fatal(err)
	}
	if err := f.Remove("nothing"); err == nil {
		t.Error("a note that is not there was removed")
	}
	again := openIn(t, dir, "bob", 1)
	if diff := cmp.Diff([]string{"ada second"}, texts(again.Of("a#0"))); diff != "" {
		t.Error(diff)
	}
	if first.Stale("...foo...") || !first.Stale("...bar...") || !first.Stale("x") {
		t.Error("Stale is wrong")
	}
}

func TestDecisions(t *testing.T) {
	f := openIn(t, runDir(t), "ada", 0)
	for _, c := range []cause.Code{cause.Repetition, cause.WrongGold} {
		if err := f.Decide("a#0", c); err != nil {
			t.Fatal(err)
		}
	}
	if n := f.Decisions()["a#0"]; n.Cause != cause.WrongGold {
		t.Errorf("the newest decision does not count: %v", n)
	}
	for _, want := range []cause.Code{cause.Repetition, ""} {
		if err := f.Undecide("a#0"); err != nil {
			t.Fatal(err)
		}
		if n := f.Decisions()["a#0"]; n.Cause != want {
			t.Errorf("cause %q, want %q", n.Cause, want)
		}
	}
	if err := f.Undecide("a#0"); err == nil {
		t.Error("a decision that is not there was removed")
	}
	if err := f.Decide("a#0", "nonsense"); err == nil {
		t.Error("an unknown cause was accepted")
	}
	if got := f.Decisions(); len(got) != 0 {
		t.Errorf("decisions left: %v", got)
	}
}

// TestTwoWriters has two processes' worth of files at one directory: each sees the other's notes.
func TestTwoWriters(t *testing.T) {
	dir := runDir(t)
	a := openIn(t, dir, "ada", 0)
	add(t, a, trace.Note{Episode: "a#0", Text: "one"})
	b := openIn(t, dir, "bob", 1)
	add(t, b, trace.Note{Episode: "a#0", Text: "two"})
	add(t, a, trace.Note{Episode: "a#0", Text: "three"})
	for name, f := range map[string]*trace.NoteFile{"a": a, "b": b} {
		if got := len(f.Of("a#0")); got != 3 {
			t.Errorf("%s sees %d notes: %v", name, got, texts(f.Of("a#0")))
		}
	}
}

func TestMerge(t *testing.T) {
	left, right := runDir(t), runDir(t)
	a := openIn(t, left, "ada", 0)
	gone := add(t, a, trace.Note{Episode: "a#0", Text: "one"})
	raw, err := os.ReadFile(filepath.Join(left, trace.NotesFileName))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(right, trace.NotesFileName), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	b := openIn(t, right, "bob", 1)
	add(t, b, trace.Note{Episode: "a#0", Text: "two"})
	if err := b.Remove(gone.ID); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{2, 0} {
		if added, err := a.Merge(filepath.Join(right, trace.NotesFileName)); added != want || err != nil {
			t.Errorf("%d added, %v; want %d", added, err, want)
		}
	}
	if diff := cmp.Diff([]string{"bob two"}, texts(a.Of("a#0"))); diff != "" {
		t.Error(diff)
	}
	bad := filepath.Join(right, "bad.jsonl")
	if err := os.WriteFile(bad, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Merge(bad); err == nil || !strings.Contains(err.Error(), "bad.jsonl:1") {
		t.Errorf("error %v", err)
	}
}

// TestDamaged leaves out a line that is no note, and does not follow a link out of the run.
func TestDamagedNotes(t *testing.T) {
	dir := runDir(t)
	add(t, openIn(t, dir, "ada", 0), trace.Note{Episode: "a#0", Text: "one"})
	path := filepath.Join(dir, trace.NotesFileName)
	raw, _ := os.ReadFile(path)
	if err := os.WriteFile(path, append([]byte("not json\n"), raw...), 0o600); err != nil {
		t.Fatal(err)
	}
	f := openIn(t, dir, "ada", 1)
	if f.Damaged() != 1 || len(f.All()) != 1 {
		t.Errorf("%d damaged, %d notes", f.Damaged(), len(f.All()))
	}
	linked := runDir(t)
	if err := os.Symlink(path, filepath.Join(linked, trace.NotesFileName)); err != nil {
		t.Fatal(err)
	}
	if _, err := trace.OpenNotes(linked, trace.NoteConfig{}); err == nil {
		t.Error("a link was followed")
	}
}
