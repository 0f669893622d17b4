// Package extractor synthesizes questions about papers (paper, section 3: EXTRACTOR). An explorer writes a question from
// a part of a paper, a tracker makes a scorable example of it, gates reject bad ones, and each step is a line of a ledger.
// Start from [Pipeline]. [ReadYields] and [ReadStory] report what the ledger contains. Prompts are in extractor/candidate,
// gates in extractor/gate, the directory on disk in extractor/candidate.
package extractor

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"airqa/extractor/candidate"
	"airqa/extractor/gate"
	"airqa/internal/files"
	"airqa/prompts"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/run/models"
	"airqa/tools"
	"airqa/train"
)

// Library has the papers.
type Library interface {
	gate.Library
	tools.Viewer
	// Fingerprint identifies the papers.
	Fingerprint() string
}

// Config configures a [Pipeline]. Models, Library, Draw, Ledger and Forms are required.
type Config struct {
	// Dir is the directory of the synthesis.
	Dir    string
	Ledger *candidate.Ledger
	// Draw draws papers and elements with Seed.
	Draw   *candidate.Draw
	Seed   uint64
	Quotas []candidate.Quota
	Gates  []gate.Gate
	// Attempts is the number of replies that explorer and tracker may ask for; 0 means [DefaultAttempts].
	Attempts int
	// Solve is the number of independent answers of gate solved_again.
	Solve   int
	Workers int
	Library Library
	// Model answers the explorer and the gates, Tracker the tracker. Both answer from a cache first.
	Model, Tracker models.Model
	// Prompts are the texts of the requests, Forms the forms of the replies that they ask for.
	Prompts prompts.Set
	Forms   candidate.Forms
	// Images means that the model accepts images, so it sees the figures that questions are about.
	Images bool
	// Redact, which may be nil, filters everything that is written.
	Redact func([]byte) []byte
	// ExploreOnly leaves the candidates pending after exploration.
	ExploreOnly bool
	// Preview makes a few candidates and leaves the others alone.
	Preview bool
	// Progress, which may be nil, is called after each decision about a candidate. Pending candidates are explored only.
	Progress func(candidate.Tally)
}

// DefaultAttempts is the default of Config.Attempts.
const DefaultAttempts = 3

// Pipeline makes questions. Use it once.
type Pipeline struct {
	c            Config
	fingerprints map[string]string

	duplicates *train.Duplicates
	rows       map[candidate.ID]qa.Example
	pairs      [][2]qa.Example // to merge
	tally      candidate.Tally
}

// New checks a configuration.
func New(c Config) (*Pipeline, error) {
	if c.Model.Endpoint == nil || c.Tracker.Endpoint == nil || c.Library == nil || c.Draw == nil || c.Ledger == nil {
		return nil, errors.New("synthesis: models, library, draw and ledger are required")
	}
	c.Attempts, c.Workers = cmp.Or(c.Attempts, DefaultAttempts), max(c.Workers, 1)
	if c.Progress == nil {
		c.Progress = func(candidate.Tally) {}
	}
	fingerprints, _, err := Fingerprints(c)
	if err != nil {
		return nil, err
	}
	return &Pipeline{
		c: c, fingerprints: fingerprints, duplicates: train.NewDuplicates(), rows: make(map[candidate.ID]qa.Example),
	}, nil
}

// Run makes candidates until the quotas are filled, the candidates run out, drain is closed or ctx ends. It then writes
// the accepted questions. The error is one of the data or of the disk; failures of calls are in the summary.
func (p *Pipeline) Run(ctx context.Context, drain <-chan struct{}) (Summary, error) {
	s := &schedule{workers: p.c.Workers, work: p.work, decide: p.decide}
	if err := p.run(ctx, drain, s, false); err != nil {
		return Summary{}, err
	}
	if !p.c.ExploreOnly && s.stop == nil {
		p.pairs = p.makePairs()
		if err := p.run(ctx, drain, s, true); err != nil {
			return Summary{}, err
		}
	}
	return p.finish(s)
}

