// Package synthesis runs one invocation of airqa synth: it opens model, cache, ledger and budget in the directory of a
// synthesis, runs the pipeline, and collects trajectories for the accepted questions. Start from [Make] and [Act];
// [Estimate] predicts the cost of what is missing.
package synthesis

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"

	"airqa/env"
	"airqa/extractor"
	"airqa/extractor/candidate"
	"airqa/extractor/explore"
	"airqa/extractor/gate"
	"airqa/llm/cache"
	"airqa/qa"
	"airqa/run/budget"
	"airqa/run/models"
	"airqa/run/session"
)

// Config configures an invocation that makes questions.
type Config struct {
	Session session.Session
	World   *env.Env
	// Data is the path of the data directory of World.
	Data string
	// Dir is the directory of the synthesis. An existing one is resumed as Resume says.
	Dir    string
	Resume Resume
	// Model is the model of explorer, tracker and gates, as PROVIDER:NAME.
	Model string
	// Calls configures how the model is called.
	Calls  models.Config
	Limits budget.Limits
	// Count is the number of questions to accept. Preview, if above 0, makes that many candidates of each category instead.
	Count, Preview int
	// Categories are names of categories or question types; none means all for which the papers have elements.
	Categories []string
	// MaxCandidates is the maximum number of candidates; 0 means [extractor.CandidatesPerRow] per question.
	MaxCandidates int
	Seed          uint64
	// Gates are the names of the gates that apply; none means all. SkipGates are switched off.
	Gates, SkipGates []string
	// Solve is the number of independent answers of gate solved_again.
	Solve int
	// Images shows figures to a model that the catalog does not list as accepting images.
	Images  bool
	Workers int
	// ExploreOnly stops after the explorer.
	ExploreOnly bool
}

// Resume decides about a directory that has a synthesis already.
type Resume string

// The ways to resume: never, always, or unless seed or papers differ.
const (
	Never      Resume = "never"
	Always     Resume = "always"
	IfPossible Resume = "if-possible"
)

// invocation is an invocation with what it opened.
type invocation struct {
	Config
	library library
	model   models.Model
	gates   []gate.Gate
	quotas  []candidate.Quota
	images  bool
	// address is the model's. It is no part of the model's description here: the same model at another address gives the
	// same kind of replies.
	address string
}

// library is a data directory as the pipeline reads it.
type library struct{ *env.Env }

// Describe returns title and abstract of a paper.
func (l library) Describe(ctx context.Context, paperID string) (string, error) {
	p, err := l.Paper(ctx, paperID)
	return p.Title + "\n" + p.Abstract, err
}

// Make makes questions about the papers in a data directory. The summary reports whether a budget, failed calls or the user
// stopped it early; the error is one of the settings, the data or the disk.
func Make(ctx context.Context, c Config) (sum extractor.Summary, err error) {
	inv, err := open(ctx, c)
	if err != nil {
		return sum, err
	}
	ledger, err := candidate.OpenLedger(c.Dir, c.Session.Redact)
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, ledger.Close()) }()
	if err := inv.recordSettings(); err != nil {
		return sum, err
	}
	p := inv.pipelineConfig()
	p.Ledger, p.ExploreOnly = ledger, c.ExploreOnly
	return inv.run(p)
}

// open opens the model and chooses gates and quotas.
func open(ctx context.Context, c Config) (*invocation, error) {
	inv := &invocation{Config: c, library: library{c.World}}
	var err error
	if inv.gates, err = gate.Select(c.Gates, c.SkipGates); err != nil {
		return nil, err
	}
	if err := inv.openModel(); err != nil {
		return nil, err
	}
	inv.quotas, err = inv.chooseQuotas(ctx)
	return inv, err
}

