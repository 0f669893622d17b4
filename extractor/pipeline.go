package extractor

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"airqa/extractor/candidate"
	"airqa/extractor/explore"
	"airqa/extractor/gate"
	"airqa/internal/ledger"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/tools"
	"airqa/train/curate"
)

// Library has the papers.
type Library interface {
	explore.Library
	gate.Papers
	tools.Retriever
	tools.Viewer
	// Fingerprint identifies the papers.
	Fingerprint() string
}

// Config configures a [Pipeline]. Model, Library and Ledger are required.
type Config struct {
	// Dir is the directory of the synthesis.
	Dir    string
	Ledger *candidate.Ledger
	Seed   uint64
	Quotas []candidate.Quota
	Gates  []gate.Gate
	// Attempts is the number of replies that explorer and tracker may ask for; 0 means [DefaultAttempts].
	Attempts int
	// Solve is the number of independent answers of gate solved_again.
	Solve   int
	Workers int
	Library Library
	// Model answers all requests, from a cache first. Endpoint and Protocol are those of its cache keys.
	Model    qa.Model
	Endpoint map[string]any
	Protocol string
	// Price is nil if unknown.
	Price *qa.Price
	// Images means that the model accepts images, so it sees the figures that questions are about.
	Images bool
	// Redact, which may be nil, filters everything that is written.
	Redact func([]byte) []byte
	// ExploreOnly leaves the candidates pending after exploration.
	ExploreOnly bool
	// Preview makes a few candidates and leaves the others alone.
	Preview bool
	// Progress, which may be nil, is called after each decision about a candidate.
	Progress func(Progress)
}

// Progress is the state of a running pipeline.
type Progress struct {
	// Drafts are candidates that are explored only.
	Accepted, Drafts, Rejected, Failed int
}

// DefaultAttempts is the default of Config.Attempts.
const DefaultAttempts = 3

// Pipeline makes questions. Use it once.
type Pipeline struct {
	c            Config
	draw         *explore.Draw
	fingerprints map[string]string

	duplicates *curate.Duplicates
	rows       map[candidate.ID]qa.Example
	progress   Progress

	mu sync.Mutex
	// fatal is the first error of the data or the disk; cancel stops all candidates.
	fatal  error
	cancel context.CancelFunc
	// suspended is why a budget stopped the work, failure the first failed call.
	suspended, failure string
}

// New checks a configuration and reads which elements the papers have.
func New(ctx context.Context, c Config) (*Pipeline, error) {
	if c.Model == nil || c.Library == nil || c.Ledger == nil {
		return nil, errors.New("synthesis: model, library and ledger are required")
	}
	c.Attempts, c.Workers = cmp.Or(c.Attempts, DefaultAttempts), max(c.Workers, 1)
	if c.Progress == nil {
		c.Progress = func(Progress) {}
	}
	drawn, err := explore.OpenDraw(ctx, c.Library, c.Seed)
	if err != nil {
		return nil, err
	}
	fingerprints, err := Fingerprints(c)
	if err != nil {
		return nil, err
	}
	return &Pipeline{
		c: c, draw: drawn, fingerprints: fingerprints, duplicates: curate.NewDuplicates(), rows: make(map[candidate.ID]qa.Example),
	}, nil
}

