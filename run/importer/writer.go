package importer

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"airqa/internal/files"
	"airqa/internal/lazyregexp"
	"airqa/internal/ledger"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/runlog"
)

// writer writes run directories to a hidden folder beside the final one.
type writer struct {
	Config
	stage *files.Staged
	runs  map[origin]*run
	order []*run
}

// run is a run directory being written.
type run struct {
	origin
	dir       string
	log       *runlog.Writer
	now       time.Time
	examples  []qa.Example
	questions map[string]bool
	episodes  map[string]bool
	tools     []qa.ToolSpec // in the order of their appearance
	settings  map[string]any
	price     *qa.Price
	created   time.Time
	ended     time.Time
	repeats   int
	scores    map[string][]qa.Score
	judges    []string
	losses    Losses
}

// runOf returns the run of an episode.
func (w *writer) runOf(o origin) (*run, error) {
	const maxRuns = 200 // each is an open file
	if r := w.runs[o]; r != nil {
		return r, nil
	}
	if len(w.runs) == maxRuns {
		return nil, fmt.Errorf("more than %d agents, models or runs; import them in several commands", maxRuns)
	}
	r := &run{
		origin: o, dir: filepath.Join(w.stage.Path, fmt.Sprintf("log-%d", len(w.order))),
		questions: make(map[string]bool), episodes: make(map[string]bool),
		settings: make(map[string]any), scores: make(map[string][]qa.Score), losses: make(Losses),
	}
	err := os.MkdirAll(r.dir, 0o755)
	if err == nil {
		r.log, err = runlog.OpenWriter(r.dir, runlog.WriterConfig{Redact: w.Redact, Now: func() time.Time { return r.now }})
	}
	if err != nil {
		return nil, err
	}
	w.runs[o], w.order = r, append(w.order, r)
	return r, nil
}

// add writes an episode.
func (w *writer) add(e *episode) error {
	r, err := w.runOf(e.origin)
	if err != nil {
		return err
	}
	for r.episodes[qa.EpisodeID(e.uuid, e.repeat)] {
		e.repeat++ // two trajectories of one question
	}
	r.episodes[qa.EpisodeID(e.uuid, e.repeat)] = true
	for _, x := range e.entries {
		e.started = cmp.Or(e.started, x.started)
	}
	if e.started.IsZero() {
		e.started = time.Unix(0, 0).UTC()
		e.losses.Add("episode without any time, now of 1970")
	}
	at := e.started
	for i := range e.entries { // an entry without a time begins when the one before it ended
		x := &e.entries[i]
		x.started = cmp.Or(x.started, at)
		x.ended = latest(x.ended, x.started)
		at = latest(at, x.ended)
	}
	e.ended = latest(e.ended, at)
	r.note(e)
	if err := r.record(e); err != nil {
		return err
	}
	for what, n := range e.losses {
		r.losses[what] += n
	}
	return nil
}

// note adds what the run knows of an episode.
func (r *run) note(e *episode) {
	if !r.questions[e.uuid] {
		r.questions[e.uuid] = true
		r.examples = append(r.examples, qa.Example{
			UUID: e.uuid, Question: e.question, Tags: []string{}, AnchorPDF: []string{},
			ReferencePDF: []string{}, Conference: []string{}, Extra: e.extra,
		})
	}
	for _, t := range e.tools {
		at := slices.IndexFunc(r.tools, func(old qa.ToolSpec) bool { return old.Name == t.Name })
		if at < 0 {
			r.tools = append(r.tools, t)
		} else if old := r.tools[at]; string(old.Parameters)+old.Description != string(t.Parameters)+t.Description {
			e.losses.Add("definition of a tool that differs between episodes")
		}
	}
	if e.price != nil {
		r.price = e.price
	}
	if r.created.IsZero() || e.started.Before(r.created) {
		r.created = e.started
	}
	r.ended, r.repeats = latest(r.ended, e.ended), max(r.repeats, e.repeat+1)
	for _, s := range e.scores {
		if r.scores[s.judge] == nil {
			r.judges = append(r.judges, s.judge)
		}
		s.UUID, s.Repeat = e.uuid, e.repeat
		r.scores[s.judge] = append(r.scores[s.judge], s.Score)
	}
}

