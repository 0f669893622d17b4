package runlog

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

// A log that cannot be read to its end is an error, whether it fails between lines or within a long one.
func TestReadFails(t *testing.T) {
	broken := errors.New("input/output error")
	start := `{"type":"start","episode":"u#0","seq":1,"time":"2031-05-01T12:00:00Z"}` + "\n"
	for name, text := range map[string]string{
		"between lines": start, "within a line": start + start[:20], "within a long line": start + strings.Repeat("x", 3<<20),
	} {
		failing := func() io.Reader { return io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)) }
		r := Run{numbers: map[string]int{}}
		if err := r.scan(failing()); !errors.Is(err, broken) || len(r.UUIDs()) != 1 {
			t.Errorf("%s: scan of %v: %v", name, r.UUIDs(), err)
		}
		var errs []error
		for _, err := range wholeLines(failing(), new(int64)) {
			errs = append(errs, err)
		}
		if len(errs) != 2 || errs[0] != nil || !errors.Is(errs[1], broken) {
			t.Errorf("%s: lines: %v", name, errs)
		}
	}
}

// A log whose end cannot be read is not taken for an empty one.
func TestEndOfLogFails(t *testing.T) {
	file, err := os.OpenFile(filepath.Join(t.TempDir(), LogFile), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString("{}\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := lastLineEnd(file, 3); err == nil {
		t.Error("a file that is open for writing only was read")
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := lastLineEnd(file, 3); err == nil {
		t.Error("a closed file was read")
	}
}

// Lines longer than the buffer are read whole.
func TestLongLines(t *testing.T) {
	lines := []string{strings.Repeat("a", 3<<20) + "\n", "\n", strings.Repeat("b", 1<<20) + "\n", strings.Repeat("c", 2<<20)}
	var torn int64
	number := 0
	for got, err := range wholeLines(strings.NewReader(strings.Join(lines, "")), &torn) {
		if string(got) != lines[number] || err != nil {
			t.Errorf("line %d has %d bytes, %v", number+1, len(got), err)
		}
		number++
	}
	if number != 3 || torn != 2<<20 {
		t.Errorf("%d lines, and %d bytes of another", number, torn)
	}
}
