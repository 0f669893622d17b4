package plan

import (
	"cmp"
	"net"
	"path/filepath"
	"slices"
	"strings"

	"airqa/baselines"
	"airqa/llm"
	"airqa/qa"
	"airqa/run/models"
	"airqa/run/session"
)

// Choice selects what an invocation runs: every baseline with every model.
type Choice struct {
	// Baselines are names, or "all"; Models are specs.
	Baselines, Models []string
	// Calls configures how the models are called; what belongs to the session is set by it.
	Calls models.Config
	// Workers is the number of concurrent episodes.
	Workers int
	// Out is the run directory, or a folder for several; empty for the default.
	Out string
}

// RunsFolder is the folder of runs without --out.
const RunsFolder = "runs"

// Jobs opens the models and returns all baselines with all models, and the folder for their output. A single job uses the folder
// Out itself, if given.
func Jobs(s session.Session, c Choice) ([]session.Job, string, error) {
	chosen, err := findBaselines(c.Baselines)
	if err != nil {
		return nil, "", err
	}
	opened, err := openModels(s, c)
	if err != nil {
		return nil, "", err
	}
	out := cmp.Or(c.Out, RunsFolder)
	var jobs []session.Job
	for _, m := range opened {
		for _, b := range chosen {
			j := session.Job{Baseline: b, Model: m, Dir: filepath.Join(out, b.Name+"@"+session.Slug(m.Spec)), Name: b.Name}
			if len(opened) > 1 {
				j.Name += " " + m.Spec
			}
			if m.Listed != nil && !m.Listed.Images && slices.Contains(b.Tools, "View") {
				s.Notify.Warnf("%s does not accept images according to the list of models, but %s sends some", m.Spec, b.Name)
			}
			jobs = append(jobs, j)
		}
	}
	if len(jobs) == 1 {
		jobs[0].Dir = cmp.Or(c.Out, jobs[0].Dir)
		out = jobs[0].Dir
	}
	return jobs, out, nil
}

// findBaselines returns the named baselines, or every one for "all".
func findBaselines(names []string) ([]baselines.Baseline, error) {
	if slices.Equal(names, []string{"all"}) {
		return baselines.All(), nil
	}
	var found []baselines.Baseline
	for _, name := range names {
		b, err := baselines.Find(strings.TrimSpace(name))
		if err != nil {
			return nil, &qa.UsageError{Err: err}
		}
		if slices.ContainsFunc(found, func(other baselines.Baseline) bool { return other.Name == b.Name }) {
			return nil, qa.Usagef("baseline %s is named twice", b.Name)
		}
		found = append(found, b)
	}
	return found, nil
}

// openModels opens the models of a choice.
func openModels(s session.Session, c Choice) ([]models.Model, error) {
	c.Calls.MaxConnections = max(llm.DefaultMaxConnections, c.Workers)
	source, err := s.OpenModels(c.Calls)
	if err != nil {
		return nil, err
	}
	if len(c.Models) > 1 && c.Calls.Price != nil {
		s.Notify.Warnf("the price %s applies to all %d models; a list of models can set a price for each",
			models.PriceText(c.Calls.Price), len(c.Models))
	}
	var opened []models.Model
	for _, spec := range c.Models {
		spec = strings.TrimSpace(spec)
		if slices.ContainsFunc(opened, func(other models.Model) bool { return other.Spec == spec }) {
			return nil, qa.Usagef("model %s is named twice", spec)
		}
		m, err := source.Open(spec)
		if err != nil {
			return nil, err
		}
		if left, ok := m.Described["not_sent"]; ok {
			s.Notify.Notef("%s rejects settings, which are not sent: %v", spec, left)
		}
		opened = append(opened, m)
	}
	warnOfModels(s, opened, c.Calls.BaseURL)
	return opened, nil
}

// warnOfModels warns about one address for models of several providers, and lists the models of unknown price. Local models
// cost nothing per token.
func warnOfModels(s session.Session, opened []models.Model, address string) {
	var providers, unpriced []string
	for _, m := range opened {
		provider, _ := llm.SplitSpec(m.Spec)
		if provider != models.Offline && provider != "scripted" && !slices.Contains(providers, provider) {
			providers = append(providers, provider)
		}
		host, _, err := net.SplitHostPort(llm.FromEnvironment(m.Spec, s.Getenv).Pair(address).Host())
		if m.Price == nil && (err != nil || !models.IsLoopback(host)) {
			unpriced = append(unpriced, m.Spec)
		}
	}
	if len(providers) > 1 && address != "" {
		s.Notify.Warnf("%s applies to models of %s, and receives the keys of all of them", address, strings.Join(providers, " and "))
	}
	if len(unpriced) > 0 {
		s.Notify.Warnf("no known price for %s: costs are not counted; give the price, or add it to your list of models",
			strings.Join(unpriced, ", "))
	}
}