// ScoringMode is the mode of scores that a log came with. Their judge is named after their source.
const ScoringMode = "imported"

// commit completes the run directories and puts them in their place.
func (w *writer) commit() (r Result, err error) {
	r.Losses = make(Losses)
	done := filepath.Join(w.stage.Path, "done")
	names := make(map[string]bool)
	for _, one := range w.order {
		dir := done
		if len(w.order) > 1 {
			dir = filepath.Join(done, one.name(names))
			r.Runs = append(r.Runs, filepath.Join(w.Out, filepath.Base(dir)))
		} else {
			r.Runs = []string{w.Out}
		}
		if err := one.complete(dir, w.Config); err != nil {
			return r, err
		}
		r.Episodes += len(one.episodes)
		for what, n := range one.losses {
			r.Losses[what] += n
		}
	}
	return r, w.stage.Move(done)
}

var notInNames = lazyregexp.New(`[^A-Za-z0-9._-]+`)

// name returns the name of a run directory that no other of the import has.
func (r *run) name(taken map[string]bool) string {
	base := strings.Trim(notInNames.ReplaceAllString(r.Agent, "-"), ".-")
	base = cmp.Or(base[:min(len(base), 80)], "run")
	name := base
	for i := 2; taken[name]; i++ {
		name = fmt.Sprintf("%s-%d", base, i)
	}
	taken[name] = true
	return name
}

// complete makes the run directory of a log that is complete.
func (r *run) complete(dir string, c Config) error {
	questions, err := dataset.Lines(r.examples)
	if err != nil {
		return err
	}
	config, err := r.config(c, questions)
	if err != nil {
		return err
	}
	if err := r.log.Close(); err != nil {
		return err
	}
	if err := runlog.Create(dir, config, questions); err != nil {
		return err
	}
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.Rename(filepath.Join(r.dir, e.Name()), filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	for i, judge := range r.judges { // the first judge of the log counts as the newest
		at := r.ended.Add(-time.Duration(i) * time.Millisecond).UTC()
		s := runlog.Scoring{Mode: ScoringMode, Judge: judge, Program: r.Program, Created: at}
		if err := runlog.WriteScores(dir, s, r.scores[judge], c.Redact); err != nil {
			return err
		}
	}
	return nil
}

// config returns run.json. It keeps the definitions of tools beside the log.
func (r *run) config(c Config, questions []byte) (runlog.Config, error) {
	texts, hashes := make(map[string]string), make(map[string]string)
	var names []string
	for _, t := range r.tools {
		names = append(names, t.Name)
		raw, err := ledger.Encode(t)
		if err != nil {
			return runlog.Config{}, err
		}
		text := strings.TrimSuffix(string(raw), "\n") // as a run directory keeps it
		texts[t.Name], hashes[t.Name] = text, runlog.Hash(text)
		r.settings["protocol"] = string(qa.NativeTools)
	}
	if err := r.log.KeepTexts(texts); err != nil {
		return runlog.Config{}, err
	}
	model := map[string]any{}
	for key, value := range map[string]string{"provider": r.Provider, "model": r.Model} {
		if value != "" {
			model[key] = value
		}
	}
	note := runlog.Note{
		QuestionsFile: filepath.Base(c.Paths[0]), QuestionCount: len(r.examples), Tools: names, Price: r.price,
		Imported: &runlog.Imported{File: filepath.Base(c.Paths[0]), Format: r.Format, Program: c.Program, Run: r.Run, Losses: r.losses},
	}
	if r.repeats > 1 {
		note.Repeats = r.repeats
	}
	return runlog.Config{
		Program: r.Program, Created: r.created.UTC(), Note: note,
		Shape: runlog.Shape{
			Baseline: r.Agent, Model: model, Settings: r.settings, Prompts: map[string]string{}, Tools: hashes, Questions: runlog.Hash(string(questions)),
		},
	}, nil
}