// run adds the categories of explored or of merged questions to a schedule and runs it. An error of the data or the disk
// stops it.
func (p *Pipeline) run(ctx context.Context, drain <-chan struct{}, s *schedule, merged bool) error {
	for _, q := range p.c.Quotas {
		if (q.Category.Type() == candidate.Multiple) != merged {
			continue
		}
		if merged {
			q.Most = min(q.Most, len(p.pairs)+1) // one more records that the pairs ran out
		}
		s.lanes = append(s.lanes, &lane{Quota: q})
	}
	return s.run(ctx, drain)
}

// decide accepts a finished candidate or draft unless its question repeats an accepted one, and writes its last line.
func (p *Pipeline) decide(w *work) (accepted bool, err error) {
	line := w.Line
	line.Stage = candidate.Accept
	if w.Outcome == candidate.Done {
		line.Outcome = candidate.Accepted
		if p.applies(gate.Unlike) {
			other := append(slices.Clone(w.Example.AnchorPDF), w.Example.Evaluator.Func) // of another paper, it is another question
			if match := p.duplicates.Add(w.Candidate, w.Example.Question, strings.Join(other, " ")); match.Reason != "" {
				line.Outcome, line.Reason, line.Detail = candidate.Rejected, candidate.Duplicate, match.String()
			}
		}
	}
	if line.Outcome == candidate.Accepted {
		text, err := dataset.Lines([]qa.Example{w.Example})
		if err != nil {
			return false, err
		}
		line.Data = bytes.TrimSuffix(text, []byte("\n"))
		p.rows[w.Material.ID] = w.Example
	}
	p.tally.Add(line.Outcome)
	p.c.Progress(p.tally)
	return line.Outcome == candidate.Accepted || w.isDraft(), p.c.Ledger.Add(line)
}

// applies reports whether a gate is switched on.
func (p *Pipeline) applies(gateName string) bool {
	return slices.ContainsFunc(p.c.Gates, func(g gate.Gate) bool { return g.Name == gateName })
}

// finish ends the unfinished candidates, counts all of them, and writes the accepted questions.
func (p *Pipeline) finish(s *schedule) (Summary, error) {
	sum := Summary{Suspended: qa.Suspension(s.stop), Failure: s.failure}
	ran := make(map[candidate.Category]bool)
	for _, l := range s.lanes {
		sum.Stopped = sum.Stopped || !l.closed()
		ran[l.Category] = true
	}
	history, err := candidate.ReadHistory(p.c.Dir)
	if err != nil {
		return sum, err
	}
	undecided := p.undecided(s, history.States())
	for i, line := range undecided {
		line = line.Identity()
		line.Stage, line.Outcome, line.Reason = candidate.Accept, candidate.Rejected, candidate.Surplus
		if sum.Stopped {
			line.Outcome, line.Reason = candidate.Pending, candidate.Interrupted
		}
		if sum.Stopped && sum.Suspended != "" {
			line.Reason = candidate.Budget
		}
		undecided[i] = line
	}
	if err := p.c.Ledger.Add(undecided...); err != nil {
		return sum, err
	}
	sum.Yields = count(append(history, undecided...), p.c.Quotas)
	for i := range sum.Categories {
		sum.Categories[i].NotRun = !ran[sum.Categories[i].Category]
	}
	var rows []qa.Example
	for _, id := range slices.SortedFunc(maps.Keys(p.rows), candidate.Compare) {
		rows = append(rows, p.rows[id])
	}
	text, err := dataset.Lines(rows)
	if err != nil {
		return sum, err
	}
	return sum, files.WriteFile(filepath.Join(p.c.Dir, candidate.QuestionsFile), text)
}

// undecided lists the candidates that are not decided: those that were started, and those of earlier runs that this one does
// not need, because their quota was larger. A run that stopped early leaves both pending, since it may still need them.
func (p *Pipeline) undecided(s *schedule, states map[string]candidate.Line) (list []candidate.Line) {
	started := make(map[string]bool)
	for _, l := range s.lanes {
		for i := range l.started {
			id := candidate.ID{Category: l.Category, Index: i}
			started[id.String()] = true
			line, known := states[id.String()]
			if !known {
				line = p.identity(id)
			}
			if i >= l.commit {
				list = append(list, line)
			}
		}
	}
	if p.c.Preview {
		return list
	}
	for _, name := range slices.Sorted(maps.Keys(states)) {
		last := states[name]
		if open := last.Outcome == candidate.Accepted || last.Outcome == candidate.Pending; open && !started[name] {
			list = append(list, last)
		}
	}
	return list
}
