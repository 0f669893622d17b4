// Package export writes training data from run directories: folders that a trainer loads, with the ids of all rows, the
// reasons for all rows left out, provenance, a card and a lock file, and tables of runs for analysis in Parquet. Start
// from [Write] and [Config].
package export

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"airqa/eval/author"
	"airqa/internal/files"
	"airqa/internal/ledger"
	"airqa/train"
	"airqa/train/preflight"
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

// Write writes an export. It reads every episode once: rows go to a temporary file, from which they are copied when all
// turns are decided. Only the formats of whole episodes read those that they contain again. The folder appears when it is
// complete.
func Write(c Config) (s Summary, err error) {
	if err := c.check(); err != nil {
		return s, err
	}
	c.redactor = train.Redactor{Known: c.Redact, Emails: c.RedactEmails}
	w := &writer{Config: c}
	if err := w.openSources(); err != nil {
		return s, err
	}
	if done, err := Existing(w.Out, w.Program, w.inputs, w.Force); err != nil {
		return s, err
	} else if done {
		return Summary{Unchanged: true}, files.SweepStaged(c.Out)
	}
	if w.folder, err = OpenFolder(c.Out); err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, w.folder.Close()) }()
	p, err := w.makePlan()
	if err != nil {
		return s, err
	}
	if err := p.write(); err != nil {
		return s, err
	}
	return Summary{
		Rows: p.rows, Episodes: len(p.kept), Dropped: p.totalDropped(), Reasons: p.reasons(), Errors: p.errorRate(), Notes: p.notes(),
	}, w.folder.Commit()
}

// writer is one export in progress.
type writer struct {
	Config
	sources []*source
	inputs  inputs
	folder  *Folder
	// table has all episodes in the order of runs and logs, and spool their rows. Preference pairs need no table.
	table []*entry
	spool *spool

	// selector checks episodes; rejects also lets wrong ones pass, for preference pairs and labelled turns.
	selector, rejects *train.Selector
	special           *preflight.Special
	// fitter is nil without a limit of tokens.
	fitter *fitter
	leaks  map[string]train.LeakMatch
	// rates are the pass rates of all questions.
	rates train.PassRates
	// features are the bits of the keys that some rows of a file have and others lack.
	features map[string]uint64
	// anyRepeats reports whether a run repeats turns of another one.
	anyRepeats bool
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
	w.inputs = inputs{ExportFormat: w.Format, AsInPaper: w.AsInPaper}
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

// makePlan decides about every turn, and writes dropped.jsonl and the spool.
func (w *writer) makePlan() (p *plan, err error) {
	if err := w.prepare(); err != nil {
		return nil, err
	}
	ids, err := idsOf(w.IDs)
	if err != nil {
		return nil, err
	}
	if p, err = w.newPlan(ids); err != nil {
		return nil, err
	}
	if err := w.findLeaks(); err != nil {
		return nil, err
	}
	drops, err := w.folder.create(DroppedFile)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, drops.Close()) }()
	disk, err := os.Create(filepath.Join(w.folder.Path, "rows.spool"))
	if err != nil {
		return nil, err
	}
	w.spool = &spool{Writer: bufio.NewWriterSize(disk, 1<<20), disk: disk}
	if w.Format == DPO {
		p.drops, p.Notify = drops, w.Notify
		return p, p.decidePairs()
	}
	to := encodeRows
	if encoders(w.Format)[0].form == "" {
		to = weighRows
	}
	if err := w.readTable("read episodes", to); err != nil {
		return nil, err
	}
	if w.Draw > 0 {
		if p, err = p.draw(); err != nil {
			return nil, err
		}
	}
	p.drops, p.Notify = drops, w.Notify
	return p, p.decide()
}

