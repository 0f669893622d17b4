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
	"airqa/extractor/draw"
	"airqa/extractor/gate"
	"airqa/extractor/syndir"
	"airqa/internal/ledger"
	"airqa/qa"
	"airqa/tools"
	"airqa/train/curate"
)

// Library has the papers.
type Library interface {
	draw.Library
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
	Ledger *syndir.Ledger
	Seed   uint64
	Quotas []syndir.Quota
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
	// Batch, which may be nil, fills the cache of Model with the replies to requests. With it, candidates advance in waves:
	// all of them run at once, and whenever each one waits for a reply, Batch gets all their requests.
	Batch func(ctx context.Context, requests []qa.Request) error
	// Redact, which may be nil, filters everything that is written.
	Redact func([]byte) []byte
	// ExploreOnly leaves the candidates pending after exploration.
	ExploreOnly bool
	// Preview makes a few candidates and leaves the others alone.
	Preview bool
	// ReviewOnly decides again about the candidates with a review, keeps the decisions about all others, and starts none.
	ReviewOnly bool
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
	c      Config
	draw   *draw.Draw
	prints map[string]string
	model  qa.Model // that of the configuration, or waves
	waves  *waves   // nil without Batch

	likes    *curate.Duplicates
	rows     map[candidate.ID]qa.Example
	progress Progress

	mu    sync.Mutex
	fatal error
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
	if c.ReviewOnly {
		var err error
		if c.Quotas, err = known(c.Dir, c.Quotas); err != nil {
			return nil, err
		}
	}
	drawn, err := draw.Open(ctx, c.Library, c.Seed)
	if err != nil {
		return nil, err
	}
	prints, err := Fingerprints(c)
	if err != nil {
		return nil, err
	}
	p := &Pipeline{c: c, draw: drawn, prints: prints, likes: curate.NewDuplicates(), rows: make(map[candidate.ID]qa.Example)}
	p.model = c.Model
	if c.Batch != nil {
		p.waves = &waves{model: c.Model, send: c.Batch}
		p.model, p.c.Workers = p.waves, 0
	}
	for _, q := range c.Quotas {
		if c.Batch != nil {
			p.c.Workers += q.Count
		}
	}
	return p, nil
}

// Run makes candidates until the quotas are filled, the candidates run out, drain is closed or ctx ends. It then writes
// the accepted questions. The error is one of the data or of the disk; failures of calls are in the result.
func (p *Pipeline) Run(ctx context.Context, drain <-chan struct{}) (Ended, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var explored, merged []syndir.Quota
	for _, q := range p.c.Quotas {
		if q.Category.Type() == candidate.Multiple {
			merged = append(merged, q)
		} else {
			explored = append(explored, q)
		}
	}
	first := p.schedule(explored, p.explored)
	if err := p.runAll(ctx, cancel, drain, first); err != nil {
		return Ended{}, err
	}
	second := p.schedule(nil, nil)
	if !p.c.ExploreOnly && len(first.pending()) == 0 && !first.stopped && ctx.Err() == nil && !closed(drain) {
		pairs := p.pairs()
		for i := range merged {
			merged[i].Most = min(merged[i].Most, len(pairs)+1) // one more records that the pairs ran out
		}
		second = p.schedule(merged, func(ctx context.Context, id candidate.ID) Result { return p.merged(ctx, id, pairs) })
		if err := p.runAll(ctx, cancel, drain, second); err != nil {
			return Ended{}, err
		}
	}
	return p.end(first, second)
}

// runAll runs a schedule. An error of the data or the disk stops it.
func (p *Pipeline) runAll(ctx context.Context, cancel context.CancelFunc, drain <-chan struct{}, s *schedule) error {
	inner := s.work
	s.work = func(ctx context.Context, id candidate.ID) Result {
		r := inner(ctx, id)
		if p.broken() != nil {
			cancel()
		}
		return r
	}
	err := s.run(ctx, drain)
	return errors.Join(p.broken(), err)
}

func (p *Pipeline) broken() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fatal
}

// schedule makes a schedule whose accepted candidates become rows.
func (p *Pipeline) schedule(quotas []syndir.Quota, work func(context.Context, candidate.ID) Result) *schedule {
	s := newSchedule(quotas, p.c.Workers)
	s.work, s.admit, s.waves = work, p.admit, p.waves
	if p.c.ReviewOnly {
		s.equalFailures = noLimit
	}
	return s
}

func closed(drain <-chan struct{}) bool {
	select {
	case <-drain:
		return true
	default:
		return false
	}
}

// admit decides about a finished candidate: one like an accepted question is rejected. It writes the candidate's last
// line.
func (p *Pipeline) admit(id candidate.ID, r Result) (bool, error) {
	line := r.Line
	line.Stage, line.Outcome, line.Reason, line.Detail = candidate.Accept, r.Outcome, r.Reason, r.Detail
	if r.Outcome == candidate.Done {
		line.Outcome = candidate.Accepted
		if like := p.like(id, r.Row); like.Reason != "" {
			line.Outcome, line.Reason, line.Detail = candidate.Rejected, candidate.Duplicate, like.String()
		}
	}
	if line.Outcome == candidate.Accepted {
		raw, err := encodeRow(*r.Row)
		if err != nil {
			return false, err
		}
		line.Data = raw
		p.rows[id] = *r.Row
	}
	p.count(line.Outcome)
	return line.Outcome == candidate.Accepted, p.put(line)
}

// like compares a question with the accepted ones. The same question about another paper is another question.
func (p *Pipeline) like(id candidate.ID, row *qa.Example) curate.Match {
	if !p.has(gate.Unlike) {
		return curate.Match{}
	}
	return p.likes.Add(id.String(), row.Question, strings.Join(append(slices.Clone(row.AnchorPDF), row.Evaluator.Func), " "))
}

func (p *Pipeline) has(name string) bool {
	return slices.ContainsFunc(p.c.Gates, func(g gate.Gate) bool { return g.Name == name })
}

func (p *Pipeline) count(o candidate.Outcome) {
	switch o {
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
}

// put writes a line unless the ledger ends with the same one for its candidate and stage.
func (p *Pipeline) put(lines ...candidate.Line) error {
	var fresh []candidate.Line
	for _, line := range lines {
		old, ok, err := p.c.Ledger.Get(line.Candidate, line.Stage)
		if err != nil {
			return err
		}
		line.Format = syndir.Format
		if same, err := sameLine(old, line); err != nil {
			return err
		} else if !ok || !same {
			fresh = append(fresh, line)
		}
	}
	return p.c.Ledger.Add(fresh...)
}

func sameLine(a, b candidate.Line) (bool, error) {
	first, err := ledger.Encode(a)
	if err != nil {
		return false, err
	}
	second, err := ledger.Encode(b)
	return bytes.Equal(first, second), err
}
