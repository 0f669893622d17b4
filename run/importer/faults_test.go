package importer_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/run/importer"
	"airqa/runlog"
)

// steps is a file with one trajectory.
func steps(t *testing.T, last string) string {
	t.Helper()
	return logFile(t, `{"schema_version": "ATIF-v1.7", "session_id": "s", "agent": {"name": "a", "version": "1"}, "steps": [
		{"step_id": 1, "source": "user", "message": "How many?"}, {"step_id": 2, "source": "agent", `+last+`}]}`)
}

// The answer is the argument of Answer, or the text of a last reply that calls no tool.
func TestAnswers(t *testing.T) {
	call := func(name, args string) string {
		return fmt.Sprintf(`"message": "seven", "tool_calls": [{"tool_call_id": "c", "function_name": %q, "arguments": %s}], "observation": {"results": [{"source_call_id": "c", "content": "r"}]}`, name, args)
	}
	for _, tt := range []struct {
		last, text string
		given      bool
	}{
		{`"message": "seven"`, "seven", true},
		{`"message": ""`, "", false},
		{call("Answer", `{"answer": 7}`), "7", true},
		{call("Search", `{"for": "x"}`), "seven", false},
	} {
		r, _ := load(t, steps(t, tt.last))
		run, err := runlog.Open(r.Runs[0])
		if err != nil {
			t.Fatal(err)
		}
		for rec, err := range run.Episodes() {
			if err != nil {
				t.Fatal(err)
			}
			if a := rec.Answer; a.Given != tt.given || tt.given && a.Text != tt.text {
				t.Errorf("%s: answer %+v, want %q (given %v)", tt.last, a, tt.text, tt.given)
			}
		}
	}
}

// A record of the wrong type is an error that names it, even if its steps can be read.
func TestWrongType(t *testing.T) {
	_, err := importer.Import(t.Context(), importer.Config{Paths: []string{steps(t, `"message": "seven", "model_name": 7`)}, Out: filepath.Join(t.TempDir(), "out")})
	if err == nil || !strings.Contains(err.Error(), "record 1") || !strings.Contains(err.Error(), "model_name") {
		t.Errorf("error %v", err)
	}
}

// Scores that cannot be written are an error of the import.
func TestScoresNotWritten(t *testing.T) {
	dir := t.TempDir()
	_, err := importer.Import(t.Context(), importer.Config{
		Paths: []string{"testdata/inspect/shelf.eval"}, Out: filepath.Join(dir, "out"),
		Redact: func(b []byte) []byte { // called with what is about to be written
			if bytes.Contains(b, []byte(`"verdict"`)) {
				err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
					if err == nil && e.Name() == "run.json" {
						err = os.WriteFile(filepath.Join(filepath.Dir(path), "scores"), nil, 0o600) // a file instead of the folder
					}
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
			return b
		},
	})
	if err == nil {
		t.Error("no error")
	}
}
