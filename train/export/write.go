// Package export writes training data from run directories: folders that a trainer loads, with the ids of all rows, the
// reasons for all rows left out, provenance, a card and a lock file, and tables of runs for analysis in Parquet. Start
// from [Write] and [Config].
package export

import (
	"errors"
	"fmt"
	"path/filepath"

	"airqa/internal/ledger"
	"airqa/internal/progress"
	"airqa/internal/stagedir"
	"airqa/train/redact"
)

// Names of files in an export.
const (
	IDsFile        = "ids.txt"
	DroppedFile    = "dropped.jsonl"
	ProvenanceFile = "provenance.jsonl"
	QuestionsFile  = "questions.jsonl"
	CardFile       = "README.md"
	dataDir        = "data"
)

// Summary is the result of an export.
type Summary struct {
	// Unchanged means that the folder already holds this export.
	Unchanged bool
	// Rows, Episodes and Dropped count what is in the export and what is not.
	Rows, Episodes, Dropped int
	// Reasons describes what was left out, Errors the error-action rate before and after.
	Reasons, Errors string
	// Notes are sentences about the texts, the tokens and the trainer.
	Notes []string
}

// Write writes an export. It reads every run twice: first to decide about all turns, then to write the rows. The folder
// appears when it is complete.
func Write(c Config) (s Summary, err error) {
	if err := c.check(); err != nil {
		return s, err
	}
	if c.Progress == nil {
		c.Progress = progress.New(progress.Config{})
	}
	c.redactor = redact.Redactor{Known: c.Redact, Emails: c.RedactEmails}
	w := &writer{Config: c}
	if err := w.openSources(); err != nil {
		return s, err
	}
	if done, err := Existing(w.Out, w.Program, w.inputs, w.Force); err != nil {
		return s, err
	} else if done {
		return Summary{Unchanged: true}, stagedir.Sweep(c.Out)
	}
	if w.folder, err = OpenFolder(c.Out); err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, w.folder.Close()) }()
	if err := w.fill(); err != nil {
		return s, err
	}
	t := &w.plan.tally
	s = Summary{
		Rows: t.rows, Episodes: len(w.plan.episodes), Dropped: t.totalDropped(), Reasons: t.reasons(),
		Errors: t.errorRate(), Notes: w.notes(),
	}
	return s, w.folder.Commit()
}

// writer is one export in progress.
type writer struct {
	Config
	sources []*source
	inputs  inputs
	folder  *Folder
	plan    plan
	fitter  *fitter
}

func (w *writer) openSources() error {
	names := make(map[string]string)
	for _, dir := range w.Runs {
		s, err := w.open(dir)
		if err != nil {
			return err
		}
		if other := names[s.ID]; other != "" {
			return fmt.Errorf("%s and %s are the same run", other, dir)
		}
		names[s.ID] = dir
		w.sources = append(w.sources, s)
	}
	w.inputs = inputs{ExportFormat: w.Format}
	for _, s := range w.sources {
		w.inputs.Runs = append(w.inputs.Runs, s.input)
	}
	var err error
	if w.inputs.Rules, err = w.record(); err != nil {
		return err
	}
	w.inputs.Files = []fileInput{}
	named := [][2]string{{"ids", w.IDs}, {"leaks", w.Leaks}, {"tokenizer", w.Tokenizer}}
	for _, dir := range w.Against {
		named = append(named, [2]string{"against", filepath.Join(dir, QuestionsFile)})
	}
	for _, f := range named {
		if f[1] == "" {
			continue
		}
		sum, _, err := hashFile(f[1])
		if err != nil {
			return fmt.Errorf("%s: %w", f[0], err)
		}
		w.inputs.Files = append(w.inputs.Files, fileInput{f[0], filepath.Base(f[1]), sum})
	}
	return nil
}

// fill writes all files.
func (w *writer) fill() error {
	if err := w.draw(); err != nil {
		return err
	}
	if err := w.makePlan(); err != nil {
		return err
	}
	if err := w.writeIDs(); err != nil {
		return err
	}
	if err := w.writeRows(); err != nil {
		return err
	}
	if err := w.writeQuestions(); err != nil {
		return err
	}
	if err := w.writeTrainer(); err != nil {
		return err
	}
	if err := w.folder.WriteFile(CardFile, w.card()); err != nil {
		return err
	}
	l := Lock{
		Format: 1, Program: w.Program, Inputs: w.inputs, Files: w.folder.Files(),
		Counts: counts{Rows: make(map[Split]int), Dropped: make(map[string]int)},
	}
	for _, e := range w.plan.episodes {
		l.Counts.Rows[e.split] += len(e.rows)
	}
	for reason, n := range w.plan.tally.dropped {
		l.Counts.Dropped[string(reason)] = n
	}
	return w.folder.WriteLock(l)
}

func (w *writer) writeIDs() error {
	out, err := w.folder.create(IDsFile)
	if err != nil {
		return err
	}
	for _, e := range w.plan.episodes {
		for _, row := range e.rows {
			_, _ = out.WriteString(row.id + "\n") // Close reports the error
		}
	}
	return out.Close()
}

// question is a line of questions.jsonl: what a later export compares with. It has no answer.
type question struct {
	UUID      string   `json:"uuid"`
	Question  string   `json:"question"`
	Papers    []string `json:"anchor_pdf"`
	Evaluator struct {
		Func string `json:"eval_func"`
	} `json:"evaluator"`
}

// writeQuestions writes the questions of the rows, in the order of the rows.
func (w *writer) writeQuestions() error {
	out, err := w.folder.create(QuestionsFile)
	if err != nil {
		return err
	}
	done := make(map[string]bool)
	for _, e := range w.plan.episodes {
		if done[e.uuid] {
			continue
		}
		done[e.uuid] = true
		ex := w.sources[e.source].examples[e.uuid]
		q := question{UUID: e.uuid, Question: ex.Question, Papers: ex.Papers()}
		if q.Papers == nil {
			q.Papers = []string{}
		}
		q.Evaluator.Func = ex.Evaluator.Func
		line, err := ledger.Encode(q)
		if err != nil {
			return errors.Join(err, out.Close())
		}
		_, _ = out.Write(line) // Close reports the error
	}
	return out.Close()
}