// Run makes candidates until the quotas are filled, the candidates run out, drain is closed or ctx ends. It then writes
// the accepted questions. The error is one of the data or of the disk; failures of calls are in the summary.
func (p *Pipeline) Run(ctx context.Context, drain <-chan struct{}) (Summary, error) {
	ctx, p.cancel = context.WithCancel(ctx)
	defer p.cancel()
	var explored, merged []candidate.Quota
	for _, q := range p.c.Quotas {
		if q.Category.Type() == candidate.Multiple {
			merged = append(merged, q)
		} else {
			explored = append(explored, q)
		}
	}
	first := p.schedule(explored, p.fromPaper)
	if err := p.runSchedule(ctx, drain, first); err != nil {
		return Summary{}, err
	}
	second := p.schedule(nil, nil)
	if !p.c.ExploreOnly && len(first.pending()) == 0 && !first.stopped && ctx.Err() == nil && !isClosed(drain) {
		pairs := p.pairs()
		for i := range merged {
			merged[i].Most = min(merged[i].Most, len(pairs)+1) // one more records that the pairs ran out
		}
		second = p.schedule(merged, func(ctx context.Context, id candidate.ID) result {
			w := p.newWork(id)
			if id.Index >= len(pairs) {
				return result{Line: w.ended(candidate.Rejected, candidate.NoPair, "")}
			}
			a, b := pairs[id.Index][0], pairs[id.Index][1]
			w.material.ID = id
			w.identity.Paper = a.row.AnchorPDF[0] + "," + b.row.AnchorPDF[0]
			w.identity.Element = a.id.String() + "," + b.id.String()
			w.parts = []candidate.ID{a.id, b.id}
			w.synth.Evidence = slices.Concat(a.synth.Evidence, b.synth.Evidence)
			merge := func(ctx context.Context) ([]candidate.Line, error) { return w.merge(ctx, a, b) }
			return w.follow(ctx, merge, w.passGates, w.makeRow)
		})
		if err := p.runSchedule(ctx, drain, second); err != nil {
			return Summary{}, err
		}
	}
	return p.finish(first, second)
}

// schedule makes a schedule whose accepted candidates become rows.
func (p *Pipeline) schedule(quotas []candidate.Quota, work func(context.Context, candidate.ID) result) *schedule {
	s := newSchedule(quotas, p.c.Workers)
	s.work, s.decide = work, p.decide
	return s
}

// runSchedule runs a schedule. An error of the data or the disk stops it.
func (p *Pipeline) runSchedule(ctx context.Context, drain <-chan struct{}, s *schedule) error {
	err := s.run(ctx, drain)
	p.mu.Lock()
	defer p.mu.Unlock()
	return errors.Join(p.fatal, err)
}

func isClosed(drain <-chan struct{}) bool {
	select {
	case <-drain:
		return true
	default:
		return false
	}
}

// decide accepts a finished candidate unless its question repeats an accepted one, and writes its last line.
func (p *Pipeline) decide(id candidate.ID, r result) (accepted bool, err error) {
	line := r.Identity()
	line.Stage, line.Outcome, line.Reason, line.Detail = candidate.Accept, r.Outcome, r.Reason, r.Detail
	if r.Outcome == candidate.Done {
		line.Outcome = candidate.Accepted
	}
	if r.Outcome == candidate.Done && p.applies(gate.Unlike) {
		other := append(slices.Clone(r.row.AnchorPDF), r.row.Evaluator.Func) // of another paper, it is another question
		if match := p.duplicates.Add(id.String(), r.row.Question, strings.Join(other, " ")); match.Reason != "" {
			line.Outcome, line.Reason, line.Detail = candidate.Rejected, candidate.Duplicate, match.String()
		}
	}
	if line.Outcome == candidate.Accepted {
		text, err := dataset.Lines([]qa.Example{*r.row})
		if err != nil {
			return false, err
		}
		line.Data = bytes.TrimSuffix(text, []byte("\n"))
		p.rows[id] = *r.row
	}
	switch line.Outcome {
	case candidate.Accepted:
		p.progress.Accepted++
	case candidate.Rejected:
		p.progress.Rejected++
	case candidate.Failed:
		p.progress.Failed++
	case candidate.Pending:
		p.progress.Drafts++
	}
	p.c.Progress(p.progress)
	return line.Outcome == candidate.Accepted, p.write(line)
}

// applies reports whether a gate is switched on.
func (p *Pipeline) applies(gateName string) bool {
	return slices.ContainsFunc(p.c.Gates, func(g gate.Gate) bool { return g.Name == gateName })
}

// write adds lines to the ledger unless it has the same ones already for their candidates and stages.
func (p *Pipeline) write(lines ...candidate.Line) error {
	var changed []candidate.Line
	for _, line := range lines {
		old, ok, err := p.c.Ledger.Get(line.Candidate, line.Stage)
		if err != nil {
			return err
		}
		line.Format = candidate.Format
		before, err := ledger.Encode(old)
		if err != nil {
			return err
		}
		now, err := ledger.Encode(line)
		if err != nil {
			return err
		}
		if !ok || !bytes.Equal(before, now) {
			changed = append(changed, line)
		}
	}
	return p.c.Ledger.Add(changed...)
}
