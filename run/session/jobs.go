package session

import (
	"cmp"
	"net"
	"path/filepath"
	"slices"
	"strings"

	"airqa/baselines"
	"airqa/internal/exit"
	"airqa/llm"
	"airqa/llm/catalog"
	"airqa/qa"
	"airqa/run/replay"
	"airqa/runlog"
)

// Choice selects what an invocation runs: every baseline with every model.
type Choice struct {
	// Baselines are names, or "all"; Models are specs.
	Baselines, Models []string
	Endpoint          Endpoint
	Budget            Budget
	Limits            qa.QuestionLimits
	// Workers is the number of concurrent episodes.
	Workers int
	// Out is the run directory, or a folder for several; empty for the default.
	Out string
	// Replay is the run to replay; may be nil.
	Replay *replay.Source
}

// Jobs opens the models and returns the jobs, and the folder for their output.
func (s Session) Jobs(c Choice) ([]Job, string, error) {
	chosen, err := findBaselines(c.Baselines)
	if err != nil {
		return nil, "", err
	}
	models, err := c.open(s)
	if err != nil {
		return nil, "", err
	}
	jobs := jobsOf(chosen, models, c.Out)
	c.warnOfImages(s, jobs)
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
			return nil, exit.With(exit.Usage, err)
		}
		if slices.ContainsFunc(found, func(other baselines.Baseline) bool { return other.Name == b.Name }) {
			return nil, exit.Misuse("baseline %s is named twice", b.Name)
		}
		found = append(found, b)
	}
	return found, nil
}

// openModel makes a model. A replayed model is only described, so it needs no key; a script that run.json identifies by
// file name is described as recorded.
func (c Choice) openModel(s Session, o *Models, spec string) (Opened, error) {
	if c.Replay == nil {
		return o.Open(spec, s.Getenv)
	}
	recorded := c.Replay.Config().Shape.Model
	provider, _ := llm.SplitSpec(spec)
	if spec == runlog.SpecOf(recorded) && (provider == "scripted" || provider == OfflineModel) {
		return Opened{Spec: spec, Described: recorded, Price: &qa.Price{}, MaxReply: c.Replay.Config().Shape.ReplyLimit()}, nil
	}
	settled, list, err := o.Settled(spec, s.Getenv)
	if err != nil {
		return Opened{}, err
	}
	described, err := llm.Describe(settled)
	return Opened{Spec: spec, Described: described, Price: ListedPrice(list, spec), MaxReply: settled.Sampling.MaxTokens}, err
}

// open makes the models; for a replay, only their recorded descriptions.
func (c Choice) open(s Session) ([]Opened, error) {
	if c.Endpoint.MaxConnections == 0 {
		c.Endpoint.MaxConnections = max(llm.DefaultMaxConnections, c.Workers)
	}
	source := c.Endpoint.Opener(s.Given["base-url"])
	source.Notify = s.Notify
	if len(c.Models) > 1 && c.Budget.Price != "" {
		s.Notify.Warnf("--price %s applies to all %d models; a --models file can list one each", c.Budget.Price, len(c.Models))
	}
	var opened []Opened
	for _, spec := range c.Models {
		spec = strings.TrimSpace(spec)
		if slices.ContainsFunc(opened, func(other Opened) bool { return other.Spec == spec }) {
			return nil, exit.Misuse("model %s is named twice", spec)
		}
		m, err := c.openModel(s, source, spec)
		if err == nil {
			m.Price, err = c.Budget.PriceOf(m, c.Limits)
		}
		if err != nil {
			return nil, err
		}
		if left, ok := m.Described["not_sent"]; ok {
			s.Notify.Notef("%s rejects settings, which are not sent: %v", spec, left)
		}
		opened = append(opened, m)
	}
	c.warnOfProviders(s)
	if c.Replay == nil {
		c.warnOfPrices(s, opened)
	}
	return opened, nil
}

// warnOfPrices lists the models of unknown price. Local models cost nothing per token.
func (c Choice) warnOfPrices(s Session, models []Opened) {
	var unknown []string
	for _, m := range models {
		access := llm.FromEnvironment(m.Spec, s.Getenv).Pair(c.Endpoint.BaseURL)
		if host, _, err := net.SplitHostPort(access.Host()); m.Price == nil && (err != nil || !IsLoopback(host)) {
			unknown = append(unknown, m.Spec)
		}
	}
	if len(unknown) > 0 {
		s.Notify.Warnf("no known price for %s: costs are not counted; set one with --price IN,OUT", strings.Join(unknown, ", "))
	}
}

// warnOfProviders warns about one address for models of several providers.
func (c Choice) warnOfProviders(s Session) {
	var providers []string
	for _, spec := range c.Models {
		provider, _ := llm.SplitSpec(strings.TrimSpace(spec))
		asks := provider != OfflineModel && provider != "scripted"
		if asks && !slices.Contains(providers, provider) {
			providers = append(providers, provider)
		}
	}
	if len(providers) > 1 && c.Endpoint.BaseURL != "" {
		s.Notify.Warnf("--base-url applies to models of %s, and receives the keys of all of them", strings.Join(providers, " and "))
	}
}

// warnOfImages warns about a model without image input for a baseline that needs it.
func (c Choice) warnOfImages(s Session, jobs []Job) {
	list, err := catalog.Open(c.Endpoint.Models)
	if err != nil {
		return // reported when the models were opened
	}
	for _, j := range jobs {
		if known, listed := list.Find(j.Spec); listed && !known.Images && slices.Contains(j.Baseline.Tools, "View") {
			s.Notify.Warnf("%s takes no images according to the list of models; %s sends some", j.Spec, j.Baseline.Name)
		}
	}
}

// RunsFolder is the folder of runs without --out.
const RunsFolder = "runs"

// jobsOf returns all baselines with all models. A single job uses the folder out itself, if given.
func jobsOf(chosen []baselines.Baseline, models []Opened, out string) []Job {
	if len(chosen) == 1 && len(models) == 1 && out != "" {
		return []Job{{Baseline: chosen[0], Opened: models[0], Dir: out, Name: chosen[0].Name}}
	}
	out = cmp.Or(out, RunsFolder)
	var all []Job
	for _, m := range models {
		slug := Slug(m.Spec)
		for _, b := range chosen {
			c := Job{Baseline: b, Opened: m, Dir: filepath.Join(out, b.Name+"@"+slug), Name: b.Name}
			if len(models) > 1 {
				c.Name = b.Name + " " + m.Spec
			}
			all = append(all, c)
		}
	}
	return all
}
