package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"airqa/qa"
	"airqa/report/compare"
	"airqa/report/render"
	"airqa/runlog"
)

type compareCmd struct {
	Runs []string `arg:"" optional:"" name:"run" help:"Run directories, folders of them, or score files."`
	formatFlags
	outFile
	compare.Options
	runlog.Choice
	Flips        int      `default:"5" help:"For each run, maximum number of questions to list that only this run got right."`
	MinQuestions string   `placeholder:"GAP" help:"Print how many questions are needed to detect a gap, such as 3pp (percentage points)."`
	Discordant   *float64 `placeholder:"FRACTION" help:"With --min-questions: fraction of questions on which the systems disagree. Default: 0.2, or the fraction observed in the two runs."`
}

// defaultDiscordance is the default where neither runs nor --discordant give the disagreement of two systems.
const defaultDiscordance = 0.2

func (c compareCmd) Run(a *app) error {
	if err := c.check(); err != nil {
		return err
	}
	o, err := c.render(a, c.Out)
	if err != nil {
		return err
	}
	o.Flips = c.Flips
	return a.writeOut(c.Out, func(w io.Writer) error { return c.write(a, w, o) })
}

// write compares the runs, or answers --min-questions.
func (c compareCmd) write(a *app, w io.Writer, o render.Options) error {
	if c.MinQuestions != "" {
		return c.need(a, w, o)
	}
	sides, err := a.sides(c.Runs, compare.Choice{Choice: c.Choice})
	if err != nil {
		return err
	}
	if len(sides) > 2 {
		results, err := compare.Pairs(sides, c.Options)
		if err != nil {
			return err
		}
		return compare.WritePairs(w, sides, results, o)
	}
	result, err := compare.Runs(sides[0], sides[1], c.Options)
	if err != nil {
		return err
	}
	return result.Write(w, o)
}

func (c compareCmd) check() error {
	switch {
	case c.MinQuestions == "" && len(c.Runs) == 0:
		return qa.Usagef("name two runs, or give a gap such as --min-questions 3pp; see airqa compare --help")
	case c.MinQuestions == "" && c.Discordant != nil:
		return qa.Usagef("--discordant needs --min-questions")
	case c.Discordant != nil && !(*c.Discordant > 0 && *c.Discordant <= 1):
		return qa.Usagef("--discordant must be above 0 and at most 1, such as 0.2")
	case !(c.Power >= 0.5 && c.Power < 1):
		return qa.Usagef("--power must be at least 0.5 and below 1, such as 0.8")
	case c.Flips < 0:
		return qa.Usagef("--flips must not be negative")
	case c.Rounds < 1:
		return qa.Usagef("--bootstrap must be at least 1")
	}
	return nil
}

func (c compareCmd) need(a *app, w io.Writer, o render.Options) error {
	gap, err := compare.ParseGap(c.MinQuestions)
	if err != nil {
		return qa.Usagef("--min-questions: %v", err)
	}
	need := compare.Questions(gap, defaultDiscordance, c.Power)
	switch {
	case c.Discordant != nil:
		need = compare.Questions(gap, *c.Discordant, c.Power)
	case len(c.Runs) > 0:
		sides, err := a.sides(c.Runs, compare.Choice{Choice: c.Choice})
		if err != nil {
			return err
		}
		if len(sides) > 2 {
			return qa.Usagef("--min-questions needs two runs, not %d", len(sides))
		}
		r, err := compare.Runs(sides[0], sides[1], compare.Options{Rounds: 1, IncludePartial: c.IncludePartial})
		if err != nil {
			return err
		}
		need = compare.QuestionsLike(r, gap, c.Power)
	default:
		a.say("note: assuming that the systems disagree on %g%% of the questions; --discordant or two runs give a better value",
			100*defaultDiscordance)
	}
	return need.Write(w, o)
}

// sides reads two or more runs or score files. Of more than two, it skips those that are not scored.
func (a *app) sides(paths []string, c compare.Choice) ([]compare.Side, error) {
	var sides []compare.Side
	var unscored []string
	for _, path := range paths {
		inside := []string{path}
		if info, err := os.Stat(path); err != nil {
			return nil, runlog.NoRun(path)
		} else if info.IsDir() {
			if inside, err = runlog.Find(inside); err != nil {
				return nil, err
			}
		}
		for _, path := range inside {
			side, err := a.side(path, c)
			if errors.Is(err, runlog.ErrNoScores) {
				unscored = append(unscored, path)
				continue
			}
			if err != nil {
				return nil, err
			}
			sides = append(sides, side)
		}
	}
	switch {
	case len(sides)+len(unscored) < 2:
		return sides, qa.Usagef("a comparison needs two runs; for example: airqa compare %s OTHER-RUN, or airqa compare DIRECTORY-OF-RUNS", strings.Join(paths, " "))
	case len(sides) < 2:
		return sides, noScores(unscored[0], runlog.ErrNoScores)
	}
	for _, path := range unscored {
		a.say("note: %s is left out: it is not scored yet (airqa score %s)", path, path)
	}
	return sides, nil
}

func (a *app) side(path string, c compare.Choice) (compare.Side, error) {
	dir := path
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		dir, c.File = filepath.Dir(filepath.Dir(path)), path
		if _, err := os.Stat(filepath.Join(dir, runlog.RunFile)); err != nil {
			return compare.LoadFile(path)
		}
	}
	run, examples, err := a.session().OpenRun(dir)
	if err != nil {
		return compare.Side{}, err
	}
	return compare.Load(run, examples, c)
}
