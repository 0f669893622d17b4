package env_test

import (
	"path/filepath"
	"strings"
	"testing"

	"airqa/env"
	"airqa/internal/testkit/milvustest"
)

// The same papers compare equal in files and on a server; different papers do not.
func TestCompare(t *testing.T) {
	server := milvustest.Start(t)
	url := "milvus://" + server.Address + "?prefix=compare_&timeout=5s"
	dir := filepath.Join(t.TempDir(), "data")
	model := &letters{model: "letters", words: 3}
	compare := func(sample int) string {
		t.Helper()
		d, err := env.Compare(t.Context(), env.CompareConfig{Dir: dir, B: url, Embedder: model, Sample: sample, K: 5})
		check(t, err)
		return strings.Join(d, "\n")
	}
	check(t, fillWith(t, env.WriterConfig{Dir: dir, Embedder: model}, attention, bert))
	if got := compare(10); !strings.Contains(got, "text_letters: only in the first store") {
		t.Errorf("an empty server: %q", got)
	}
	check(t, fillWith(t, env.WriterConfig{Dir: dir, Embedder: model, Vectors: url}))
	if got := compare(10); got != "" {
		t.Errorf("the same papers: %q", got)
	}
	check(t, fillWith(t, env.WriterConfig{Dir: dir, Embedder: model}, resnet))
	if got := compare(10); !strings.Contains(got, "built from different papers") {
		t.Errorf("one paper more: %q", got)
	}
}
