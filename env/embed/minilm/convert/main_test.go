package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The committed weights equal this tool's output for the original.
func TestConvert(t *testing.T) {
	dir := os.Getenv("AIRQA_MINILM_DIR")
	if dir == "" {
		t.Skip("AIRQA_MINILM_DIR names no folder with the full-precision model")
	}
	to := filepath.Join(t.TempDir(), "out")
	if err := convert(filepath.Join(dir, "model.safetensors"), to); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("../model-int8.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got %d bytes that differ from the committed %d", len(got), len(want))
	}
}
