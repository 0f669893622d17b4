package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"golang.org/x/term"

	"airqa/env"
	"airqa/eval"
	"airqa/eval/author"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/qa/dataset"
)

type questionsNewCmd struct {
	author.Draft
	Type      string   `placeholder:"TYPE" help:"Answer type, which determines how answers are scored (listed above). Default: guessed from the answer."`
	Paper     []string `sep:"none" placeholder:"PAPER" help:"Paper that the question names: uuid, file name or part of the title. Repeatable."`
	Reference []string `sep:"none" placeholder:"PAPER" help:"Paper that the answer needs and the question does not name. Repeatable."`
	EvalJSON  string   `name:"evaluator" placeholder:"JSON" help:"Evaluator with eval_func and eval_kwargs, instead of --type and --answer."`
	Append    string   `placeholder:"FILE" help:"Append the question to a JSON Lines file instead of printing it."`
	Data      string   `short:"d" env:"AIRQA_DATA" default:"airqa-data" placeholder:"DIR" help:"Data directory in which papers are found by name. Not needed for uuids."`
}

func (c questionsNewCmd) Run(a *app) error {
	d, err := c.draft(a)
	if err != nil {
		return err
	}
	w, err := c.write(a, d)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintln(a.errs, w.Text(author.Preview(a.ctx, w), terminalWidth(os.Stderr)))
	if w.Guessed && w.Kind != author.None {
		a.say("note: the type %s was guessed from the answer; --type sets another one", w.Kind)
	}
	for _, text := range w.Notes {
		a.say("note: %s", text)
	}
	if eval.Subjective(w.Evaluator) {
		a.say("note: these verdicts compare words only; airqa score uses the judge given by --judge")
	}
	return c.save(a, w)
}

func (c questionsNewCmd) draft(a *app) (author.Draft, error) {
	d := c.Draft
	d.Find = a.finder(c.Data)
	if c.Count < 0 || c.Decimals != nil && *c.Decimals < 0 {
		return d, qa.Usagef("--count and --decimals must not be negative")
	}
	var err error
	if c.Type != "" {
		if d.Kind, err = author.ParseKind(c.Type); err != nil {
			return d, err
		}
	}
	if d.Evaluator, err = c.evaluator(); err != nil {
		return d, err
	}
	if d.Papers, err = found(d.Find, "--paper", c.Paper); err == nil {
		d.References, err = found(d.Find, "--reference", c.Reference)
	}
	return d, err
}

// evaluator is that of --evaluator; its function is empty without the flag.
func (c questionsNewCmd) evaluator() (e qa.Evaluator, err error) {
	switch {
	case c.EvalJSON == "":
		return e, nil
	case c.Type != "" || c.Answer != "":
		return e, qa.Usagef("--evaluator replaces --type and --answer")
	}
	if json.Unmarshal([]byte(c.EvalJSON), &e) != nil || e.Func == "" || len(e.Kwargs) == 0 {
		err = qa.Usagef(`--evaluator must be JSON such as {"eval_func": "eval_int_exact_match", "eval_kwargs": {"gold": 8}}`)
	}
	return e, err
}

// found are the uuids of the papers that a flag names.
func found(find author.Finder, flag string, names []string) ([]string, error) {
	var list []string
	for _, name := range names {
		uuid, _, err := author.FindPaper(find, name)
		if err != nil {
			return nil, withCode(exitUsage, fmt.Errorf("%s: %w", flag, err))
		}
		list = append(list, uuid)
	}
	return list, nil
}

// finder finds papers of a data directory. It opens the directory for each name: while it is open, a writer cannot remove
// what it replaced.
func (a *app) finder(dir string) author.Finder {
	return func(name string) (uuid, title string, err error) {
		papers, err := env.OpenPapers(a.ctx, dir)
		if err != nil {
			return "", "", err
		}
		defer func() { err = errors.Join(err, papers.Close()) }()
		p, err := papers.FindOne(a.ctx, name)
		return p.PaperID, p.Title, err
	}
}

// write makes the question of a draft. On a terminal it asks for what is missing.
func (c questionsNewCmd) write(a *app, d author.Draft) (author.Written, error) {
	answered := strings.TrimSpace(d.Answer) != "" || d.Kind == author.None || d.Evaluator.Func != "" || len(d.Points) > 0
	complete := strings.TrimSpace(d.Question) != "" && answered
	if complete {
		w, err := d.Write()
		if err != nil {
			err = withCode(exitUsage, err)
		}
		return w, err
	}
	in, ok := a.in.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return author.Written{}, qa.Usagef("give --question and --answer, or --type none for a question that stays unscored")
	}
	return a.interview(d)
}

// interview asks for a draft on the terminal. Ctrl-C ends it before anything is written.
func (a *app) interview(d author.Draft) (author.Written, error) {
	ctx, stop := signal.NotifyContext(a.ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	lines := make(chan string)
	go func(in io.Reader) { // a read of a terminal cannot be cancelled: this ends with the program
		defer close(lines)
		for s := bufio.NewScanner(in); s.Scan(); {
			lines <- s.Text()
		}
	}(a.in)
	ask := func(prompt, byDefault string) (string, error) {
		if byDefault != "" {
			prompt += " [" + terminal.Line(byDefault) + "]"
		}
		_, _ = fmt.Fprint(a.errs, prompt+": ")
		select {
		case <-ctx.Done():
			a.say("")
			return "", withCode(exitInterrupted, errors.New("stopped; nothing was written"))
		case line, ok := <-lines:
			if !ok {
				a.say("")
				return "", errors.New("end of input; nothing was written")
			}
			if line = strings.TrimSpace(line); line == "" {
				return byDefault, nil
			}
			return line, nil
		}
	}
	return author.Interview{Ask: ask, Say: func(text string) { a.say("%s", text) }, Find: d.Find}.Run(d)
}

// defaultData is the default of --data.
const defaultData = "airqa-data"

// save prints the question or appends it to a file.
func (c questionsNewCmd) save(a *app, w author.Written) error {
	if c.Append == "" {
		line, err := dataset.Lines([]qa.Example{w.Example})
		if err == nil {
			_, err = a.out.Write(line)
		}
		return err
	}
	n, err := dataset.Append(c.Append, w.Example)
	if err == nil {
		a.say("appended to %s, which has %s now", c.Append, terminal.Plural(n, "question"))
		next, words := "airqa run", []string{c.Append}
		if c.Data != defaultData {
			next, words = next+" -d %s", []string{c.Data, c.Append}
		}
		a.next(next+" -q %s --baseline agentic-hybrid -m MODEL --score", words...)
	}
	return err
}
