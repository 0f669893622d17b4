// Package synthesis runs one invocation of airqa synth: it opens model, cache, ledger and budget in the directory of a
// synthesis, runs the pipeline, and collects trajectories for the accepted questions. Start from [Make] and [Act];
// [Estimate] predicts the cost of what is missing.
package synthesis

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"airqa/env"
	"airqa/extractor"
	"airqa/extractor/candidate"
	"airqa/extractor/gate"
	"airqa/llm/cache"
	"airqa/prompts"
	"airqa/qa"
	"airqa/run/budget"
	"airqa/run/models"
	"airqa/run/session"
)

// Common is what every invocation needs.
type Common struct {
	Session session.Session
	World   *env.Env
	// Data is the path of the data directory of World, Dir the directory of the synthesis.
	Data, Dir string
	// Model is the model of explorer, tracker and gates, or of the actor, as PROVIDER:NAME. Calls configures how models are
	// called.
	Model string
	Calls models.Config
	// Limits are for the questions and their trajectories together.
	Limits budget.Limits
	// Prompts are the texts that models are shown.
	Prompts prompts.Set
}

// openReplies opens the kept replies.
func (c Common) openReplies() (*cache.Store, error) {
	return cache.Open(filepath.Join(c.Dir, cache.Folder), cache.Config{Redact: c.Session.Redact, Now: c.Session.Now})
}

// Questions selects what to make. A Preview above 0 makes that many candidates of each category instead.
type Questions struct {
	Count         int      `short:"n" placeholder:"N" help:"Number of questions to accept."`
	Categories    []string `placeholder:"NAME" help:"Categories, comma-separated: single-, comprehensive- with text, sections, table, image, formula or metadata; retrieval; multiple. Default: all, in the paper's shares."`
	MaxCandidates int      `name:"max-candidates" placeholder:"N" help:"Maximum number of candidates. Default: five per question."`
	DrawSeed      uint64   `name:"draw-seed" default:"2024" placeholder:"SEED" help:"Seed for sampling papers and elements."`
	Gates         []string `placeholder:"NAME" help:"Only these gates, or all but those after a !: self_contained, evidence, unique, evaluator, mutation, closed_book, solved_again, duplicate. Or none. Default: all."`
	SolveAgain    int      `name:"solve-again" default:"2" placeholder:"K" help:"Independent answers per question for the gate solved_again."`
	TrackerModel  string   `name:"tracker-model" placeholder:"PROVIDER:NAME" help:"Model of the tracker. Default: the model of -m."`
	Pictures      bool     `help:"Send figures as images, even if airqa list models does not list the model as accepting them."`
	Workers       int      `short:"j" default:"4" help:"Concurrent workers."`
	Preview       int      `placeholder:"N" help:"Make N candidates of each category, show them and stop."`
}

// Config configures an invocation that makes questions.
type Config struct {
	Common
	Questions
	// Resume decides about a directory that has a synthesis already: never, always, or if-possible, which is unless seed or
	// papers differ.
	Resume string
	// ExploreOnly stops after the explorer.
	ExploreOnly bool
}

// invocation is an invocation with what it opened.
type invocation struct {
	Config
	pipeline extractor.Config
	// The addresses are no part of the models' descriptions here: the same model at another address gives the same kind of replies.
	address, trackerAddress string
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
	inv.pipeline.Ledger = ledger
	return inv.run()
}

// open opens the model and chooses gates and quotas.
func open(ctx context.Context, c Config) (_ *invocation, err error) {
	inv := &invocation{Config: c, pipeline: extractor.Config{
		Dir: c.Dir, Seed: c.DrawSeed, Solve: c.SolveAgain, Workers: c.Workers, Library: c.World,
		Redact: c.Session.Redact, Prompts: c.Prompts, Preview: c.Preview > 0, ExploreOnly: c.ExploreOnly,
	}}
	p := &inv.pipeline
	if p.Gates, err = gate.Select(c.Gates); err != nil {
		return nil, err
	}
	if p.Forms, err = candidate.ReadForms(p.Prompts); err != nil {
		return nil, err
	}
	if p.Model, inv.address, err = inv.openModel(c.Model); err != nil {
		return nil, err
	}
	p.Tracker = p.Model
	if c.TrackerModel != "" {
		if p.Tracker, inv.trackerAddress, err = inv.openModel(c.TrackerModel); err != nil {
			return nil, fmt.Errorf("tracker: %w", err)
		}
	}
	if !p.Forms.AskEvidence() && slices.Contains(gate.Names(p.Gates), gate.Located) {
		c.Session.Notify.Notef("the gate %s is skipped, since the prompt synth_explore asks for no evidence", gate.Located)
	}
	p.Images = c.Pictures || p.Model.Listed != nil && p.Model.Listed.Images
	if p.Draw, err = candidate.OpenDraw(ctx, c.World, c.DrawSeed); err != nil {
		return nil, err
	}
	p.Quotas, err = inv.chooseQuotas()
	return inv, err
}

