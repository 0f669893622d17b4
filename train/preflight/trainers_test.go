package preflight_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"airqa/train/preflight"
)

// trainerCase is a data set with the settings of its load.
type trainerCase struct {
	ID     string          `json:"id"`
	Raw    json.RawMessage `json:"rows"`
	Text   *string         `json:"text"`
	File   string          `json:"file"`
	Images []string        `json:"images"`
	Info   map[string]any  `json:"info"`
	Args   map[string]any  `json:"args"`
}

// outcome is what a real trainer did: ranges of rows with the same end.
type outcome struct {
	Total struct {
		Load        preflight.Load `json:"load"`
		TrainerRows *int           `json:"trainer_rows"`
	} `json:"total"`
	Rows []struct {
		Rows    []int             `json:"rows"`
		Outcome preflight.Outcome `json:"outcome"`
	} `json:"rows"`
}

// TestTrainers compares predictions with what LLaMA-Factory 0.9.5 did, for the cases of the folder in
// AIRQA_TEST_TRAINERS, or of ../shared/data/trainers beside the repository, and for those in testdata.
func TestTrainers(t *testing.T) {
	dirs := []string{"testdata"}
	shared := os.Getenv("AIRQA_TEST_TRAINERS")
	if shared == "" {
		shared = "../../../shared/data/trainers"
	}
	if _, err := os.Stat(filepath.Join(shared, "cases.jsonl")); err != nil {
		t.Run("shared", func(t *testing.T) { t.Skip("AIRQA_TEST_TRAINERS names no folder of cases") })
	} else {
		dirs = append(dirs, shared)
	}
	for _, dir := range dirs {
		outcomes := lines(t, filepath.Join(dir, "outcomes.jsonl"))
		for i, line := range lines(t, filepath.Join(dir, "cases.jsonl")) {
			var c trainerCase
			var want outcome
			unmarshal(t, line, &c)
			unmarshal(t, outcomes[i], &want)
			t.Run(c.ID, func(t *testing.T) { compare(t, c, want) })
		}
	}
}

func lines(t *testing.T, path string) []string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(raw)), "\n")
}

func unmarshal(t *testing.T, line string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(line), v); err != nil {
		t.Fatal(err)
	}
}

// unknownCases are those in which the types that the trainer's reader infers decide: of these no guess is made.
var unknownCases = []string{
	"ext-bool-int", "ext-list-dictconf", "ext-list-str", "ext-mixed", "ext-nested", "exta-big", "exta-dict-conf", "exta-list-conf",
	"exta-list-dictconf", "exta-list-str", "exta-nested", "exta-str-list", "file-arrscal", "oa-openai-tooldate", "sys-date",
	"val-dates-all", "val-mixed-num-first", "val-mixed-row", "val-mixed-rows", "val3-date", "val3-dates-all", "val3-mixed-row",
	"val3-mixed-rows", "valv-dates-all", "valv-mixed-row", "valv-mixed-rows",
	"061-extra-mixed-scalar", "067-extra-object-conflict", "069-extra-mixed-array-file", "078-late-number-after-text",
}

func compare(t *testing.T, c trainerCase, want outcome) {
	dir := c.write(t)
	got, total := checked(t, preflight.Options{
		Path: dir, Trainer: preflight.LLaMAFactory, Training: filepath.Join(dir, "train.json"), Today: time.Unix(0, 0),
	})
	if slices.Contains(unknownCases, c.ID) {
		if total.Load != preflight.LoadNotChecked && total.Load != want.Total.Load {
			t.Errorf("load = %s, want not_checked, or %s", total.Load, want.Total.Load)
		}
		return
	}
	if total.Load != want.Total.Load {
		t.Errorf("load = %s, want %s", total.Load, want.Total.Load)
	}
	n := 0
	for _, r := range want.Rows {
		for i := r.Rows[0]; i <= r.Rows[len(r.Rows)-1]; i++ {
			if n++; i < len(got) && got[i] != r.Outcome {
				t.Errorf("row %d: %s, want %s", i, got[i], r.Outcome)
			}
		}
	}
	if n != len(got) {
		t.Errorf("%d rows, want %d", len(got), n)
	}
}

// checked returns the outcomes of all rows, and the total.
func checked(t *testing.T, o preflight.Options) (rows []preflight.Outcome, total preflight.Total) {
	t.Helper()
	file, err := preflight.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	total, err = file.Rows(context.Background(), func(r preflight.Row) error {
		rows = append(rows, r.Outcome)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows, total
}

var long = regexp.MustCompile(`\{\{LONG (\d+)\}\}`)

// expand writes long texts.
func expand(text string) string {
	return long.ReplaceAllStringFunc(text, func(mark string) string {
		n, _ := strconv.Atoi(long.FindStringSubmatch(mark)[1])
		return strings.TrimSuffix(strings.Repeat("word ", n), " ")
	})
}

// write writes a case as a folder.
func (c trainerCase) write(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if c.File == "" {
		c.File = "data.jsonl"
	}
	out, err := os.Create(filepath.Join(dir, c.File))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	w := bufio.NewWriter(out)
	if c.Text != nil {
		_, _ = w.WriteString(expand(*c.Text))
	}
	var rows [][2]json.RawMessage
	if c.Raw != nil {
		unmarshal(t, string(c.Raw), &rows)
	}
	for _, r := range rows {
		n, _ := strconv.Atoi(string(r[0]))
		line := expand(string(r[1])) + "\n"
		for range n {
			_, _ = w.WriteString(line)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	for _, name := range c.Images {
		c.draw(t, dir, name)
	}
	c.configure(t, dir)
	return dir
}

func (trainerCase) draw(t *testing.T, dir, name string) {
	t.Helper()
	name, size, _ := strings.Cut(name, "@")
	width, height := 112, 56
	_, _ = fmt.Sscanf(size, "%dx%d", &width, &height)
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if err := png.Encode(f, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
}

// configure writes the trainer's files.
func (c trainerCase) configure(t *testing.T, dir string) {
	t.Helper()
	info := c.Info
	if info == nil {
		info = map[string]any{
			"formatting": "sharegpt", "columns": map[string]string{"messages": "conversations", "system": "system"},
			"tags": map[string]string{
				"role_tag": "from", "content_tag": "value", "user_tag": "human", "assistant_tag": "gpt",
				"observation_tag": "observation", "function_tag": "function_call", "system_tag": "system",
			},
		}
	}
	info["file_name"] = c.File
	config := map[string]any{"template": "qwen", "cutoff_len": 4096, "dataset": "case"}
	names := map[string]string{"workers": "preprocessing_num_workers", "batch": "preprocessing_batch_size"}
	for key, value := range c.Args {
		switch {
		case key == "brief" || key == "inputs" || key == "vision":
		case names[key] != "":
			config[names[key]] = value
		default:
			config[key] = value
		}
	}
	for name, v := range map[string]any{"dataset_info.json": map[string]any{"case": info}, "train.json": config} {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
