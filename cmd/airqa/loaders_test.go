package main

import (
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"airqa/internal/testkit"
)

// The datasets library of Hugging Face, with one cache, loads the rows of each export: also of two that look alike, and of one
// that replaced another. make nightly names the folder of internal/testkit/install.sh loaders.
func TestLoaders(t *testing.T) {
	testkit.Long(t, "makes the demo and loads its exports with Python")
	packages := os.Getenv("AIRQA_TEST_LOADERS")
	if packages == "" {
		t.Skip("AIRQA_TEST_LOADERS names no folder with the datasets library; internal/testkit/install.sh loaders makes one")
	}
	dir := t.TempDir()
	exitsWith(t, exitDone, "demo", "--dir", filepath.Join(dir, "demo"))
	type export struct {
		folder string
		lines  int
	}
	var loads []string
	var want []export
	load := func() {
		t.Helper()
		python, _ := os.ReadFile(filepath.Join(packages, "complete")) // of install.sh
		client := exec.CommandContext(t.Context(), cmp.Or(strings.TrimSpace(string(python)), "python3"),
			append([]string{"testdata/loaders/load.py", filepath.Join(dir, "cache")}, loads...)...)
		client.Env = append(os.Environ(), "PYTHONPATH="+packages)
		var complaints strings.Builder
		client.Stderr = &complaints
		out, err := client.Output()
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		if err != nil || len(lines) != len(want) {
			t.Fatalf("%v: %d lines for %d folders\n%s", err, len(lines), len(want), complaints.String())
		}
		images := 0
		for i, w := range want {
			var got struct{ Rows, Images int }
			if err := json.Unmarshal([]byte(lines[i]), &got); err != nil || got.Rows != w.lines {
				t.Errorf("%s: %d rows, want %d; %v", w.folder, got.Rows, w.lines, err)
			}
			images += got.Images
		}
		t.Logf("%d folders, %d images", len(want), images)
		if images == 0 {
			t.Error("no images")
		}
	}
	write := func(format, folder string, more ...string) {
		t.Helper()
		out := filepath.Join(dir, folder, format)
		exitsWith(t, exitDone, append([]string{"export", "--include", "wrong", "--cutoff-len", "32768", "--format", format, "--out", out}, more...)...)
		raw, err := os.ReadFile(filepath.Join(out, "data", "train.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		loads, want = append(loads, out), append(want, export{folder + "/" + format, strings.Count(string(raw), "\n")})
	}
	all, one := filepath.Join(dir, "demo", "runs"), filepath.Join(dir, "demo", "runs", "text2sql")
	formats := []string{"sharegpt", "openai", "trl", "atif"}
	for _, format := range formats {
		write(format, "a", all)
		write(format, "b", one)
	}
	load()
	loads, want = nil, nil
	for _, format := range formats {
		write(format, "a", one, "--replace")
		write(format, "b", all, "--replace")
	}
	load()
}
