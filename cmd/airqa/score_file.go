package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"

	"airqa/eval"
	"airqa/eval/stream"
	"airqa/internal/aside"
	"airqa/internal/exit"
	"airqa/internal/progress"
	"airqa/qa"
)

// scoreFileFlags say which files to score.
type scoreFileFlags struct {
	Gold       string `placeholder:"FILE" help:"Questions with their evaluators, to score a file of predictions."`
	Pred       string `placeholder:"FILE" help:"Predictions, JSON Lines of {\"uuid\": ..., \"answer\": ...}, with \"repeat\": N where a question has several; also the authors' result.jsonl."`
	Out        string `short:"o" placeholder:"FILE" env:"AIRQA_SCORE_OUT" help:"Write a line of JSON for each prediction to FILE, then the totals."`
	ScoreCores int    `name:"cores" default:"0" help:"Processors to score on; 0 is all."`
}

func (f scoreFileFlags) check() error {
	switch {
	case f.ScoreCores < 0:
		return exit.Misuse("--cores %d: name a number of processors, or 0 for all", f.ScoreCores)
	case f.Out == "":
		return nil
	case f.Gold == "":
		return exit.Misuse("--out goes with --gold and --pred; the scores of a run are in RUN/scores/")
	case f.Out == f.Gold || f.Out == f.Pred:
		return exit.Misuse("--out %s would replace what is to be scored", f.Out)
	}
	return nil
}

// streamConfig is how answers are scored. Twice as many wait as a judge is asked at once: it never waits for them.
func (c scoreCmd) streamConfig(scorer *eval.Scorer) stream.Config {
	return stream.Config{Scorer: scorer, Workers: c.ScoreCores, Judges: 2 * max(c.JudgeConcurrency, 1)}
}

// scoreFile pairs predictions with golds by uuid and scores them in the order of the golds.
func (c scoreCmd) scoreFile(a *app, j *judging) (totals, error) {
	t := totals{Scoring: c.Scoring, Judge: c.Judge}
	var report stream.Report
	var err error
	scores := func(w io.Writer) error { return c.streamScores(a, j, &report, &t, w) }
	if c.Out == "" {
		err = scores(io.Discard)
	} else {
		err = aside.Write(c.Out, scores)
	}
	a.tellProblems(c.scoreFileFlags, report)
	switch {
	case errors.Is(err, stream.ErrNoPair) && report.Questions == 0:
		return t, fmt.Errorf("%s holds no example that can be used", c.Gold)
	case errors.Is(err, stream.ErrNoPair):
		return t, fmt.Errorf("%s holds no prediction for any question of %s", c.Pred, c.Gold)
	case err != nil || c.JSON:
		return t, err
	}
	return t, t.print(a)
}

// streamScores scores the files and writes the scores to w and, as JSON, to standard output while they come.
func (c scoreCmd) streamScores(a *app, j *judging, report *stream.Report, t *totals, w io.Writer) error {
	ctx, drain, stop := a.interrupts()
	defer stop()
	j.drain = drain
	config := c.streamConfig(c.scorer(j.judge))
	config.Drain = drain // half a file of scores is none

	if c.JSON {
		w = io.MultiWriter(a.out, w)
	}
	lines := newScoreWriter(w)
	lines.silent = !c.JSON && c.Out == ""
	stage, read := a.fileStage(c.Pred, &lines.count)
	defer func() { stage.Close(t.progress()) }()

	files := stream.Files{Golds: c.Gold, Predictions: c.Pred, Check: true, Read: read}
	for s, err := range files.Score(ctx, config, report) {
		if err != nil {
			return undrained(err)
		}
		t.add(s)
		if err := lines.write(s); err != nil {
			return err
		}
	}
	t.closeQuestion()
	return lines.end(*t)
}

// fileStage opens a stage that runs with the reading of a file of predictions.
func (a *app) fileStage(path string, count *atomic.Int64) (*progress.Stage, func(bytes int64)) {
	size := int64(0)
	if info, err := os.Stat(path); err == nil {
		size = info.Size()
	}
	stage := a.progress.Stage("score "+filepath.Base(path), int(size>>10))
	return stage, func(bytes int64) {
		stage.Set(int(bytes>>10), fmt.Sprintf("KB read, %d answers done", count.Load()))
	}
}

// tellProblems says what was left out or did not fit: the first few of each kind by line, and how many.
func (a *app) tellProblems(f scoreFileFlags, r stream.Report) {
	a.tellFirst(r.Golds, "faults of questions", "kept")
	a.tellFirst(r.Unreadable, "lines that are no predictions", "")
	a.tellFirst(r.Twice, "second predictions", "")
	if r.Paired == 0 {
		return
	}
	a.tellFirst(r.Missing, "questions without a prediction", "scores 0")
	if n := r.Missing.Count; n > 0 {
		a.say("warning: %d of %d questions have no prediction; they score 0", n, r.Questions)
	}
	a.tellFirst(r.Unknown, "predictions for no question", "")
	if n := r.Unknown.Count; n > 0 {
		a.say("warning: %d predictions belong to no question of %s", n, f.Gold)
	}
}

// tellFirst says the first problems of a kind; loaded is what became of those that were not left out.
func (a *app) tellFirst(p stream.Problems, kind, loaded string) {
	for _, fault := range p.First {
		became := "left out"
		if fault.Loaded {
			became = loaded
		}
		a.say("warning: %v (%s)", fault, became)
	}
	if more := p.Count - len(p.First); more > 0 {
		a.say("warning: and %d more %s", more, kind)
	}
}

// scoreLine is a score on standard output: an unscored one is null, never 0.
type scoreLine struct {
	UUID    string     `json:"uuid"`
	Repeat  int        `json:"repeat,omitempty"`
	Score   *float64   `json:"score"`
	Verdict qa.Verdict `json:"verdict"`
	Format  bool       `json:"format_only,omitempty"`
	Reason  string     `json:"reason,omitempty"`
	Votes   []qa.Vote  `json:"votes,omitempty"`
}

// scoreWriter writes scores as JSON Lines. count may be read by other goroutines.
type scoreWriter struct {
	w      *bufio.Writer
	enc    *json.Encoder
	count  atomic.Int64
	silent bool // counts only: nobody reads
}

func newScoreWriter(out io.Writer) *scoreWriter {
	w := bufio.NewWriterSize(out, 64<<10)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return &scoreWriter{w: w, enc: enc}
}

func (w *scoreWriter) write(s qa.Score) error {
	w.count.Add(1)
	if w.silent {
		return nil
	}
	line := scoreLine{UUID: s.UUID, Repeat: s.Repeat, Verdict: s.Verdict, Format: s.FormatOnly, Reason: s.Reason, Votes: s.Votes}
	if s.Verdict != qa.Unscored {
		line.Score = &s.Value
	}
	return w.enc.Encode(line)
}

// end writes the totals.
func (w *scoreWriter) end(t totals) error {
	if err := w.enc.Encode(map[string]totals{"total": t}); err != nil {
		return err
	}
	return w.w.Flush()
}
