package main

import (
	"fmt"

	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/report/render"
	"airqa/run/session"
	"airqa/runlog"
	"airqa/trace"
	"airqa/trace/cause"
	"airqa/trace/text"
)

type whyCmd struct {
	Dir       string         `arg:"" name:"run" help:"Run directory, or a folder of them, with scores."`
	UUID      string         `arg:"" optional:"" name:"uuid" help:"Question uuid or a prefix of it. Default: all wrong answers."`
	Compare   string         `placeholder:"RUN2" help:"Show the causes of a second run beside those of the first."`
	Sample    dataset.Sample `placeholder:"N" help:"Only a random sample of at most N wrong answers of each question type, for people to decide on; N:SEED draws another one (default seed: 2024)."`
	All       bool           `help:"List all wrong answers. Default: the ten causes with the highest confidence; CSV and JSON contain all."`
	WithPaper bool           `help:"Also show the paper's own numbers."`
	formatFlags
	Scoring string `placeholder:"MODE" help:"Use the scores of this mode, such as reference. Default: the newest, or an older one of the same mode with more verdicts."`
}

func (c whyCmd) Run(a *app) error {
	o, err := c.options(a)
	if err != nil {
		return err
	}
	choice := cause.Choice{Scoring: c.Scoring}
	sources, err := c.sources(a)
	if err != nil {
		return err
	}
	if choice.Episode, err = c.episode(sources); err != nil {
		return err
	}
	runs, err := cause.Read(a.ctx, sources, choice)
	if err != nil {
		return err
	}
	for i := range runs {
		if err := a.decided(&runs[i]); err != nil {
			return err
		}
	}
	if choice.Episode == "" {
		return c.list(a, runs, o)
	}
	if len(runs[0].Rows) == 0 {
		return fmt.Errorf("%s: the answer of %s is not wrong, or has no verdict", c.Dir, choice.Episode)
	}
	return text.Cause(a.out, runs[0].Rows[0], o)
}

func (c whyCmd) options(a *app) (o render.Options, err error) {
	o, err = c.render(a, "")
	o.WithPaper = c.WithPaper
	switch {
	case err != nil:
		return o, err
	case c.UUID != "" && (c.Compare != "" || c.Sample.N > 0 || c.WithPaper):
		return o, qa.Usagef("--compare, --sample and --with-paper show whole runs; leave out the uuid")
	case c.WithPaper && (o.Format == "csv" || o.Format == "json"):
		return o, qa.Usagef("--with-paper adds to the table of causes, which --format %s does not have", o.Format)
	}
	return o, nil
}

// list prints the causes of whole runs, or of a sample.
func (c whyCmd) list(a *app, runs []cause.Run, o render.Options) error {
	most := 10
	if c.All || c.Sample.N > 0 {
		most = 0
	}
	for i, r := range runs {
		runs[i] = r.Sampled(c.Sample)
	}
	err := text.Causes(a.out, runs, most, o)
	if err == nil && c.Sample.N > 0 {
		a.next("airqa notes %s UUID --decide CAUSE", runs[0].Dir)
	}
	return err
}

// episode finds the question in the run; "" if the command names none.
func (c whyCmd) episode(sources []cause.Source) (string, error) {
	switch {
	case c.UUID == "":
		return "", nil
	case len(sources) > 1:
		return "", qa.Usagef("%s contains %d runs; name the run of the question", c.Dir, len(sources))
	}
	id, err := session.FindEpisode(sources[0].UUIDs(), c.UUID)
	if err != nil {
		return "", fmt.Errorf("%s: %w", c.Dir, err)
	}
	return id, nil
}

func (c whyCmd) sources(a *app) (list []cause.Source, err error) {
	dirs, err := runlog.Find([]string{c.Dir})
	if err != nil {
		return nil, err
	}
	if len(dirs) == 0 {
		dirs = []string{c.Dir} // opening it reports what is wrong
	}
	if c.Compare != "" {
		dirs = append(dirs, c.Compare)
	}
	for _, dir := range dirs {
		r, examples, err := a.session().OpenRun(dir)
		if err != nil {
			return nil, err
		}
		list = append(list, cause.Source{Run: r, Examples: examples})
	}
	return list, nil
}

// decided warns of damaged episodes, and adds what people decided.
func (a *app) decided(r *cause.Run) error {
	for _, damage := range r.Damaged {
		a.say("warning: %s: %v (this episode is left out)", r.Dir, damage)
	}
	f, err := trace.OpenNotes(r.Dir, trace.NoteConfig{})
	if err != nil {
		return err
	}
	decided := f.Decisions()
	for i, row := range r.Rows {
		r.Rows[i].Decided = decided[qa.EpisodeID(row.UUID, row.Repeat)].Cause
	}
	return f.Close()
}
