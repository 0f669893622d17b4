package archtest

import (
	"strings"
	"testing"
)

// TestBenchmarksStandAlone checks that a companion benchmark can be removed: only its own folder and the command import it.
func TestBenchmarksStandAlone(t *testing.T) {
	found := make(map[string]bool)
	for _, f := range readTree(t) {
		for _, imp := range f.imports {
			inside, ok := strings.CutPrefix(imp, "airqa/bench/")
			if !ok {
				continue
			}
			name, _, _ := strings.Cut(inside, "/")
			found[name] = true
			if home := "bench/" + name; f.pkg == home || strings.HasPrefix(f.pkg, home+"/") || f.pkg == "cmd/airqa" {
				continue
			}
			t.Errorf("%s imports %s: only bench/%s and cmd/airqa may", f.name, imp, name)
		}
	}
	for _, name := range []string{"argscichat", "dorismae", "qasper"} {
		if !found[name] {
			t.Errorf("nothing imports bench/%s", name)
		}
	}
}
