package judge_test

import (
	"path/filepath"
	"strconv"
	"testing"

	"airqa/eval/judge"
)

// BenchmarkKnown reads a cached verdict.
func BenchmarkKnown(b *testing.B) {
	store, err := judge.OpenStore("", nil)
	if err != nil {
		b.Fatal(err)
	}
	j := judge.NewCached(store, judge.Identity{Name: "openai:a"}, &counting{}, nil)
	for b.Loop() {
		if _, err := j.Judge(b.Context(), request("yes")); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpenStore reads a store of 10,000 verdicts.
func BenchmarkOpenStore(b *testing.B) {
	path := filepath.Join(b.TempDir(), "v.jsonl")
	store, err := judge.OpenStore(path, nil)
	if err != nil {
		b.Fatal(err)
	}
	j := judge.NewCached(store, judge.Identity{Name: "openai:a"}, &counting{}, nil)
	for i := range 10_000 {
		if _, err := j.Judge(b.Context(), request(strconv.Itoa(i))); err != nil {
			b.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if again, err := judge.OpenStore(path, nil); err != nil || again.Len() != 10_000 {
			b.Fatal(err)
		}
	}
}