// chooseQuotas divides the rows over the chosen categories, or over all for which the papers have elements.
func (inv *invocation) chooseQuotas(ctx context.Context) ([]candidate.Quota, error) {
	chosen, err := candidate.ParseCategories(inv.Categories)
	if err != nil {
		return nil, err
	}
	if len(chosen) == 0 {
		drawn, err := explore.OpenDraw(ctx, inv.library, inv.Seed)
		if err != nil {
			return nil, err
		}
		var left []string
		for _, c := range candidate.Categories() {
			if c.Type() == candidate.Multiple || drawn.Has(c) {
				chosen = append(chosen, c)
			} else {
				left = append(left, string(c))
			}
		}
		if len(left) > 0 {
			inv.Session.Notify.Notef("the papers have nothing for %s", strings.Join(left, ", "))
		}
	}
	if inv.Preview > 0 {
		return extractor.Same(chosen, inv.Preview), nil
	}
	return extractor.Quotas(chosen, inv.Count, inv.MaxCandidates), nil
}

// pipelineConfig is the configuration of the pipeline, without what must be opened.
func (inv *invocation) pipelineConfig() extractor.Config {
	return extractor.Config{
		Dir: inv.Dir, Seed: inv.Seed, Quotas: inv.quotas, Gates: inv.gates, Solve: inv.Solve, Workers: inv.Workers, Library: inv.library,
		Endpoint: inv.model.Described, Protocol: string(qa.ReActText), Price: inv.model.Price, Images: inv.images,
		Redact: inv.Session.Redact, Preview: inv.Preview > 0,
	}
}

// run runs the pipeline with the kept replies, under a progress bar.
func (inv *invocation) run(c extractor.Config) (sum extractor.Summary, err error) {
	store, err := cache.Open(filepath.Join(inv.Dir, candidate.RepliesDir), cache.Config{Redact: inv.Session.Redact, Now: inv.Session.Now})
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	account, err := inv.account()
	if err != nil {
		return sum, err
	}
	if c.Model, err = inv.model.Connect(models.Requests{Account: account, Cache: store, Protocol: qa.ReActText}); err != nil {
		return sum, err
	}
	wanted, done := 0, "accepted"
	for _, q := range c.Quotas {
		if !c.ExploreOnly || q.Category.Type() != candidate.Multiple {
			wanted += q.Count
		}
	}
	if c.ExploreOnly {
		done = "drafted"
	}
	stage := inv.Session.Progress.Stage("synth", wanted)
	var last extractor.Progress
	c.Progress = func(p extractor.Progress) {
		last = p
		stage.Set(p.Accepted+p.Drafts, lossText(p))
	}
	ctx, drain, stop := inv.Session.Interrupts()
	defer stop()
	p, err := extractor.New(ctx, c)
	if err != nil {
		return sum, err
	}
	sum, err = p.Run(ctx, drain)
	stage.Close(fmt.Sprintf("%d of %d questions %s, %s", last.Accepted+last.Drafts, wanted, done, lossText(last)))
	return sum, err
}

func lossText(p extractor.Progress) string {
	text := fmt.Sprintf("%d rejected", p.Rejected)
	if p.Failed > 0 {
		text += fmt.Sprintf(", %d failed", p.Failed)
	}
	return text
}

// openModel opens the model and finds out its price and whether it sees images.
func (inv *invocation) openModel() (err error) {
	s := inv.Session
	source, err := s.OpenModels(inv.Calls)
	if err != nil {
		return err
	}
	if inv.model, err = source.Open(inv.Model); err != nil {
		return err
	}
	inv.model.Described = maps.Clone(inv.model.Described)
	inv.address, _ = inv.model.Described["base_url"].(string)
	delete(inv.model.Described, "base_url")
	inv.images = inv.Images || inv.model.Listed != nil && inv.model.Listed.Images
	return nil
}

// account is the budget. Replies of earlier invocations count.
func (inv *invocation) account() (*budget.Account, error) {
	held, _, err := cache.List(filepath.Join(inv.Dir, candidate.RepliesDir))
	if err != nil {
		return nil, err
	}
	var spent budget.Spent
	for _, h := range held {
		spent.Usage = spent.Usage.Add(qa.Usage{Prompt: h.Prompt, Completion: h.Completion})
	}
	if inv.model.Price != nil {
		spent.USD = inv.model.Price.Of(spent.Usage)
	}
	return budget.NewAccount(inv.Limits, spent, inv.Session.Now), nil
}