// prepare reads the files that rules name.
func (w *writer) prepare() (err error) {
	if w.selector, err = train.NewSelector(w.Filter); err != nil {
		return err
	}
	wrong := w.Filter
	wrong.Include = append(slices.Clip(wrong.Include), string(train.Wrong))
	wrong.MinScore = nil
	if w.rejects, err = train.NewSelector(wrong); err != nil {
		return err
	}
	counter, err := preflight.New(w.Length)
	if err != nil {
		return err
	}
	w.special = counter.Special(commands...)
	if w.CutoffLen > 0 {
		w.fitter = &fitter{Limit: w.Limit, counter: counter}
	}
	// Each of the keys that some rows of a file have and others lack has a bit, but none from the 65th on. A reader of tables
	// takes the columns from the first rows, so these must have all keys of the file between them.
	w.features = map[string]uint64{"images": imageFeature, "result": 2, "call": 4, "call to train": 8}
	for _, s := range w.sources {
		for _, t := range s.Tools {
			if _, known := w.features["tool "+t.Name]; !known {
				w.features["tool "+t.Name] = 1 << len(w.features)
			}
		}
	}
	w.rates = make(train.PassRates)
	for _, s := range w.sources {
		if s.Repeats { // no repeats of their own
			w.anyRepeats = true
			continue
		}
		for _, name := range s.UUIDs() {
			if score := s.scores[name]; score != nil {
				w.rates.Add(s.repeats(score.UUID), score)
			}
		}
	}
	return nil
}

// ErrLeaks is returned with [LeakFail] if questions have a counterpart in the benchmark.
var ErrLeaks = errors.New("leaked questions")

// findLeaks compares the questions of all sources with a benchmark.
func (w *writer) findLeaks() error {
	if w.Leaks == "" {
		return nil
	}
	benchmark, err := author.Load(w.Leaks, author.Options{})
	if err != nil {
		return fmt.Errorf("leaks: %w", err)
	}
	leaks := make(train.Leaks)
	for _, ex := range benchmark.Examples() {
		leaks.Add(ex)
	}
	w.leaks = make(map[string]train.LeakMatch)
	for _, s := range w.sources {
		for _, ex := range s.questions {
			if m, leaked := leaks.Find(ex); leaked && w.leaks[ex.UUID] == (train.LeakMatch{}) {
				w.Notify.Notef("%s: %s", m.UUID, m)
				w.leaks[m.UUID] = m
			}
		}
	}
	if len(w.leaks) > 0 && w.Leak == LeakFail {
		return fmt.Errorf("%w: %d questions are also in %s", ErrLeaks, len(w.leaks), w.Leaks)
	}
	return nil
}

// write writes all files but dropped.jsonl.
func (p *plan) write() error {
	for _, write := range []func() error{p.writeIDs, p.writeRows, p.writeQuestions, p.writeTrainer} {
		if err := write(); err != nil {
			return err
		}
	}
	if err := p.folder.WriteFile(CardFile, p.card()); err != nil {
		return err
	}
	l := Lock{
		Format: 1, Program: p.Program, Inputs: p.inputs, Files: p.folder.Files(),
		Counts: counts{Rows: make(map[Split]int), Dropped: make(map[string]int)},
	}
	for _, k := range p.kept {
		l.Counts.Rows[k.split] += len(k.rows)
	}
	for reason, n := range p.dropped {
		l.Counts.Dropped[string(reason)] = n
	}
	return p.folder.WriteLock(l)
}

func (p *plan) writeIDs() error {
	out, err := p.folder.create(IDsFile)
	if err != nil {
		return err
	}
	for _, k := range p.kept {
		for _, row := range k.rows {
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
func (p *plan) writeQuestions() error {
	out, err := p.folder.create(QuestionsFile)
	if err != nil {
		return err
	}
	done := make(map[string]bool)
	for _, k := range p.kept {
		if done[k.uuid] {
			continue
		}
		done[k.uuid] = true
		ex := k.example()
		q := question{UUID: k.uuid, Question: ex.Question, Papers: ex.Papers()}
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
