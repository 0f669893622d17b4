package runlog_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"airqa/qa"
	"airqa/runlog"
)

var errDisk = errors.New("disk failure")

// disk fails the named operations and counts all of them.
type disk struct {
	fails map[string]bool
	calls map[string]int
}

func (d *disk) fault(name string, n int) (int, error) {
	d.calls[name]++
	if d.fails[name] {
		return n / 2, errDisk
	}
	return n, nil
}

// onDisk is a writer whose operations fail on demand.
func onDisk(t *testing.T, dir string) (*runlog.Writer, *disk) {
	t.Helper()
	d := &disk{fails: map[string]bool{}, calls: map[string]int{}}
	w, err := runlog.OpenWriter(dir, runlog.WriterConfig{Now: now, Fault: d.fault})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w, d
}

func begin(t *testing.T, w *runlog.Writer) *runlog.Episode {
	t.Helper()
	e, err := w.Begin("u", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// The end of an episode and a copy report a failed sync, and the next sync tries again.
func TestFailedSync(t *testing.T) {
	w, d := onDisk(t, create(t))
	e := begin(t, w)
	d.fails["sync"] = true
	if err := e.End(qa.Trajectory{Outcome: qa.Answered}); !errors.Is(err, errDisk) {
		t.Errorf("end: %v; the line is in the log, but not on disk", err)
	}
	if err := w.Copy(nil, nil); !errors.Is(err, errDisk) {
		t.Errorf("copy: %v", err)
	}
	d.fails["sync"] = false
	if err := w.Sync(); err != nil {
		t.Errorf("after the failure: %v", err)
	}
	before := d.calls["sync"]
	if err := w.Sync(); err != nil || d.calls["sync"] != before {
		t.Errorf("nothing new was synced %d times, %v", d.calls["sync"]-before, err)
	}
}

// A sync never reports success for lines that are not on disk.
func TestSyncAfterClose(t *testing.T) {
	w, d := onDisk(t, create(t))
	if err := begin(t, w).Message(qa.Message{Role: qa.User, Text: "m"}); err != nil {
		t.Fatal(err)
	}
	d.fails["sync"] = true
	if err := w.Close(); !errors.Is(err, errDisk) {
		t.Errorf("close: %v", err)
	}
	d.fails["sync"] = false
	if err := w.Sync(); err == nil {
		t.Error("a closed file was synced")
	}
}

// A line is synced by the first write that comes more than a second after the last sync.
func TestSyncIsDue(t *testing.T) {
	d := &disk{calls: map[string]int{}}
	at := clock
	w, err := runlog.OpenWriter(create(t), runlog.WriterConfig{Now: func() time.Time { return at }, Fault: d.fault})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	e := begin(t, w)
	for _, step := range []struct {
		after time.Duration
		syncs int
	}{{0, 1}, {time.Second, 1}, {time.Nanosecond, 2}, {0, 2}, {time.Hour, 3}} {
		at = at.Add(step.after)
		if err := e.Message(qa.Message{Role: qa.User, Text: "m"}); err != nil || d.calls["sync"] != step.syncs {
			t.Errorf("%v later: %d syncs, want %d; %v", step.after, d.calls["sync"], step.syncs, err)
		}
	}
}

// An event that JSON cannot represent leaves no gap in the numbers of its episode.
func TestUnencodableEvent(t *testing.T) {
	dir := create(t)
	w, _ := onDisk(t, dir)
	e := begin(t, w)
	if err := e.Call(qa.Step{N: 1, Reply: &qa.Reply{}, Called: &qa.ToolCall{Arguments: json.RawMessage("{")}}); err == nil {
		t.Error("invalid arguments were written")
	}
	if err := e.End(qa.Trajectory{Outcome: qa.Answered}); err != nil {
		t.Fatal(err)
	}
	if _, got := read(t, dir); got[0].Events != 2 || !got[0].Finished() {
		t.Errorf("read %+v", got)
	}
}

// A line that was written in part, and could not be removed at first, is removed before the next one.
func TestHalfLine(t *testing.T) {
	dir := create(t)
	w, d := onDisk(t, dir)
	e := begin(t, w)
	message := func(text string) error { return e.Message(qa.Message{Role: qa.User, Text: text}) }
	for _, fails := range []map[string]bool{{runlog.LogFile: true, "truncate": true}, {"truncate": true}, {runlog.LogFile: true}} {
		d.fails = fails
		if err := message("lost"); !errors.Is(err, errDisk) {
			t.Fatalf("%v fail: %v", fails, err)
		}
	}
	d.fails = nil
	if err := message("kept"); err != nil {
		t.Fatal(err)
	}
	r, got := read(t, dir)
	if r.Torn != 0 || len(r.BadLines) != 0 || len(got) != 1 || len(got[0].Messages) != 1 || got[0].Messages[0].Text != "kept" {
		t.Errorf("torn %d, bad lines %v, episodes %+v", r.Torn, r.BadLines, got)
	}
}

// Opening a log removes what follows its last newline, and nothing else.
func TestOpenTornLog(t *testing.T) {
	far := strings.Repeat("x", 100<<10) // more than is read at once
	block := strings.Repeat("x", 64<<10)
	for _, tt := range []struct{ name, whole, torn string }{
		{"empty", "", ""},
		{"one newline", "\n", ""},
		{"whole lines", "a\nb\n", ""},
		{"one byte", "", "x"},
		{"no whole line", "", "half a line"},
		{"after a line", "a\nb\n", "c"},
		{"long", "a\n" + far + "\n", far},
		{"long without a whole line", "", far},
		{"newline before a block", far + "\n", block},
		{"newline at the start of a block", far + "\n", block[1:]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := create(t)
			path := filepath.Join(dir, runlog.LogFile)
			if err := os.WriteFile(path, []byte(tt.whole+tt.torn), 0o600); err != nil {
				t.Fatal(err)
			}
			if w := writer(t, dir, nil); w.Torn != int64(len(tt.torn)) {
				t.Errorf("%d bytes removed, want %d", w.Torn, len(tt.torn))
			}
			if raw, err := os.ReadFile(path); err != nil || string(raw) != tt.whole {
				t.Errorf("%d bytes left, want %d; %v", len(raw), len(tt.whole), err)
			}
		})
	}
}

// A whole log keeps its time of modification when a writer opens it.
func TestOpenWholeLog(t *testing.T) {
	dir := create(t)
	path := filepath.Join(dir, runlog.LogFile)
	if err := os.WriteFile(path, []byte("a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	old := clock.AddDate(-10, 0, 0)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	writer(t, dir, nil)
	if info, err := os.Stat(path); err != nil || !info.ModTime().Equal(old) {
		t.Errorf("modified %v, %v", info.ModTime(), err)
	}
}

// A writer that cannot open the log releases the directory.
func TestLockAfterFailedOpen(t *testing.T) {
	dir := create(t)
	path := filepath.Join(dir, runlog.LogFile)
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := runlog.OpenWriter(dir, runlog.WriterConfig{}); err == nil || errors.Is(err, runlog.ErrLocked) {
		t.Fatalf("a folder as log: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	begin(t, writer(t, dir, nil))
}

// Whatever an episode cannot write is an error, and the episode resumes without a gap.
func TestFailedWrites(t *testing.T) {
	image := []qa.Image{{SHA256: runlog.Hash("png"), Data: []byte("png")}}
	imageFile, system := filepath.Join("images", runlog.Hash("png")+".png"), strings.Repeat(long, 5)
	seen := qa.Step{N: 1, By: qa.ByProgram, Observation: &qa.Observation{Status: qa.StatusOK, Text: "t", Images: image, Full: "full"}}
	for _, tt := range []struct {
		name, file string
		write      func(e *runlog.Episode) error
	}{
		{"system prompt", filepath.Join("texts", runlog.Hash(system)+".txt"), func(e *runlog.Episode) error {
			return e.Message(qa.Message{Role: qa.System, Text: system})
		}},
		{"image of a message", imageFile, func(e *runlog.Episode) error {
			return e.Message(qa.Message{Role: qa.User, Images: image})
		}},
		{"image of an observation", imageFile, func(e *runlog.Episode) error { return e.Observation(seen) }},
		{"full text", filepath.Join("texts", runlog.Hash("full")+".txt"), func(e *runlog.Episode) error { return e.Observation(seen) }},
		{"observation", runlog.LogFile, func(e *runlog.Episode) error { return e.Observation(seen) }},
		{"lost requests", runlog.LogFile, func(e *runlog.Episode) error { return e.Lost([]qa.Attempt{{Status: 500}}) }},
		{"end", runlog.LogFile, func(e *runlog.Episode) error {
			return e.End(qa.Trajectory{FailedAttempts: []qa.Attempt{{Status: 500}}})
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := create(t)
			w, d := onDisk(t, dir)
			e := begin(t, w)
			d.fails[tt.file] = true
			if err := tt.write(e); !errors.Is(err, errDisk) {
				t.Fatalf("error %v", err)
			}
			d.fails = nil
			if err := errors.Join(tt.write(e), e.End(qa.Trajectory{FailedAttempts: []qa.Attempt{{Status: 500}}})); err != nil {
				t.Fatal(err)
			}
			if _, got := read(t, dir); len(got[0].FailedAttempts) != 1 {
				t.Errorf("requests without a reply: %+v", got[0].FailedAttempts)
			}
		})
	}
	w, d := onDisk(t, create(t))
	d.fails[runlog.LogFile] = true
	if _, err := w.Begin("u", 0, nil); !errors.Is(err, errDisk) {
		t.Errorf("start: %v", err)
	}
	if err := w.KeepTexts(map[string]string{"Query": "tool"}); err != nil {
		t.Errorf("tool texts: %v", err)
	}
	d.fails[filepath.Join("texts", runlog.Hash("View")+".txt")] = true
	if err := w.KeepTexts(map[string]string{"View": "View"}); !errors.Is(err, errDisk) {
		t.Errorf("tool texts: %v", err)
	}
}
