package bpe_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/internal/bpe"
)

// BenchmarkEncode measures the tokenizers of testdata and of AIRQA_TEST_TOKENIZERS on the sources of the sample papers.
func BenchmarkEncode(b *testing.B) {
	text := paperText(b)
	for _, path := range tokenizerFiles(b) {
		t, err := bpe.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(strings.TrimSuffix(filepath.Base(path), ".json"), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			var ids []int32
			for b.Loop() {
				ids = t.Encode(ids[:0], text)
			}
		})
	}
}

// BenchmarkOpen measures the time and the memory of a tokenizer.
func BenchmarkOpen(b *testing.B) {
	for _, path := range tokenizerFiles(b) {
		b.Run(strings.TrimSuffix(filepath.Base(path), ".json"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := bpe.Open(path); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func tokenizerFiles(b *testing.B) []string {
	var all []string
	for _, dir := range []string{"testdata", os.Getenv("AIRQA_TEST_TOKENIZERS")} {
		if dir == "" {
			continue
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.json"))
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, files...)
	}
	return all
}

func paperText(b *testing.B) string {
	files, err := filepath.Glob("../../fixtures/papers/src/*.tex")
	if err != nil || len(files) == 0 {
		b.Fatal("no sample papers", err)
	}
	var text strings.Builder
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		text.Write(data)
	}
	return text.String()
}
