package synthesis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"airqa/env"
	"airqa/eval"
	"airqa/extractor"
	"airqa/extractor/candidate"
	"airqa/internal/exit"
	"airqa/llm/cache"
	"airqa/qa"
	"airqa/run/scoring"
	"airqa/run/session"
	"airqa/runlog"
)

// Acted selects how trajectories are collected and scored. Its fields are flags.
type Acted struct {
	Baseline []string `default:"agentic-hybrid" placeholder:"NAME" help:"Baselines that answer the questions, comma-separated (airqa baselines lists them)."`
	Repeats  int      `default:"1" placeholder:"K" help:"Trajectories per question."`
	scoring.Judges
}

// Acting selects a collection of trajectories. Its fields are flags.
type Acting struct {
	Model string `names:"model" short:"m" required:"" placeholder:"PROVIDER:NAME" help:"Model of the actor: openai:NAME at any OpenAI-compatible endpoint, anthropic:NAME, google:NAME, ollama:NAME, or offline (rules, no language model)."`
	session.Endpoint
	Out     string `names:"output" short:"o" required:"" placeholder:"SYN" help:"Directory of the synthesis."`
	Workers int    `short:"j" default:"4" help:"Concurrent episodes."`
	Acted
	session.Budget
	qa.Settings
}

// Acting returns the collection of trajectories that follows with the same model.
func (f Making) Acting(a Acted) Acting {
	return Acting{
		Model: f.Model, Endpoint: f.Endpoint, Out: f.Out, Workers: f.Workers, Acted: a, Budget: f.Budget, Settings: qa.DefaultSettings(),
	}
}

// Run answers the accepted questions and scores the answers. The runs are in SYN/runs, in a directory for each set of
// questions; replies are kept with those of the synthesis, so that no question is paid for twice.
func (f Acting) Run(ctx context.Context, s session.Session, world *env.Env, data string) (h *Health, err error) {
	if f.Repeats < 1 || f.Workers < 1 {
		return nil, exit.Misuse("--repeats and -j must be at least 1")
	}
	questions := filepath.Join(f.Out, candidate.QuestionsFile)
	if _, err := candidate.ReadSettings(f.Out); err != nil {
		return nil, err
	}
	examples, err := s.Questions(questions)
	if err != nil {
		return nil, err
	}
	if len(examples) == 0 {
		return nil, fmt.Errorf("%s has no questions; airqa synth why %s shows why", questions, f.Out)
	}
	limits, err := f.left()
	if err != nil {
		return nil, err
	}
	jobs, err := f.jobs(s, examples, limits)
	if err != nil {
		return nil, err
	}
	store, err := cache.Open(filepath.Join(f.Out, candidate.RepliesDir), cache.Config{Redact: s.Redact, Now: s.Now})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	ended, err := s.Execute(ctx, session.Plan{
		World: world, Examples: examples, Picked: examples, Settings: f.Settings, Workers: f.Workers, Repeats: f.Repeats, Retry: "errors",
		Budget: limits, Cache: store, Note: runlog.Note{QuestionsFile: questions, DataDir: data},
	}, jobs)
	quiet := s
	quiet.Notify = nil // scoring follows, so its hint is not needed
	stopped := quiet.End(ended, session.Next{Out: filepath.Join(f.Out, candidate.RunsDir)}, err)
	if err != nil {
		return nil, err
	}
	if err := f.score(s, jobs); err != nil && !errors.Is(err, scoring.ErrNothingEnded) {
		return nil, errors.Join(stopped, err)
	}
	h, err = f.record(s, jobs, examples)
	return h, errors.Join(stopped, err)
}

// left is the budget that making the questions has left.
func (f Acting) left() (session.Budget, error) {
	b := f.Budget
	history, err := candidate.ReadHistory(f.Out)
	if err != nil {
		return b, err
	}
	spent := history.Spent()
	used := false
	if b.BudgetTokens > 0 {
		b.BudgetTokens -= spent.Usage.Prompt + spent.Usage.Completion
		used = b.BudgetTokens <= 0
	}
	if b.BudgetUSD > 0 && spent.USD != nil {
		b.BudgetUSD -= *spent.USD
		used = used || b.BudgetUSD <= 0
	}
	if used {
		err = exit.With(exit.Budget, errors.New("the questions have used the whole budget; raise the limit and the same command resumes"))
	}
	return b, err
}

// jobs returns a run for each baseline. Its directory is named for the questions too: other questions make another run.
func (f Acting) jobs(s session.Session, examples []qa.Example, limits session.Budget) ([]session.Job, error) {
	jobs, _, err := s.Jobs(session.Choice{
		Baselines: f.Baseline, Models: []string{f.Model}, Endpoint: f.Endpoint, Budget: limits, Limits: f.QuestionLimits, Workers: f.Workers,
		Out: filepath.Join(f.Out, candidate.RunsDir),
	})
	if err != nil {
		return nil, err
	}
	hash, err := extractor.HashRows(examples)
	for i := range jobs {
		name := jobs[i].Baseline.Name + "@" + session.Slug(f.Model) + "-" + hash
		jobs[i].Dir = filepath.Join(f.Out, candidate.RunsDir, name)
	}
	return jobs, err
}

// score scores the runs.
func (f Acting) score(s session.Session, jobs []session.Job) error {
	judges := f.Judges
	if f.Model == session.OfflineModel && len(judges.Judges) == 0 {
		judges.Judge = cmp.Or(judges.Judge, session.OfflineModel)
	}
	for _, j := range jobs {
		judge, err := judges.Open(s, filepath.Join(j.Dir, scoring.VerdictsFile))
		if err != nil {
			return err
		}
		if judge.Absent != nil {
			s.Notify.Warnf("%v; subjective answers stay unscored", judge.Absent)
		}
		by := scoring.Scoring{Session: s, Mode: eval.Reference, Judge: judge, JudgeConcurrency: judges.JudgeConcurrency}
		_, err = by.Run(j.Dir)
		if err := errors.Join(err, judge.Close()); err != nil {
			return err
		}
	}
	return nil
}

// record adds a line to the ledger for each trajectory, and returns the health of the actor.
func (f Acting) record(s session.Session, jobs []session.Job, examples []qa.Example) (_ *Health, err error) {
	ledger, err := candidate.OpenLedger(f.Out, s.Redact)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, ledger.Close()) }()
	origins := make(map[string]candidate.Synth)
	for _, ex := range examples {
		if origin, ok := extractor.SynthOf(ex); ok {
			origins[ex.UUID] = origin
		}
	}
	h := &Health{}
	for _, j := range jobs {
		lines, err := h.add(j.Dir, origins)
		if err != nil {
			return h, err
		}
		for _, line := range lines {
			old, ok, err := ledger.Get(line.Candidate, line.Stage)
			if err == nil && (!ok || old.Detail != line.Detail || old.Outcome != line.Outcome) {
				err = ledger.Add(line)
			}
			if err != nil {
				return h, err
			}
		}
	}
	return h, nil
}
