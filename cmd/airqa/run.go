package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"airqa/env"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/run/plan"
	"airqa/run/scoring"
	"airqa/run/session"
	"airqa/run/shard"
	"airqa/runlog"
)

type runCmd struct {
	dataFlags
	questionsFlag
	Baseline []string `required:"" complete:"baseline" placeholder:"NAME" help:"Baselines, comma-separated, or all (airqa list baselines lists them)."`
	Model    []string `short:"m" required:"" placeholder:"PROVIDER:NAME" help:"Models, comma-separated: openai:NAME (any OpenAI-compatible endpoint), openai-responses:NAME, anthropic:NAME, google:NAME, ollama:NAME, scripted:FILE or offline (rules)."`
	Out      string   `short:"o" placeholder:"DIR" help:"Run directory, or the folder of run directories if there are several. An existing run is resumed. Default: runs/BASELINE@MODEL."`
	endpointFlags
	workersFlag
	Repeats int    `default:"1" placeholder:"K" help:"Episodes per question. If you raise it later, only the new episodes run."`
	Retry   string `default:"errors" enum:"errors,all,none" help:"Finished episodes to retry: errors (endpoint or tool failures), all (also images refused by the model) or none."`
	plan.Options
	paperFlag
	budgetFlags
	graceFlag
	qa.Settings
	cacheFlags
	From string `placeholder:"RUN" help:"Take over the episodes that RUN has of these questions: an undivided run of the same settings, such as a partial merge."`
	dryRunFlag
	jsonFlag
	Score bool `help:"Score the run as soon as it ends, as airqa score does."`
	judgeFlag
}

func (c runCmd) Run(a *app) error {
	a.data, a.grace = c.Data, c.Grace
	config, err := c.config(a)
	if err != nil {
		return err
	}
	p, err := plan.Prepare(a.ctx, a.session(), config)
	if err != nil {
		return err
	}
	defer func() { _ = p.World.Close() }()
	if c.DryRun {
		return c.dryRun(a, p)
	}
	scoring, err := c.readyToScore(a, p.Picked)
	if err != nil {
		return err
	}
	closeCache, err := c.openReplies(a, &p)
	if err != nil {
		return err
	}
	defer closeCache()
	ended, err := a.session().Execute(a.ctx, p)
	for _, line := range session.AnswerLines(ended) {
		if err := a.print(string(a.redactor()([]byte(line)))); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	result := a.endRun(ended, nextStep{Out: p.Out, Judge: c.hint(), Shard: c.Shard, Scores: c.Score})
	return c.scoreEnded(a, scoring, p.Out, ended, result)
}

// readyToScore returns the command for --score, after a check of its judges: a run should not end without scores.
func (c runCmd) readyToScore(a *app, picked []qa.Example) (s scoreCmd, err error) {
	if !c.Score {
		return s, nil
	}
	if s, err = c.score(a); err != nil {
		return s, err
	}
	judges, err := s.judges()
	if err != nil {
		return s, err
	}
	return s, judges.Ready(a.session(), picked)
}

// config returns what the flags select. Opening the papers settles the flags about their index.
func (c *runCmd) config(a *app) (plan.Config, error) {
	if err := c.check(); err != nil {
		return plan.Config{}, err
	}
	if c.Missing == runlog.MissingStop {
		c.whole = "--missing skip"
	}
	calls, err := calling(c.endpointFlags, c.budgetFlags, c.QuestionLimits)
	if err != nil {
		return plan.Config{}, err
	}
	return plan.Config{
		Choice: plan.Choice{
			Baselines: c.Baseline, Models: c.Model, Calls: calls, Workers: c.Workers, Out: c.Out,
		},
		Questions: c.Questions, Options: c.Options, DryRun: c.DryRun,
		OpenWorld: func(config env.Config) (*env.Env, error) { return c.open(a, config) },
		Plan: session.Plan{
			Settings: c.Settings, Limits: c.Budget, Repeats: c.Repeats, Retry: c.Retry, From: c.From, Prompts: c.Prompts,
			Note: runlog.Note{DataDir: c.Data, AsInPaper: a.paper},
		},
	}, nil
}

func (c runCmd) dryRun(a *app, p session.Plan) error {
	remote := c.Embedder != "minilm" && c.Retrieve != string(env.BM25)
	d, err := plan.DryRun(a.ctx, a.session(), p, remote)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(struct {
			Format int `json:"format"`
			*plan.Dry
		}{1, d})
	}
	return a.print(d.Text(a.width))
}

func (c runCmd) check() error {
	switch {
	case c.Workers < 1:
		return qa.Usagef("-j %d: must be at least 1", c.Workers)
	case c.Repeats < 1:
		return qa.Usagef("--repeats %d: must be at least 1", c.Repeats)
	case c.Rows < 0:
		return qa.Usagef("--rows %d: must not be negative (0 = no limit)", c.Rows)
	case c.RepeatLimit < 0 || c.RepeatLimit == 1:
		return qa.Usagef("--repeat-limit %d: must be at least 2, or 0 for none", c.RepeatLimit)
	case min(c.Turns, c.Window) < 1:
		return qa.Usagef("--turns and --window must be at least 1")
	case c.DryRun && c.Score:
		return qa.Usagef("--dry-run and --score are mutually exclusive: a dry run has no answers")
	}
	return errors.Join(c.checkOut(), checkQuestionLimits(c.QuestionLimits))
}

