package preflight

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"airqa/qa"
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

// Load is what the trainer's own loader did with a file.
type Load string

// Loads.
const (
	LoadOK         Load = "ok"
	LoadCrash      Load = "crash"
	LoadNotChecked Load = "not_checked"
)

// Outcomes of a row in the trainer's own loader, besides [NotChecked].
const (
	Kept    Outcome = "kept"
	Dropped Outcome = "dropped" // the trainer continues without the row
	Crash   Outcome = "crash"   // the row stops the trainer
)

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
	File  string `json:"file"`
	Load  Load   `json:"load"`
	Error string `json:"error,omitempty"`
	// Versions are those of the libraries that were used, by name.
	Versions   map[string]string `json:"versions"`
	Kept       int               `json:"kept"`
	Dropped    int               `json:"dropped"`
	Crash      int               `json:"crash"`
	NotChecked int               `json:"not_checked,omitempty"`

	rows []TrainerRow
}

// RunTrainer runs the loader of the trainer itself on each file, offline and in a process of its own. What it did with the
// rows is in the results of [Dataset.Rows] from then on. A loader that is missing or fails is no error: the file is not
// checked by it. The error returned is that of the interpreter or of the context.
func (d *Dataset) RunTrainer(ctx context.Context, p Interpreter) error {
	for _, f := range d.files {
		request, err := d.request(f)
		if err != nil {
			return err
		}
		run := &TrainerTotal{File: f.name}
		if err := run.execute(ctx, p, request); err != nil {
			return err
		}
		for _, r := range run.rows {
			switch r.Outcome {
			case Kept:
				run.Kept++
			case Dropped:
				run.Dropped++
			case Crash:
				run.Crash++
			default:
				run.NotChecked++
			}
		}
		f.run = run
	}
	return nil
}

// passedOn are the settings of llamafactory.yaml that concern the data.
var passedOn = []string{
	"mask_history", "train_on_prompt", "packing", "neat_packing", "preprocessing_batch_size", "preprocessing_num_workers", "enable_thinking",
	"preserve_thinking", "default_system", "tool_format", "max_samples",
}

func (d *Dataset) request(f *dataFile) ([]byte, error) {
	path, err := filepath.Abs(f.path)
	if err != nil {
		return nil, err
	}
	r := map[string]any{"trainer": d.Trainer, "file": path}
	if d.Tokenizer != "" {
		if r["tokenizer"], err = filepath.Abs(d.Tokenizer); err != nil {
			return nil, err
		}
	}
	switch d.Trainer {
	case TRL:
		const own = 1024 // TRL's default
		r["max_length"], r["assistant_only_loss"] = cmp.Or(d.CutoffLen, own), d.settings["assistant_only_loss"] == true
	case LLaMAFactory:
		media, err := filepath.Abs(d.Path)
		if err != nil {
			return nil, err
		}
		if f.entry == nil {
			media = filepath.Dir(path)
		}
		const own = 2048 // LLaMA-Factory's default
		arguments := map[string]any{"template": d.counter.Template(), "cutoff_len": cmp.Or(d.CutoffLen, own), "media_dir": media}
		for _, key := range passedOn {
			if value, ok := d.settings[key]; ok {
				arguments[key] = value
			}
		}
		entry, stage := f.llamaFactory(path)
		r["entry"], r["stage"], r["arguments"] = entry, stage, arguments
	}
	return json.Marshal(r)
}

// llamaFactory returns the entry of a file in dataset_info.json and the stage that fits it. A file without an entry gets
// one with the columns of its first row.
func (f *dataFile) llamaFactory(path string) (entry map[string]any, stage string) {
	if entry = maps.Clone(f.entry); entry == nil {
		columns := map[string]any{"messages": "conversations"}
		entry = map[string]any{"formatting": "sharegpt", "columns": columns}
		var first map[string]json.RawMessage
		for _, raw := range f.rows {
			_ = json.Unmarshal(raw.data, &first) // a broken row has no columns
			break
		}
		for _, name := range []string{"system", "tools", "images", "chosen", "rejected", "kto_tag"} {
			if first[name] != nil {
				columns[name] = name
			}
		}
		if first["chosen"] != nil {
			entry["ranking"] = true
		}
	}
	entry["file_name"] = path
	columns, _ := entry["columns"].(map[string]any)
	switch {
	case entry["ranking"] == true:
		return entry, "rm"
	case columns["kto_tag"] != nil:
		return entry, "kto"
	}
	return entry, "sft"
}

// Limits of what the script may print.
const (
	maxLine   = 1 << 20
	maxOutput = 1 << 30
)

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
	var errs bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stderr = dir, p.environment(dir), bytes.NewReader(request), &errs
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
		printed := strings.TrimSpace(errs.String())
		last := printed[strings.LastIndexByte(printed, '\n')+1:]
		t.notChecked("the loader ended early (%v): %s", cmp.Or[error](ended, io.ErrUnexpectedEOF), last)
	}
	return nil
}

func (t *TrainerTotal) notChecked(format string, args ...any) {
	t.Load, t.Error = LoadNotChecked, fmt.Sprintf(format, args...)
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
	Load  Load   `json:"load"`
	Error string `json:"error"`
}

// read reads the lines of the script, whose rows are in order.
func (t *TrainerTotal) read(out io.Reader) error {
	lines := bufio.NewScanner(io.LimitReader(out, maxOutput))
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var l line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return fmt.Errorf("%.80q", lines.Bytes())
		}
		switch {
		case l.Versions != nil:
			t.Versions = l.Versions
		case l.Row != nil:
			t.rows = append(t.rows, l.TrainerRow)
		default:
			t.Load, t.Error = l.Load, l.Error
		}
	}
	return lines.Err()
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
