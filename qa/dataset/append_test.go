package dataset_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/qa"
	"airqa/qa/dataset"
)

func isUsage(err error) bool {
	var use *qa.UsageError
	return errors.As(err, &use)
}

func TestAppend(t *testing.T) {
	ex := func(id string) qa.Example {
		return qa.Example{UUID: id, Question: "Q " + id, Tags: []string{}, AnchorPDF: []string{}, ReferencePDF: []string{}, Conference: []string{}}
	}
	path := filepath.Join(t.TempDir(), "q.jsonl")
	for i, id := range []string{"a", "b"} {
		if n, err := dataset.Append(path, ex(id)); err != nil || n != i+1 {
			t.Fatalf("%d, %v", n, err)
		}
	}
	// The last line of an edited file may lack its end.
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.TrimSuffix(string(raw), "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := dataset.Append(path, ex("c")); err != nil || n != 3 {
		t.Fatalf("%d, %v", n, err)
	}
	list, _, err := dataset.Load(path)
	if err != nil || len(list) != 3 || list[2].UUID != "c" {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := dataset.Append(path, ex("b")); !isUsage(err) || !strings.Contains(err.Error(), ":2 already contains this question") {
		t.Errorf("the same question: %v", err)
	}
	array := filepath.Join(t.TempDir(), "q.json")
	if err := os.WriteFile(array, []byte(`[{"question": "Q"}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := dataset.Append(array, ex("a")); !isUsage(err) {
		t.Errorf("an array: %v", err)
	}
	if _, err := dataset.Append(filepath.Join(t.TempDir(), "none", "q.jsonl"), ex("a")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}
