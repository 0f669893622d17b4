package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"airqa/env"
	"airqa/env/datadir"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/run/ask"
	"airqa/run/budget"
	"airqa/run/models"
	"airqa/run/session"
	"airqa/runlog"
)

// input returns the questions and the PDFs.
func (c *askCmd) input(a *app) (questions, files []string, err error) {
	switch {
	case c.Continue && c.From != "":
		return nil, nil, qa.Usagef("--continue and --from are mutually exclusive: --from RUN already continues RUN")
	case c.File == "" && strings.TrimSpace(c.Question) == "":
		return nil, nil, qa.Usagef("ask needs a question: airqa ask \"QUESTION\" paper.pdf, or --file FILE with a question on each line")
	}
	if err := checkQuestionLimits(c.QuestionLimits); err != nil {
		return nil, nil, err
	}
	if questions, files, err = c.given(a); err != nil {
		return nil, nil, err
	}
	switch {
	case len(questions) == 0:
		return nil, nil, qa.Usagef("no question in %s", cmp.Or(c.File, "the command"))
	case len(files) > 0 && c.dataGiven:
		return nil, nil, qa.Usagef("give PDFs or --data, not both; airqa ingest -d %s %s adds them to that directory", terminal.ShellWord(c.Data), terminal.ShellWord(files[0]))
	}
	return questions, files, nil
}

// given returns the questions of the command line or of --file, and the PDFs.
func (c *askCmd) given(a *app) (questions, files []string, err error) {
	if c.File == "" {
		if _, err := os.Stat(c.Question); err == nil {
			return nil, nil, qa.Usagef("%s is a file, not a question; the question comes first: airqa ask \"QUESTION\" %[1]s", c.Question)
		}
		return []string{strings.TrimSpace(c.Question)}, c.PDFs, nil
	}
	text, err := a.readText(c.File)
	if err != nil {
		return nil, nil, withCode(exitUsage, fmt.Errorf("read questions: %w", err))
	}
	if files = c.PDFs; c.Question != "" {
		files = append([]string{c.Question}, files...)
	}
	return ask.Read(text), files, nil
}

// conversationDir is the run directory of the conversation that flags continue; "" for none. A wrong one is reported by
// [askCmd.conversation].
func conversationDir(last bool, from string) string {
	if from == "" && last {
		from, _ = ask.Last()
	}
	dir, _ := ask.SplitRun(from)
	if _, err := runlog.ReadConfig(dir); err != nil {
		return ""
	}
	return dir
}

// conversation returns what was asked and answered before, and the papers of that.
func (c *askCmd) conversation(a *app) (turns []ask.Turn, papers []string, err error) {
	from := c.From
	if c.Continue {
		if from, err = ask.Last(); err != nil {
			return nil, nil, err
		}
	}
	if from == "" {
		return nil, nil, nil
	}
	talk, err := ask.Continued(a.session(), from)
	if err != nil {
		return nil, nil, err
	}
	a.say("continues %s: %s", talk.Dir, terminal.Plural(len(talk.Turns), "earlier question"))
	return talk.Turns, talk.Papers, nil
}

// job opens the model. Without one, no endpoint is asked, whatever keys there are.
func (c *askCmd) job(a *app) (session.Job, budget.Limits, error) {
	if c.Model == "" {
		c.Model = models.Offline
	}
	if c.Model == models.Offline {
		a.say("model: offline, rules without a language model; -m openai:gpt-4o names one")
	} else {
		a.say("model: %s", c.Model)
	}
	calls, limits, err := calling(c.endpointFlags, c.budgetFlags, c.QuestionLimits)
	if err != nil {
		return session.Job{}, limits, err
	}
	jobs, _, err := a.session().Jobs(session.Choice{
		Baselines: []string{c.Baseline}, Models: []string{c.Model}, Calls: calls, Workers: 1, Out: c.Out,
	})
	if err != nil {
		return session.Job{}, limits, err
	}
	if len(jobs) > 1 {
		return session.Job{}, limits, qa.Usagef("--baseline %s: ask takes one baseline", c.Baseline)
	}
	return jobs[0], limits, nil
}

// papers opens the data directory of the PDFs, or that of --data.
func (c *askCmd) papers(a *app, files []string, job session.Job) (*env.Env, error) {
	if len(files) > 0 {
		if err := c.ingest(a, files); err != nil {
			return nil, err
		}
	}
	world, err := c.open(a, session.WorldConfig([]session.Job{job}, c.Settings))
	if errors.Is(err, datadir.ErrNotDataDir) {
		return nil, withCode(exitUsage, fmt.Errorf("%w\n  or name PDFs: airqa ask \"QUESTION\" paper.pdf", err))
	}
	return world, err
}

// ingest reads PDFs into the cache and makes that the data directory.
func (c *askCmd) ingest(a *app, files []string) error {
	c.Data = ""
	root, err := ask.DefaultLibrary()
	if err != nil {
		return err
	}
	c.Data = root // a new directory has no record that the flags could contradict
	texts, err := c.index(a, true)
	if err != nil {
		return err
	}
	c.Data, err = ask.Library{Root: root, Session: a.session()}.Dir(a.ctx, files, env.WriterConfig{Vectors: c.Vectors, Embedder: texts})
	return err
}
