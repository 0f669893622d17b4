package runlog_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"airqa/internal/testkit/recordtest"
	"airqa/runlog"
)

// A copy that was killed continues where it ended; what the run did by itself stays.
func TestCopyEpisode(t *testing.T) {
	from := recordtest.Make(t, recordtest.Config{Dir: recordtest.Dir(t, "from"), Baseline: "agentic-rag", Questions: 2}).Run
	log := logOf(t, from.Dir)
	lines := bytes.SplitAfter(log, []byte("\n"))
	own := bytes.Replace(lines[0], []byte(`"time":"`), []byte(`"time":"1`), 1)
	tests := []struct {
		name         string
		before, want []byte
	}{
		{"empty", nil, log},
		{"torn line", lines[0][:len(lines[0])/2], log},
		{"first line", lines[0], log},
		{"two lines and a torn one", log[:len(lines[0])+len(lines[1])+5], log},
		{"last line torn", log[:len(log)-1], log},
		{"whole", log, log},
		{"its own", own, own},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			config, err := os.ReadFile(filepath.Join(from.Dir, runlog.RunFile))
			for name, data := range map[string][]byte{runlog.RunFile: config, runlog.LogFile: tt.before} {
				if err == nil {
					err = os.WriteFile(filepath.Join(dir, name), data, 0o600)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			w, err := runlog.OpenWriter(dir, runlog.WriterConfig{})
			if err != nil {
				t.Fatal(err)
			}
			have, err := runlog.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range from.UUIDs() {
				if tt.name == "its own" && id != from.UUIDs()[0] {
					continue
				}
				if err := w.CopyEpisode(from, have, id); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if got := logOf(t, dir); !bytes.Equal(got, tt.want) {
				t.Errorf("%d bytes, want %d", len(got), len(tt.want))
			}
		})
	}
}

func logOf(t *testing.T, dir string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, runlog.LogFile))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
