package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"airqa/internal/files"
	"airqa/internal/terminal"
	"airqa/train/preflight"
	"airqa/train/preflight/rows"
)

// checkFlags name a file of training data and what reads it.
type checkFlags struct {
	File      string `arg:"" name:"file" help:"Training data: a .json or .jsonl file, or a folder with dataset_info.json."`
	Trainer   string `default:"llamafactory" enum:"llamafactory,trl,openai" help:"llamafactory (0.9.5), trl (1.16, with a ChatML template) or openai."`
	Config    string `name:"trainer-config" placeholder:"FILE" help:"The trainer's own configuration, YAML. Default: llamafactory.yaml or trl.yaml in the folder, or the trainer's defaults."`
	Dataset   string `placeholder:"NAME" help:"Entry of dataset_info.json. Default: the one in --trainer-config, or the only one."`
	Tokenizer string `placeholder:"FILE" help:"tokenizer.json of the model. Default: an estimate."`
	CutoffLen int    `placeholder:"N" help:"Maximum number of tokens in a row, in place of the one in --trainer-config."`
	Template  string `placeholder:"NAME" help:"Chat template of LLaMA-Factory or TRL, in place of the one in --trainer-config."`
}

// options are those of the file that the trainer gets.
func (f checkFlags) options(a *app) preflight.Options {
	return preflight.Options{
		Path: f.File, Trainer: preflight.Trainer(f.Trainer), Training: f.Config, Dataset: f.Dataset,
		Tokenizer: f.Tokenizer, CutoffLen: f.CutoffLen, Template: f.Template, Today: a.now(),
	}
}

type exportCheckCmd struct {
	checkFlags
	Python string `placeholder:"FILE" help:"Python with the trainer's libraries (VENV/bin/python), to read the file with the trainer's own loader too."`
	JSON   bool   `name:"json" help:"Print one JSON line per row, then the total."`
}

func (c exportCheckCmd) Run(a *app) error {
	o := c.options(a)
	file, err := openDataset(o)
	if err != nil {
		return err
	}
	unclean, err := c.check(a, file)
	if err != nil {
		return err
	}
	others, err := preflight.Evaluation(o)
	if err != nil {
		return withCode(exitUsage, err)
	}
	for _, other := range others {
		if file, err = openDataset(other); err != nil {
			return err
		}
		bad, err := c.check(a, file)
		if err != nil {
			return err
		}
		unclean = cmp.Or(unclean, bad)
	}
	if unclean != "" {
		return fmt.Errorf("%s: %s", c.File, unclean)
	}
	return nil
}

// check prints what the trainer does with a data set, and returns why it is not clean.
func (c exportCheckCmd) check(a *app, file *preflight.Dataset) (unclean string, err error) {
	if c.Python != "" {
		if err := file.RunTrainer(a.ctx, preflight.Interpreter{Path: c.Python, Getenv: a.getenv}); err != nil {
			return "", err
		}
	}
	var summary preflight.Summary
	out := bufio.NewWriter(a.out)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	total, err := file.Rows(a.ctx, func(r preflight.Row) error {
		if c.JSON {
			return lines.Encode(r)
		}
		summary.Add(r)
		return nil
	})
	if err != nil {
		return "", err
	}
	if c.JSON {
		err = lines.Encode(map[string]preflight.Total{"total": total})
	} else {
		err = summary.Write(out, file.Settings(), total)
	}
	if err == nil {
		err = out.Flush()
	}
	return total.Unclean(), err
}

// openDataset opens a file of training data. What is wrong with the command is wrong use.
func openDataset(o preflight.Options) (*preflight.Dataset, error) {
	file, err := preflight.Open(o)
	switch {
	case errors.Is(err, rows.ErrSeveral):
		err = fmt.Errorf("%w with --dataset", err)
	case errors.Is(err, preflight.ErrNoTemplate):
		err = fmt.Errorf("%w with --template", err)
	}
	if err != nil {
		return nil, withCode(exitUsage, err)
	}
	return file, nil
}

type exportShowCmd struct {
	checkFlags
	Row  int    `required:"" placeholder:"N" help:"Row, counted from 0 as in airqa export check."`
	HTML string `name:"html" placeholder:"FILE" help:"Write a page instead."`
}

func (c exportShowCmd) Run(a *app) error {
	file, err := openDataset(c.options(a))
	if err != nil {
		return err
	}
	spans, err := file.Spans(c.Row)
	if err != nil {
		return err
	}
	if c.HTML == "" {
		return a.print(preflight.Text(spans, terminal.StyleOf(os.Stdout, a.getenv)))
	}
	title := fmt.Sprintf("%s, row %d", filepath.Base(c.File), c.Row)
	if err := files.WriteFile(c.HTML, []byte(preflight.HTML(title, spans))); err != nil {
		return err
	}
	a.say("wrote %s", c.HTML)
	return nil
}
