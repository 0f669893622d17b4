package scoring

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"airqa/eval/author"
	"airqa/eval/stream"
	"airqa/qa"
)

// Files pairs predictions with golds by uuid and scores them in the order of the golds. It streams the scores to w as
// JSON Lines; a nil w only counts them.
func (c Scoring) Files(files stream.Files, w io.Writer) (Totals, error) {
	golds, predictions := files.Golds, files.Predictions
	files.Find = c.FindPaper
	t := Totals{Scoring: string(c.Mode), Judge: c.Judge.Name}
	var report stream.Report
	err := c.streamFiles(files, &report, &t, w)
	c.NoteReading(&report.Read, author.Lost)
	c.noteFirst(report.Golds, "faults of questions", "kept")
	c.noteFirst(report.Unreadable, "lines that are not predictions", "")
	c.noteFirst(report.Twice, "second predictions", "")
	if report.Paired > 0 {
		c.noteFirst(report.Missing, "questions without a prediction", "scored 0")
		if n := report.Missing.Count; n > 0 {
			c.Notify.Warnf("%d of %d questions have no prediction; they score 0", n, report.Questions)
		}
		c.noteFirst(report.Unknown, "predictions for no question", "")
		if n := report.Unknown.Count; n > 0 {
			c.Notify.Warnf("%d predictions match no question of %s", n, golds)
		}
	}
	if errors.Is(err, stream.ErrNoPair) {
		err = fmt.Errorf("%s has no prediction for any question of %s", predictions, golds)
		if report.Questions == 0 {
			err = fmt.Errorf("%s has no usable questions", golds)
		}
	}
	if none := report.Read.Unanswered(golds); err == nil && none != nil {
		err = &qa.FailedError{Err: none}
	}
	return t, err
}

func (c Scoring) streamFiles(files stream.Files, report *stream.Report, t *Totals, w io.Writer) error {
	ctx, drain, stop := c.Interrupts()
	defer stop()
	lines := NewLines(w)
	size := int64(0)
	if info, err := os.Stat(files.Predictions); err == nil {
		size = info.Size()
	}
	stage := c.Progress.Stage("score "+filepath.Base(files.Predictions), int(size>>10))
	files.Read = func(bytes int64) {
		stage.Set(int(bytes>>10), fmt.Sprintf("KB read, %d answers done", lines.count.Load()))
	}
	defer func() { stage.Close(t.progress()) }()
	for s, err := range files.Score(ctx, c.stream(drain), report) {
		if err != nil {
			return err
		}
		t.Add(s)
		if err := lines.Write(s); err != nil {
			return err
		}
	}
	t.End()
	return lines.End(*t)
}

// noteFirst reports the first problems of a kind; kept describes those that were not skipped.
func (c Scoring) noteFirst(p stream.Problems, kind, kept string) {
	for _, fault := range p.First {
		became := "left out"
		if fault.Loaded {
			became = kept
		}
		c.Notify.Warnf("%v (%s)", fault, became)
	}
	if more := p.Count - len(p.First); more > 0 {
		c.Notify.Warnf("and %d more %s", more, kind)
	}
}
