package preflight

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"airqa/qa"
	"airqa/train/preflight/rows"
)

// loader is the script that runs a trainer's own loader.
//
//go:embed loader.py
var loader string

// Interpreter is a Python with a trainer's libraries.
type Interpreter struct {
	// Path is the program, such as VENV/bin/python.
	Path string
	// Getenv returns variables of the environment. Few of them are passed on, and no keys.
	Getenv func(string) string
	// Timeout ends the loader; 0 means 30 minutes.
	Timeout time.Duration
}

// TrainerRow is what the trainer's own loader did with a row. The numbers are set if it kept the row and counted.
type TrainerRow struct {
	Outcome Outcome `json:"outcome"`
	Reason  string  `json:"reason,omitempty"`
	Tokens  *int    `json:"tokens,omitempty"`
	Trained *int    `json:"trained,omitempty"`
	Cut     *int    `json:"cut,omitempty"`
}

// TrainerTotal is what the trainer's own loader did with a file.
type TrainerTotal struct {
	Load  Load    `json:"load"`
	Error *string `json:"error"`
	// Versions are those of the libraries that were used, by name.
	Versions    map[string]string `json:"versions"`
	TrainerRows *int              `json:"trainer_rows"`
	Kept        int               `json:"kept"`
	Dropped     int               `json:"dropped"`
	Crash       int               `json:"crash"`
	NotChecked  int               `json:"not_checked,omitempty"`
	// Differ is the number of rows of which the prediction says something else.
	Differ int `json:"differ"`

	rows []TrainerRow
}

// RunTrainer runs the loader of the trainer itself on the file, offline and in a process of its own. What it did with the
// rows is in the results of [Dataset.Rows] from then on. A loader that is missing or fails is no error: the file is not
// checked by it. The error returned is that of the interpreter or of the context.
func (d *Dataset) RunTrainer(ctx context.Context, p Interpreter) error {
	if unknown := rows.NotChecked(""); d.path == "" || d.failure != nil && !errors.As(d.failure, &unknown) {
		return nil // the trainer stops before it reads a file
	}
	request, err := d.request()
	if err != nil {
		return err
	}
	run := &TrainerTotal{}
	if err := run.execute(ctx, p, request); err != nil {
		return err
	}
	for _, r := range run.rows {
		countIf(&run.Kept, r.Outcome == Kept)
		countIf(&run.Dropped, r.Outcome == Dropped)
		countIf(&run.Crash, r.Outcome == Crash)
		countIf(&run.NotChecked, r.Outcome == NotChecked)
	}
	d.run = run
	return nil
}

// request is what the script reads.
func (d *Dataset) request() ([]byte, error) {
	path, err := filepath.Abs(d.path)
	if err != nil {
		return nil, err
	}
	r := map[string]any{"trainer": d.config.Trainer, "file": path}
	setIf := func(to map[string]any, name string, value any, is bool) {
		if is {
			to[name] = value
		}
	}
	c := d.config
	setIf(r, "max_samples", c.MaxSamples, c.MaxSamples > 0)
	if d.tokenizer != "" {
		file, err := filepath.Abs(d.tokenizer)
		if err != nil {
			return nil, err
		}
		r["tokenizer"] = file
	}
	switch c.Trainer {
	case TRL:
		r["max_length"] = c.CutoffLen
		r["assistant_only_loss"] = c.AssistantOnlyLoss
	case LLaMAFactory:
		if r["entry"], err = d.entry.Entry(path); err != nil {
			return nil, err
		}
		media, err := filepath.Abs(c.MediaDir)
		if err != nil {
			return nil, err
		}
		a := map[string]any{"template": c.Template, "cutoff_len": c.CutoffLen, "media_dir": media, "preprocessing_batch_size": c.BatchSize}
		setIf(a, "mask_history", true, c.MaskHistory)
		setIf(a, "train_on_prompt", true, c.TrainOnPrompt)
		setIf(a, "packing", true, c.Packing)
		setIf(a, "neat_packing", true, c.NeatPacking)
		setIf(a, "preprocessing_num_workers", c.Workers, c.Workers > 1)
		setIf(a, "enable_thinking", c.Thinking, c.Thinking != nil)
		setIf(a, "preserve_thinking", true, c.PreserveThinking)
		setIf(a, "default_system", c.DefaultSystem, c.DefaultSystem != nil)
		setIf(a, "tool_format", c.ToolFormat, c.ToolFormat != "")
		setIf(a, "max_samples", c.MaxSamples, c.MaxSamples > 0)
		r["stage"], r["arguments"] = c.Stage, a
		r["model_arguments"] = map[string]any{"image_max_pixels": c.MaxPixels, "image_min_pixels": c.MinPixels}
	}
	return json.Marshal(r)
}

// Limits of what the script may print.
const (
	maxLine   = 1 << 20
	maxOutput = 1 << 30
	maxTail   = 4 << 10 // of the standard error that is kept
)

