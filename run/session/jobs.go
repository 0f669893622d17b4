package session

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

// Jobs opens the models and returns the jobs, and the folder for their output.
func (s Session) Jobs(c Choice) ([]Job, string, error) {
	chosen, err := findBaselines(c.Baselines)
	if err != nil {
		return nil, "", err
	}
	opened, err := s.openModels(c)
	if err != nil {
		return nil, "", err
	}
	jobs := newJobs(chosen, opened, c.Out)
	for _, j := range jobs {
		if j.Listed != nil && !j.Listed.Images && slices.Contains(j.Baseline.Tools, "View") {
			s.Notify.Warnf("%s does not accept images according to the list of models, but %s sends some", j.Spec, j.Baseline.Name)
		}
	}
	out := cmp.Or(c.Out, RunsFolder)
	if c.Out == "" && len(jobs) == 1 {
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

// OpenModels opens the catalog of models for the session.
func (s Session) OpenModels(c models.Config) (*models.Models, error) {
	c.OwnURL, c.Getenv, c.Notify = s.Given.Models, s.Getenv, s.Notify
	return models.Open(c)
}

// OpenModel opens one model.
func (s Session) OpenModel(spec string, c models.Config) (models.Model, error) {
	source, err := s.OpenModels(c)
	if err != nil {
		return models.Model{}, err
	}
	return source.Open(spec)
}

// openModels opens the models of a choice.
func (s Session) openModels(c Choice) ([]models.Model, error) {
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
	s.warnOfProviders(opened, c.Calls.BaseURL)
	s.warnOfPrices(opened, c.Calls.BaseURL)
	return opened, nil
}

// warnOfPrices lists the models of unknown price. Local models cost nothing per token.
func (s Session) warnOfPrices(opened []models.Model, address string) {
	var unknown []string
	for _, m := range opened {
		access := llm.FromEnvironment(m.Spec, s.Getenv).Pair(address)
		if host, _, err := net.SplitHostPort(access.Host()); m.Price == nil && (err != nil || !models.IsLoopback(host)) {
			unknown = append(unknown, m.Spec)
		}
	}
	if len(unknown) > 0 {
		s.Notify.Warnf("no known price for %s: costs are not counted; give the price, or add it to your list of models",
			strings.Join(unknown, ", "))
	}
}

// warnOfProviders warns about one address for models of several providers.
func (s Session) warnOfProviders(opened []models.Model, address string) {
	var providers []string
	for _, m := range opened {
		provider, _ := llm.SplitSpec(m.Spec)
		if provider != models.Offline && provider != "scripted" && !slices.Contains(providers, provider) {
			providers = append(providers, provider)
		}
	}
	if len(providers) > 1 && address != "" {
		s.Notify.Warnf("%s applies to models of %s, and receives the keys of all of them", address, strings.Join(providers, " and "))
	}
}

// RunsFolder is the folder of runs without --out.
const RunsFolder = "runs"

// newJobs returns all baselines with all models. A single job uses the folder out itself, if given.
func newJobs(chosen []baselines.Baseline, opened []models.Model, out string) []Job {
	if len(chosen) == 1 && len(opened) == 1 && out != "" {
		return []Job{{Baseline: chosen[0], Model: opened[0], Dir: out, Name: chosen[0].Name}}
	}
	out = cmp.Or(out, RunsFolder)
	var all []Job
	for _, m := range opened {
		slug := Slug(m.Spec)
		for _, b := range chosen {
			j := Job{Baseline: b, Model: m, Dir: filepath.Join(out, b.Name+"@"+slug), Name: b.Name}
			if len(opened) > 1 {
				j.Name = b.Name + " " + m.Spec
			}
			all = append(all, j)
		}
	}
	return all
}
