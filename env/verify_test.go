package env_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/env"
	"airqa/env/index"
	"airqa/internal/testkit"
)

// Verify reports a changed byte on disk, and a rebuilt index has none.
func TestVerify(t *testing.T) {
	testkit.OneGoroutine(t)
	dir := filepath.Join(t.TempDir(), "data")
	model := &letters{model: "letters", words: 3}
	faults := func() string {
		t.Helper()
		list, err := index.Verify(t.Context(), index.VerifyConfig{Dir: dir, Embedder: model})
		check(t, err)
		if len(list) != 2 || list[0].Records == 0 && len(list[0].Faults) == 0 {
			t.Fatalf("%+v", list)
		}
		return strings.Join(append(list[0].Faults, list[1].Faults...), "\n")
	}
	check(t, fillWith(t, env.WriterConfig{Dir: dir, Embedder: model}, attention, bert))
	if got := faults(); got != "" {
		t.Errorf("as it was written: %s", got)
	}
	list, err := index.Verify(t.Context(), index.VerifyConfig{Dir: dir, Embedder: &letters{model: "letters", words: 4}})
	check(t, err)
	if got := list[1]; len(got.Faults) != 1 || !strings.Contains(got.Faults[0], "windows of 3 tokens, not 4") {
		t.Errorf("another limit: %+v", got)
	}
	path := filepath.Join(dir, "vectors", "text_letters", "000001.vec")
	data, err := os.ReadFile(path)
	check(t, err)
	data[64]++ // of the first section
	check(t, os.WriteFile(path, data, 0o600))
	if got := faults(); !strings.Contains(got, "damaged") || strings.Contains(got, "\n") {
		t.Errorf("a changed byte: %q", got)
	}
	check(t, fillWith(t, env.WriterConfig{Dir: dir, Embedder: model, Rebuild: true}))
	if got := faults(); got != "" {
		t.Errorf("rebuilt: %s", got)
	}
	check(t, fillWith(t, env.WriterConfig{Dir: dir, Embedder: model}, resnet))
	if got := faults(); got != "" {
		t.Errorf("one paper more: %s", got)
	}
}