// execute runs the script and reads its lines.
func (t *TrainerTotal) execute(ctx context.Context, p Interpreter, request []byte) error {
	timeout := cmp.Or(p.Timeout, 30*time.Minute)
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	dir, err := os.MkdirTemp("", "airqa-trainer-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program, err := exec.LookPath(p.Path)
	if err == nil {
		program, err = filepath.Abs(program) // the script runs in another folder
	}
	if err != nil {
		return qa.Usagef("python %s: %w", p.Path, err)
	}
	cmd := exec.CommandContext(limited, program, "-u", "-c", loader) //nolint:gosec // the interpreter that the user names
	errs := &tail{}
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stderr = dir, p.environment(dir), bytes.NewReader(request), errs
	cmd.WaitDelay = 5 * time.Second // of processes of the loader that outlive it
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return qa.Usagef("python %s: %w", p.Path, err)
	}
	broken := t.read(out)
	if broken != nil {
		cancel()
	}
	ended := cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case broken != nil:
		t.notChecked("the loader printed what it should not: %v", broken)
	case limited.Err() != nil:
		t.notChecked("the loader took longer than %s", timeout)
	case t.Load == "":
		t.notChecked("the loader ended early (%v): %s", cmp.Or[error](ended, io.ErrUnexpectedEOF), errs.last())
	}
	return nil
}

func (t *TrainerTotal) notChecked(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	t.Load, t.Error, t.TrainerRows = LoadNotChecked, &text, nil
}

// environment is that of the script: no keys, no network, and caches in a folder that is removed.
func (p Interpreter) environment(dir string) []string {
	env := []string{
		"HF_HUB_OFFLINE=1", "HF_DATASETS_OFFLINE=1", "TRANSFORMERS_OFFLINE=1", "HF_HOME=" + dir, "HF_HUB_DISABLE_TELEMETRY=1",
		"TOKENIZERS_PARALLELISM=false", "CUDA_VISIBLE_DEVICES=", "DISABLE_VERSION_CHECK=1", "WANDB_DISABLED=true",
		"PYTHONIOENCODING=utf-8", "PYTHONDONTWRITEBYTECODE=1",
	}
	for _, name := range []string{"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHOME", "SYSTEMROOT"} {
		if value := p.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// line is a line of the script: versions, a row, or the end of the load.
type line struct {
	Versions map[string]string `json:"versions"`
	Row      *int              `json:"row"`
	TrainerRow
	Load        Load    `json:"load"`
	Error       *string `json:"error"`
	TrainerRows *int    `json:"trainer_rows"`
}

// read reads the lines of the script. The error is that of a line that breaks the order: versions, rows, load.
func (t *TrainerTotal) read(out io.Reader) error {
	lines := bufio.NewScanner(io.LimitReader(out, maxOutput))
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var l line
		d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		d.DisallowUnknownFields()
		if err := d.Decode(&l); err != nil {
			return fmt.Errorf("%.80q", lines.Bytes())
		}
		if err := t.add(l, lines.Bytes()); err != nil {
			return err
		}
	}
	return lines.Err()
}

// add notes a line, whose bytes are raw. The error is that it breaks the order.
func (t *TrainerTotal) add(l line, raw []byte) error {
	switch {
	case t.Load != "":
		return errors.New("a line after the end")
	case l.Versions != nil:
		t.Versions = l.Versions
	case l.Row != nil:
		if *l.Row != len(t.rows) || !l.Outcome.known() {
			return fmt.Errorf("row %d, %q after %d rows", *l.Row, l.Outcome, len(t.rows))
		}
		t.rows = append(t.rows, l.TrainerRow)
	case l.Load == LoadOK || (l.Load == LoadCrash || l.Load == LoadNotChecked) && l.Error != nil:
		t.Load, t.Error, t.TrainerRows = l.Load, l.Error, l.TrainerRows
	default:
		return fmt.Errorf("%.80q", raw)
	}
	return nil
}

// row returns what the loader did with a row, nil if it did not come to it.
func (t *TrainerTotal) row(n int) *TrainerRow {
	if t == nil || n >= len(t.rows) {
		return nil
	}
	return &t.rows[n]
}

// libraries lists the versions, such as datasets 4.0.0, transformers 5.6.0.
func (t *TrainerTotal) libraries() string {
	var list []string
	for _, name := range []string{"llamafactory", "trl", "transformers", "datasets"} {
		if version, ok := t.Versions[name]; ok {
			list = append(list, name+" "+version)
		}
	}
	return cmp.Or(strings.Join(list, ", "), "no libraries")
}

// tail keeps the end of what is written.
type tail struct{ data []byte }

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.data = append(t.data, p...)
	if extra := len(t.data) - maxTail; extra > 0 {
		t.data = append(t.data[:0], t.data[extra:]...)
	}
	return len(p), nil
}

// last returns the last line.
func (t *tail) last() string {
	text := strings.TrimSpace(string(t.data))
	return text[strings.LastIndexByte(text, '\n')+1:]
}
