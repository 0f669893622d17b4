package companion_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/bench/companion"
)

// A wrong type in one annotation of a paper leaves all questions in the score, and the result names the annotation.
func TestFaultyAnnotation(t *testing.T) {
	raw, err := os.ReadFile("../../fixtures/qasper/dev.json")
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(raw), `"yes_no": false`)
	text := string(raw[:at]) + `"yes_no": "yes"` + string(raw[at+len(`"yes_no": false`):])
	data := filepath.Join(t.TempDir(), "dev.json")
	if err := os.WriteFile(data, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := companion.Find("qasper")
	if err != nil {
		t.Fatal(err)
	}
	r, err := b.Baseline(t.Context(), companion.Request{Dataset: data, Method: "echo"})
	if err != nil {
		t.Fatal(err)
	}
	if m := r.Tables[0].Measures[0]; *m.N != 7 {
		t.Errorf("%d questions are scored, not 7", *m.N)
	}
	if len(r.Faults) != 1 || !strings.Contains(r.Faults[0], "yes_no is a string, not true or false; the annotation is skipped") {
		t.Errorf("faults %q", r.Faults)
	}
	if r.Notes[0] != "Left out because of faults: 1 annotation." {
		t.Errorf("notes %q", r.Notes)
	}
}
