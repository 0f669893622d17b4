package terminal_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/terminal"
)

// Away from a terminal there is a line now and then, and a last one, without control characters.
func TestPlainLines(t *testing.T) {
	var out bytes.Buffer
	clock := time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC)
	r := &terminal.Progress{Out: &out, Now: func() time.Time { return clock }}
	s := r.Stage("ingest", 9)
	for i := range 9 {
		clock = clock.Add(2 * time.Second)
		s.Set(i+1, "file\x1b.pdf")
	}
	s.Close("9 added")
	want := `ingest: 3/9 file\x1b.pdf, 12s left
ingest: 6/9 file\x1b.pdf, 6s left
ingest: 9/9 file\x1b.pdf
ingest: 9 added (18s)
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

// Work done by an earlier invocation does not count in the time left.
func TestTimeLeft(t *testing.T) {
	var out bytes.Buffer
	clock := time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC)
	s := (&terminal.Progress{Out: &out, Now: func() time.Time { return clock }}).Stage("run", 1000)
	s.Skip(900)
	clock = clock.Add(time.Minute)
	s.Set(910, "")
	if got := out.String(); got != "run: 910/1000, 9m0s left\n" {
		t.Errorf("line %q", got)
	}
}

// A bar ends at its last word, also when the work stopped half way or had nothing to do.
func TestBarsEnd(t *testing.T) {
	for _, total := range []int{0, 3, 9} {
		var out bytes.Buffer
		s := (&terminal.Progress{Out: &out, Bars: true}).Stage("run", total)
		s.Set(min(total, 3), "")
		done := make(chan struct{})
		go func() {
			defer close(done)
			s.Close("stopped")
		}()
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			t.Fatalf("a bar of %d does not end", total)
		}
		if out.Len() == 0 {
			t.Errorf("a bar of %d shows nothing", total)
		}
	}
}

// A log of a day has some lines an hour, not thousands.
func TestLongWorkIsToldSeldom(t *testing.T) {
	var out bytes.Buffer
	clock := time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC)
	s := (&terminal.Progress{Out: &out, Now: func() time.Time { return clock }}).Stage("run", 100_000)
	for i := range 24 * 60 * 60 {
		clock = clock.Add(time.Second)
		s.Set(i, "")
	}
	if n := bytes.Count(out.Bytes(), []byte("\n")); n < 1440 || n > 1600 {
		t.Errorf("%d lines in a day, want about one a minute", n)
	}
}