// openModel opens a model and takes its address out of its description.
func (inv *invocation) openModel(spec string) (m models.Model, address string, err error) {
	m, err = inv.Session.OpenModel(spec, inv.Calls)
	address, _ = m.Described["base_url"].(string)
	delete(m.Described, "base_url")
	return m, address, err
}

// chooseQuotas divides the rows over the chosen categories, or over all for which the papers have elements.
func (inv *invocation) chooseQuotas() (quotas []candidate.Quota, err error) {
	chosen, err := candidate.ParseCategories(inv.Categories)
	if err != nil {
		return nil, err
	}
	if len(chosen) == 0 {
		var left []string
		for _, c := range candidate.Categories() {
			if c.Type() == candidate.Multiple || inv.pipeline.Draw.Has(c) {
				chosen = append(chosen, c)
			} else {
				left = append(left, string(c))
			}
		}
		if len(left) > 0 {
			inv.Session.Notify.Notef("the papers have nothing for %s", strings.Join(left, ", "))
		}
	}
	if inv.Preview == 0 {
		return extractor.Quotas(chosen, inv.Count, inv.MaxCandidates), nil
	}
	for _, c := range chosen {
		quotas = append(quotas, candidate.Quota{Category: c, Count: inv.Preview, Most: inv.Preview})
	}
	return quotas, nil
}

// spent is the cost of the kept replies. The model of the tracker has its own price.
func (inv *invocation) spent(kept []cache.Held) (spent budget.Spent) {
	for _, r := range kept {
		price, usage := inv.pipeline.Model.Price, qa.Usage{Prompt: r.Prompt, Completion: r.Completion}
		if r.Model == inv.pipeline.Tracker.Name() {
			price = inv.pipeline.Tracker.Price
		}
		spent.Usage = spent.Usage.Add(usage)
		if price != nil {
			spent.USD += price.Of(usage)
		}
	}
	return spent
}

// run runs the pipeline with the kept replies, under a progress bar. Replies of earlier invocations count in the budget.
func (inv *invocation) run() (sum extractor.Summary, err error) {
	c := inv.pipeline
	store, err := inv.openReplies()
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	kept, _, err := cache.List(filepath.Join(inv.Dir, cache.Folder))
	if err != nil {
		return sum, err
	}
	requests := models.Requests{Account: budget.NewAccount(inv.Limits, inv.spent(kept), inv.Session.Now), Cache: store, Protocol: qa.ReActText}
	if c.Model.Endpoint, err = c.Model.Connect(requests); err != nil {
		return sum, err
	}
	if inv.TrackerModel == "" {
		c.Tracker = c.Model
	} else if c.Tracker.Endpoint, err = c.Tracker.Connect(requests); err != nil {
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
	bar := inv.Session.Progress.Stage("synth", wanted)
	made, lost := 0, "0 rejected"
	c.Progress = func(t candidate.Tally) {
		made, lost = t.Accepted+t.Pending, fmt.Sprintf("%d rejected", t.Rejected)
		if t.Failed > 0 {
			lost += fmt.Sprintf(", %d failed", t.Failed)
		}
		bar.Set(made, lost)
	}
	ctx, drain, stop := inv.Session.Interrupts()
	defer stop()
	p, err := extractor.New(c)
	if err != nil {
		return sum, err
	}
	sum, err = p.Run(ctx, drain)
	bar.Close(fmt.Sprintf("%d of %d questions %s, %s", made, wanted, done, lost))
	return sum, err
}