// checkOut refuses a shard without a run directory.
func (c runCmd) checkOut() error {
	if c.Out == "" && c.Shard != (shard.Part{}) {
		return qa.Usagef("--shard needs --out DIR: each shard has its own run directory, such as --out runs/shards/%s", c.Shard.Folder())
	}
	return nil
}

// scoreEnded scores the runs for --score. An interrupted run is left for the invocation that resumes it; ended is the run's own
// error, which is reported first.
func (c runCmd) scoreEnded(a *app, s scoreCmd, out string, jobs []session.Ended, ended error) error {
	if !c.Score || len(jobs) == 0 {
		return ended
	}
	if a.interrupted.Load() {
		a.say("note: not scored, because the run was interrupted; the same command resumes and scores it")
		return ended
	}
	sum, err := s.scoreDirs(a, qa.Map(jobs, func(j session.Ended) string { return j.Dir }))
	if errors.Is(err, scoring.ErrNothingEnded) {
		return cmp.Or(ended, err)
	}
	if err == nil {
		err = s.verdict(sum)
		if !a.nextMerge(c.Shard, out) {
			a.next("airqa report %s\n      airqa trace %s --status wrong", out, out)
		}
	}
	return errors.Join(ended, err)
}

// nextStep is how an invocation of a run continues.
type nextStep struct {
	// Out is the run directory, or the folder of several.
	Out string
	// Judge is appended to the suggested airqa score, such as "--judge offline"; may be empty.
	Judge string
	// Shard is the part of the questions that ran.
	Shard shard.Part
	// Scores is true if scoring follows at once, so that no command is suggested.
	Scores bool
}

// endRun prints the scores so far and the next step, and returns the error of a run that is not complete.
func (a *app) endRun(jobs []session.Ended, next nextStep) error {
	result := a.session().Result(jobs)
	if result != nil && !slices.ContainsFunc(jobs, func(j session.Ended) bool { return j.Err != nil || j.Left+j.Failed > 0 }) {
		result = fmt.Errorf("%w; --retry all retries them", result)
	}
	for _, j := range jobs {
		if j.Err != nil && !errors.Is(j.Err, qa.ErrInterrupted) {
			return result
		}
	}
	for _, j := range jobs {
		if text := j.Tally.Text(); text != "" {
			a.say("%s", terminal.Wrap(j.Name+": "+text, 80, "  "))
		}
	}
	a.suggestNext(jobs, next)
	return result
}

// suggestNext prints the command that follows, unless scoring follows at once or a run is not complete.
func (a *app) suggestNext(jobs []session.Ended, next nextStep) {
	if next.Scores || slices.ContainsFunc(jobs, func(j session.Ended) bool { return j.Left > 0 || j.Err != nil }) {
		return
	}
	switch {
	case a.nextMerge(next.Shard, next.Out):
	case !slices.ContainsFunc(jobs, func(j session.Ended) bool { return j.Tally.Scorable() > 0 }):
		a.next("airqa trace %s", next.Out)
	default:
		command := strings.TrimRight("airqa score %s "+next.Judge, " ")
		a.next(command+"\n      airqa trace %s --status wrong", next.Out, next.Out)
	}
}

// nextMerge suggests what follows a shard, and reports whether the run is one.
func (a *app) nextMerge(part shard.Part, out string) bool {
	if part == (shard.Part{}) {
		return false
	}
	all := "/*"
	if filepath.Base(out) == part.Folder() { // another division may be there, too
		all = fmt.Sprintf("/*-of-%d", part.Of)
	}
	a.next("airqa shards merge %s"+all+" --out DIR, when all shards have ended", filepath.Dir(filepath.Clean(out)))
	return true
}

// adviceOn suggests what to do about a run directory of another configuration.
func adviceOn(differences []string) string {
	texts := func(line string) bool {
		return strings.HasPrefix(line, "prompts.") || strings.HasPrefix(line, "tools.")
	}
	switch {
	case slices.ContainsFunc(differences, func(line string) bool { return strings.HasPrefix(line, "shard: ") }):
		return "A run directory belongs to one shard: choose another --out, or repeat --shard"
	case slices.ContainsFunc(differences, func(line string) bool { return strings.HasPrefix(line, "selected: ") }):
		return "The questions of a shard depend on all selected questions: repeat --sample, --tag, --limit and the like, or choose another --out"
	case slices.ContainsFunc(differences, texts):
		return "This run was started with other prompts, by --prompts or another version of airqa: it can be scored and reported, but not resumed. Repeat --prompts, or choose another --out"
	}
	return "Choose another --out, or repeat the settings of the existing run"
}

// openReplies opens the cache of a plan, and the run whose replies are added to it. Without a cache, they are in a temporary
// folder. Call the returned function at the end.
func (c runCmd) openReplies(a *app, p *session.Plan) (done func(), err error) {
	dir, from, err := c.split()
	if err != nil {
		return nil, err
	}
	name, remove := "cache "+dir, func() {}
	if from != "" {
		if p.CacheFrom, err = runlog.Open(from); err != nil {
			return nil, err
		}
		if p.CacheFrom.Config.Note.Imported != nil {
			return nil, fmt.Errorf("%s: %w", from, runlog.ErrImported)
		}
		p.Note.CacheFrom = from
	}
	if dir == "" && from != "" {
		if dir, err = os.MkdirTemp("", "airqa-replies-"); err != nil {
			return nil, err
		}
		name, remove = "replies of "+from, func() { _ = os.RemoveAll(dir) }
	}
	if p.Cache, err = openCache(a, dir); err != nil {
		remove()
		return nil, err
	}
	return func() {
		a.closeCache(name, p.Cache)
		remove()
	}, nil
}
