package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"airqa/eval"
	"airqa/internal/exit"
	"airqa/qa"
	"airqa/run/runlog"
)

// explainRun shows how one answer of a run is scored: by the judge that is named, else by that of the newest scoring.
func (c scoreCmd) explainRun(a *app, dirs []string) (err error) {
	if len(dirs) != 1 {
		return exit.Misuse("--explain looks at one run; here are %d", len(dirs))
	}
	if list, _ := runlog.Scorings(dirs[0]); len(list) > 0 && c.Judge == "" && len(c.Judges) == 0 {
		c.judgeFlags = c.of(list[0])
	}
	j, err := c.open(a, filepath.Join(dirs[0], verdictsFile))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	r, examples, err := a.session().OpenRun(dirs[0])
	if err != nil {
		return err
	}
	ex, repeat, err := c.explained(examples)
	if err != nil {
		return err
	}
	rec, err := r.Episode(ex.UUID, repeat)
	switch {
	case err != nil:
		return fmt.Errorf("%s, repeat %d: %w", ex.UUID, repeat, err)
	case !rec.Answer.Given:
		return fmt.Errorf("%s has no answer to explain: its outcome is %q", ex.UUID, rec.Outcome)
	}
	return a.explain(ex, eval.Answer(rec.Answer), j.judge, c.JSON)
}

// explainFile shows how one prediction of a file is scored.
func (c scoreCmd) explainFile(a *app, judge eval.Judge) error {
	examples, err := a.loadQuestions(c.Gold)
	if err != nil {
		return err
	}
	ex, repeat, err := c.explained(examples)
	if err != nil {
		return err
	}
	p, err := findPrediction(c.Pred, ex.UUID, repeat)
	if err != nil {
		return err
	}
	return a.explain(ex, p, judge, c.JSON)
}

// explained finds what --explain names: a question, and which of its repeats.
func (c scoreCmd) explained(examples []qa.Example) (ex qa.Example, repeat int, err error) {
	if ex, err = findExample(examples, c.Explain); err == nil {
		return ex, 0, nil
	}
	at := strings.LastIndexByte(c.Explain, '#')
	if at < 0 {
		return ex, 0, err
	}
	if repeat, err = strconv.Atoi(c.Explain[at+1:]); err != nil || repeat < 0 {
		return ex, 0, exit.Misuse("--explain %s: want UUID or UUID#REPEAT", c.Explain)
	}
	ex, err = findExample(examples, c.Explain[:at])
	return ex, repeat, err
}

func findExample(examples []qa.Example, id string) (qa.Example, error) {
	var found []qa.Example
	for _, ex := range examples {
		if ex.UUID == id {
			return ex, nil
		}
		if strings.HasPrefix(ex.UUID, id) {
			found = append(found, ex)
		}
	}
	switch len(found) {
	case 0:
		return qa.Example{}, fmt.Errorf("no question begins with %q", id)
	case 1:
		return found[0], nil
	}
	return qa.Example{}, fmt.Errorf("%d questions begin with %q, such as %s and %s", len(found), id, found[0].UUID, found[1].UUID)
}

// findPrediction reads a file of predictions up to the one that is wanted.
func findPrediction(path, uuid string, repeat int) (eval.Prediction, error) {
	file, err := os.Open(path)
	if err != nil {
		return eval.Prediction{}, err
	}
	defer func() { _ = file.Close() }()
	in := bufio.NewReaderSize(file, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		var p struct {
			UUID   string          `json:"uuid"`
			Repeat int             `json:"repeat"`
			Answer json.RawMessage `json:"answer"`
		}
		if json.Unmarshal(line, &p) == nil && p.UUID == uuid && p.Repeat == repeat && p.Answer != nil {
			return eval.JSON(p.Answer)
		}
		if errors.Is(err, io.EOF) {
			return eval.Prediction{}, fmt.Errorf("%s has no prediction for %s", path, uuid)
		}
		if err != nil {
			return eval.Prediction{}, err
		}
	}
}
