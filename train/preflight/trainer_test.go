package preflight_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"airqa/qa"
	"airqa/train/preflight"
)

// program writes a program for the shell and returns its path.
func program(t *testing.T, text string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no shell")
	}
	path := filepath.Join(t.TempDir(), "python")
	if err := os.WriteFile(path, []byte("#!/bin/sh\ncat > request.json\n"+text), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	return path
}

// chats opens a file for TRL with a row that is kept and one that is dropped.
func chats(t *testing.T) *preflight.Dataset {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data.jsonl")
	rows := `{"prompt": [{"role": "user", "content": "q"}], "completion": [{"role": "assistant", "content": "x"}]}` + "\n" +
		`{"prompt": [{"role": "user", "content": "q"}], "completion": []}` + "\n"
	if err := os.WriteFile(path, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := preflight.Open(preflight.Options{Path: path, Trainer: preflight.TRL})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// printed is what is printed of a file that was read by a trainer's own loader.
type printed struct {
	total   preflight.Total
	rows    []string // the trainer's outcomes beside our own
	summary string
}

func printRows(t *testing.T, d *preflight.Dataset) (p printed) {
	t.Helper()
	var s preflight.Summary
	total, err := d.Rows(func(r preflight.Row) error {
		s.Add(r)
		text := "-"
		if r.Trainer != nil {
			text = strings.TrimSpace(string(r.Trainer.Outcome) + " " + r.Trainer.Reason)
		}
		p.rows = append(p.rows, text+", "+string(r.Outcome))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := s.Write(&b, total); err != nil {
		t.Fatal(err)
	}
	p.total, p.summary = total, b.String()
	return p
}

const protocol = `echo '{"versions": {"datasets": "4.0.0", "trl": "1.16.0"}}'
echo '{"row": 0, "outcome": "kept", "tokens": 14, "trained": 3, "cut": 0}'
`

func TestRunTrainer(t *testing.T) {
	const dropped = `echo '{"row": 1, "outcome": "dropped", "reason": "empty"}'` + "\n"
	tests := []struct {
		name, text string
		load       preflight.Load
		err        string // contained
		rows       []string
		unclean    string
	}{
		{
			"a verdict", protocol + dropped + `echo '{"load": "ok"}'`,
			preflight.LoadOK, "",
			[]string{"kept, ok", "dropped empty, wrong"},
			"the trainer drops 1 row of data.jsonl",
		},
		{
			"another verdict", protocol + `echo '{"row": 1, "outcome": "kept"}'; echo '{"load": "ok"}'`,
			preflight.LoadOK, "",
			[]string{"kept, ok", "kept, wrong"},
			"1 wrong row",
		},
		{
			"a row that is not checked",
			protocol + `echo '{"row": 1, "outcome": "not_checked", "reason": "r"}'; echo '{"load": "ok"}'`,
			preflight.LoadOK, "",
			[]string{"kept, ok", "not_checked r, wrong"},
			"1 wrong row",
		},
		{
			"more rows", protocol + dropped + `echo '{"row": 2, "outcome": "kept"}'; echo '{"load": "ok"}'`,
			preflight.LoadOK, "",
			[]string{"kept, ok", "dropped empty, wrong"},
			"the trainer drops 1 row of data.jsonl",
		},
		{
			"a crash of the load", protocol + `echo '{"load": "crash", "error": "ValueError: broken"}'`,
			preflight.LoadCrash, "ValueError: broken",
			[]string{"kept, ok", "-, wrong"},
			"the trainer cannot load data.jsonl",
		},
		{
			"not checked", `echo '{"load": "not_checked", "error": "datasets cannot be imported"}'`,
			preflight.LoadNotChecked, "datasets cannot be imported",
			[]string{"-, ok", "-, wrong"},
			"the trainer's libraries did not check data.jsonl",
		},
		{name: "junk", text: "echo hello", load: preflight.LoadNotChecked, err: `the loader printed what it should not: "hello"`},
		{
			name: "junk after a row", text: protocol + "echo '[]'", load: preflight.LoadNotChecked,
			err: `the loader printed what it should not: "[]"`,
		},
		{name: "a long line", text: `head -c 2000000 /dev/zero | tr '\0' x`, load: preflight.LoadNotChecked, err: "token too long"},
		{
			name: "an early end", text: protocol + "echo start >&2; echo 'Killed: out of memory' >&2; exit 3",
			load: preflight.LoadNotChecked, err: "the loader ended early (exit status 3): Killed: out of memory",
		},
		{name: "nothing", text: "", load: preflight.LoadNotChecked, err: "the loader ended early (unexpected EOF)"},
		{
			name: "much on standard error", text: `head -c 2000000 /dev/zero | tr '\0' x >&2; echo >&2; echo last >&2`,
			load: preflight.LoadNotChecked, err: "): last",
		},
		{name: "too slow", text: "exec sleep 60", load: preflight.LoadNotChecked, err: "the loader took longer than 2s"},
		{
			name: "the environment",
			text: `echo "{\"load\": \"crash\", \"error\": \"$HF_HUB_OFFLINE $HF_DATASETS_OFFLINE $OPENAI_API_KEY$HF_TOKEN $LANG\"}"`,
			load: preflight.LoadCrash, err: "1 1  xx",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("OPENAI_API_KEY", "sk-secret")
			d := chats(t)
			p := preflight.Interpreter{Path: program(t, tt.text), Getenv: getenv, Timeout: 2 * time.Second}
			if tt.load == preflight.LoadOK || tt.err != "the loader took longer than 2s" {
				p.Timeout = 0
			}
			if err := d.RunTrainer(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			got := printRows(t, d)
			run := got.total.Trainer[0]
			if run.Load != tt.load || (run.Error != "") != (tt.err != "") || !strings.Contains(run.Error, tt.err) {
				t.Errorf("load = %s, %v, want %s, %q", run.Load, run.Error, tt.load, tt.err)
			}
			if diff := cmp.Diff(tt.rows, got.rows); tt.rows != nil && diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			if u := got.total.Unclean(); tt.rows != nil && u != tt.unclean {
				t.Errorf("Unclean() = %q, want %q", u, tt.unclean)
			}
		})
	}
}

func getenv(name string) string {
	return map[string]string{"PATH": os.Getenv("PATH"), "LANG": "xx", "OPENAI_API_KEY": "sk-secret", "HF_TOKEN": "hf"}[name]
}

// The trainer's verdict is printed row by row.
func TestRunTrainerSummary(t *testing.T) {
	d := chats(t)
	text := protocol + `echo '{"row": 1, "outcome": "dropped", "reason": "too long"}'; echo '{"load": "ok"}'`
	if err := d.RunTrainer(t.Context(), preflight.Interpreter{Path: program(t, text), Getenv: getenv}); err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(printRows(t, d).summary, "\n\nResult of")
	const want = ` the trainer's own libraries (trl 1.16.0, datasets 4.0.0) for data.jsonl:
The file loads: 1 of 2 rows kept, 1 dropped.
  0 (data.jsonl:1): kept, 14 tokens
  1 (data.jsonl:2): dropped: too long
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRunTrainerErrors(t *testing.T) {
	d := chats(t)
	wrong := (*qa.UsageError)(nil)
	if err := d.RunTrainer(t.Context(), preflight.Interpreter{Path: "nowhere/python", Getenv: getenv}); !errors.As(err, &wrong) {
		t.Errorf("a missing interpreter: %v, want a usage error", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	err := d.RunTrainer(ctx, preflight.Interpreter{Path: program(t, "exec sleep 60"), Getenv: getenv})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a cancelled context: %v", err)
	}
}

// The stubs of the trainer's libraries in testdata/python read JSON Lines and render chats in few words.
func TestLoader(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	stubs, err := filepath.Abs("testdata/python")
	if err != nil {
		t.Fatal(err)
	}
	const (
		good  = `{"prompt": [{"role": "user", "content": "q"}], "completion": [{"role": "assistant", "content": "x y"}]}` + "\n"
		null  = `{"prompt": [{"role": "user", "content": null}], "completion": []}`
		parts = `{"prompt": [{"role": "user", "content": [{"type": "text", "text": "q"}]}], ` +
			`"completion": [{"role": "assistant", "content": [{"type": "text", "text": "x "}, {"type": "text", "text": "y"}]}]}` + "\n"
		image = `{"prompt": [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "q"}]}], "images": ["images/a.png"], ` +
			`"completion": [{"role": "assistant", "content": [{"type": "text", "text": "x"}]}]}`
		pair = `{"prompt": [{"role": "user", "content": "q"}], "chosen": [{"role": "assistant", "content": "x y"}], "rejected": []}`
	)
	tests := []struct {
		name, file, text string
		trainer          preflight.Trainer
		tokenizer        bool
		cutoff           int
		missing          string // a library that cannot be imported
		load             preflight.Load
		err              string
		want             []preflight.TrainerRow
	}{
		{name: "no tokenizer", text: good, load: "ok", want: []preflight.TrainerRow{
			{Outcome: "not_checked", Reason: "without a tokenizer, the row is loaded but not rendered"},
		}},
		{name: "a tokenizer", text: good, tokenizer: true, load: "ok", want: []preflight.TrainerRow{kept(5, 2, 0)}},
		{name: "parts", text: parts + image, tokenizer: true, load: "ok", want: []preflight.TrainerRow{
			kept(5, 2, 0), {Outcome: "not_checked", Reason: "a row with images needs the processor of a vision model, beside tokenizer.json"},
		}},
		{name: "a cut answer", text: good, tokenizer: true, cutoff: 4, load: "ok", want: []preflight.TrainerRow{kept(4, 1, 1)}},
		{name: "a long prompt", text: good, tokenizer: true, cutoff: 3, load: "ok", want: []preflight.TrainerRow{
			{Outcome: "dropped", Reason: "the prompt fills max_length, or the answer is empty"},
		}},
		{
			name: "messages", text: `{"messages": [{"role": "user", "content": "q"}]}`, trainer: preflight.OpenAI,
			tokenizer: true, load: "ok", want: []preflight.TrainerRow{kept(2, 2, 0)},
		},
		{name: "a pair", text: pair, tokenizer: true, load: "ok", want: []preflight.TrainerRow{
			{Outcome: "dropped", Reason: "the prompt fills max_length, or the answer is empty"},
		}},
		{
			name: "text", text: `{"text": "q"}`, tokenizer: true, load: "ok",
			want: []preflight.TrainerRow{{Outcome: "not_checked", Reason: "the row is no chat"}},
		},
		{name: "a row that stops it", text: good + null, tokenizer: true, load: "ok", want: []preflight.TrainerRow{
			kept(5, 2, 0), {Outcome: "crash", Reason: "AttributeError: 'NoneType' object has no attribute 'split'"},
		}},
		{name: "a broken file", text: "{", load: "crash", err: "JSONDecodeError: Expecting property name"},
		{name: "no datasets", text: good, missing: "datasets", load: "not_checked", err: "datasets cannot be imported: ImportError: "},
		{
			name: "no transformers", text: good, tokenizer: true, missing: "transformers", load: "not_checked",
			err: "transformers cannot be imported: ImportError: ",
		},
		{
			name: "no LLaMA-Factory", text: good, trainer: preflight.LLaMAFactory, missing: "llamafactory", load: "not_checked",
			err: "llamafactory.hparams cannot be imported: ImportError: ",
		},
		{name: "another kind of file", file: "data.xml", text: good, load: "not_checked", err: "no loader of datasets is known for .xml files"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			o := preflight.Options{Path: filepath.Join(dir, "data.jsonl"), Trainer: preflight.TRL, Length: preflight.Length{CutoffLen: tt.cutoff}}
			if tt.file != "" {
				o.Path = filepath.Join(dir, tt.file)
			}
			if tt.trainer != "" {
				o.Trainer = tt.trainer
			}
			if tt.tokenizer {
				o.Tokenizer = "testdata/trl/tokenizer.json"
			}
			if err := os.WriteFile(o.Path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			d, err := preflight.Open(o)
			if err != nil {
				t.Fatal(err)
			}
			env := func(name string) string {
				return map[string]string{"PATH": os.Getenv("PATH"), "PYTHONPATH": stubs, "LANG": tt.missing}[name]
			}
			if err := d.RunTrainer(t.Context(), preflight.Interpreter{Path: python, Getenv: env}); err != nil {
				t.Fatal(err)
			}
			var got []preflight.TrainerRow
			total, err := d.Rows(func(r preflight.Row) error {
				if r.Trainer != nil {
					got = append(got, *r.Trainer)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if run := total.Trainer[0]; run.Load != tt.load || !strings.Contains(run.Error, tt.err) {
				t.Errorf("load = %s, %s, want %s, %s", run.Load, run.Error, tt.load, tt.err)
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}

func kept(tokens, trained, cut int) preflight.TrainerRow {
	return preflight.TrainerRow{Outcome: preflight.Kept, Tokens: &tokens, Trained: &trained, Cut: &cut}
}
