package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/report/render"
	"airqa/runlog"
	"airqa/trace"
	"airqa/trace/text"
)

type traceCmd struct {
	Runs []string `arg:"" name:"run" help:"Run directories, or folders of them. To show one trajectory, add the id of a question or an episode, or its beginning, at the end. An id alone is looked for in the runs below the current folder."`
	episodeFilter
	Format string `default:"" placeholder:"FORMAT" enum:",table,json,csv,md" help:"table, json (one object per line), csv or md. Default: table."`
	jsonFlag
	Full bool `help:"With --json: whole trajectories instead of one row per episode."`
	runlog.Choice
	NoPager bool `help:"Print a trajectory without $PAGER, even on a terminal."`
}

// episodeFilter have the fields of [trace.Filter], to which they are converted.
type episodeFilter struct {
	Status   []string `name:"status" placeholder:"STATUS" help:"Only right, wrong, unscored, failed, unfinished or damaged episodes."`
	Tag      []string `name:"tag" placeholder:"TAG" help:"Only questions with this tag."`
	Function []string `name:"function" placeholder:"NAME" help:"Only questions with this evaluation function."`
	Outcome  []string `name:"outcome" placeholder:"OUTCOME" help:"Only episodes with this outcome, such as answered or turn_limit."`
	Error    []string `name:"error" placeholder:"KIND" help:"Only episodes with an error of this kind: syntax, parameter, unknown_action, no_action, error, empty, repeated, cut_reply, or the class of a failed request such as rate_limit."`
	LostAt   []string `name:"lost-at" placeholder:"LEVEL" help:"Only wrong answers whose evidence was lost at db, hits, limit, cut, window, answer or unknown."`
	Cause    []string `name:"cause" placeholder:"CAUSE" help:"Only wrong answers with this cause, such as lack_of_context (see airqa why)."`
	Grep     string   `name:"grep" placeholder:"TEXT" help:"Only episodes with this text in the question, a message, a reply, a result, the answer or the gold answer. Case, line ends and whitespace do not count."`

	Sort  string `name:"sort" placeholder:"KEY" help:"Sort by question, status, score, turns, tokens, cost, seconds, lost-at, cause or started; -KEY sorts in descending order. Default: the order of the log."`
	Limit int    `name:"limit" placeholder:"N" help:"Maximum number listed. Default: 50 episodes or 100 papers in a table, otherwise all."`
}

// filter is what the flags select, with the default limit of a terminal of some width; 0 is none.
func (c traceCmd) filter(width int) trace.Filter {
	f := trace.Filter(c.episodeFilter)
	if isTable := c.Format == "" || c.Format == "table"; isTable && width > 0 && f.Limit == 0 {
		f.Limit = 50
	}
	return f
}

func (c traceCmd) Run(a *app) error {
	var err error
	if c.Format, err = formatOf(c.Format, c.JSON); err != nil {
		return err
	}
	dirs, id := c.split()
	if c.Full && c.Format != "json" {
		return qa.Usagef("--full requires --json")
	}
	if err := c.filter(0).Check(); err != nil {
		return qa.Usagef("%v", err)
	}
	choice := trace.Choice{Choice: c.Choice}
	lib, err := trace.OpenLazy(a.ctx, dirs, choice)
	if err != nil {
		return err
	}
	lib.Warn = func(err error) { a.say("warning: %v (not searched)", err) }
	if id == "" {
		a.notices(lib)
		return c.list(a, lib, dirs)
	}
	row, err := lib.Find(id)
	switch {
	case errors.Is(err, runlog.ErrNoEpisode) && len(c.Runs) == 1: // neither an id nor a run
		_, err = trace.Open(a.ctx, c.Runs, choice)
		return err
	case err != nil && len(c.Runs) == 1:
		return err
	case err != nil:
		return fmt.Errorf("%s: %w", c.Runs[0], err)
	}
	a.notices(lib)
	return c.print(a, lib, []trace.Row{row})
}

// split takes the last argument for an id if there is no such file. A run may be given by the name of its directory, and
// left out before an id: the runs below the current folder are searched then.
func (c traceCmd) split() (dirs []string, id string) {
	below := sync.OnceValue(runsBelow)
	for i, name := range c.Runs {
		var named []string
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			named = slices.DeleteFunc(slices.Clone(below()), func(dir string) bool { return filepath.Base(dir) != name })
			if last := i == len(c.Runs)-1; last && len(named) == 0 && len(dirs)+len(below()) > 0 {
				id = name
				continue
			}
		}
		if len(named) == 0 { // opening what does not exist reports the error
			named = []string{name}
		}
		dirs = append(dirs, named...)
	}
	if len(dirs) == 0 {
		dirs = below()
	}
	return dirs, id
}

// runsBelow lists the runs at most three levels below the current folder.
func runsBelow() (dirs []string) {
	for _, pattern := range []string{"", "*/", "*/*/", "*/*/*/"} {
		files, _ := fs.Glob(os.DirFS("."), pattern+runlog.RunFile) // the pattern is valid
		for _, file := range files {
			if dir := filepath.Dir(file); !strings.Contains("/"+dir, "/.") || dir == "." {
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs
}

// notices warns of what could not be read.
func (a *app) notices(lib *trace.Library) {
	for _, r := range lib.Runs {
		for _, n := range r.Notices {
			a.say("warning: %s: %s", r.Name, n)
		}
		if text := r.Log.Config.ShardText(); text != "" {
			a.say("note: %s: %s", r.Name, text)
		}
		if own := slices.Sorted(maps.Keys(r.Log.Config.Note.Prompts)); len(own) > 0 {
			a.say("note: %s has its own prompts, whose texts are in %s: %s", r.Name, runlog.RunFile, strings.Join(own, ", "))
		}
		if fork := r.Fork(); fork != nil {
			a.say("note: %s is a fork %s", r.Name, trace.ForkText(*fork))
		}
	}
}

// list prints a line per episode that the filter selects.
func (c traceCmd) list(a *app, lib *trace.Library, dirs []string) error {
	filter := c.filter(a.width)
	rows, total, err := lib.Select(a.ctx, filter)
	if err != nil {
		return err
	}
	if hint := lib.Meant(filter); total == 0 && hint != "" {
		a.say("note: %s", hint)
	}
	if c.Full {
		return c.print(a, lib, rows)
	}
	o := render.Options{Format: c.Format, Width: a.width}
	if o.Format == "table" {
		o.Format = "text"
	}
	if err := c.table(a, lib, text.EpisodeList{Rows: slices.Clone(rows), Total: total}, o); err != nil || a.width == 0 || !o.IsText() {
		return err
	}
	if filter.Limit > c.Limit && total > len(rows) {
		a.say("note: %d more match; --limit %d shows all", total-len(rows), total)
	}
	a.next("airqa view"+strings.Repeat(" %s", len(dirs)), dirs...)
	return nil
}

// table prints selected rows with their causes and decisions.
func (c traceCmd) table(a *app, lib *trace.Library, list text.EpisodeList, o render.Options) (err error) {
	if err := lib.Explain(a.ctx, list.Rows); err != nil {
		return err
	}
	var notes trace.NoteFiles
	list.Decided, err = trace.Decisions(qa.Map(list.Rows, trace.Row.Key), notes.Open)
	if err := errors.Join(err, notes.Close()); err != nil {
		return err
	}
	list.Runs, list.Of, list.Style = len(lib.Runs), len(lib.Rows()), a.outStyle
	list.NoScores = !slices.ContainsFunc(lib.Rows(), func(r trace.Row) bool { return r.Status == trace.Right || r.Status == trace.Wrong })
	return list.Write(a.out, o)
}

func (c traceCmd) print(a *app, lib *trace.Library, rows []trace.Row) error {
	for _, row := range rows {
		e, err := lib.Run(row.Run).Episode(a.ctx, row.Episode)
		if err != nil {
			return err
		}
		if e.Damage != nil {
			a.say("warning: %s: %v (a part is missing)", row.Run, e.Damage)
		}
		if err := c.trajectory(a, e); err != nil {
			return err
		}
	}
	return nil
}

func (c traceCmd) trajectory(a *app, e trace.Episode) error {
	switch c.Format {
	case "json":
		return e.Traced.WriteJSON(a.out)
	case "csv":
		var steps []tracedStep
		for i, s := range e.Traced.Steps {
			steps = append(steps, tracedStep{e.Traced.Episode, s, e.Traced.Thoughts[i]})
		}
		return writeRows(a, c.Format, steps, []string{
			"episode", "n", "by", "thought", "action.name", "action.text", "observation.status", "observation.text", "reply.text",
			"reply.finish", "reply.usage.prompt", "reply.usage.completion", "started", "ended",
		})
	}
	notes, err := trace.OpenNotes(e.Run, trace.NoteConfig{})
	if err != nil {
		return err
	}
	comments := notes.Of(e.Episode)
	if err := notes.Close(); err != nil {
		return err
	}
	if c.Format == "md" {
		return text.Markdown(a.out, e, comments)
	}
	write := func(w io.Writer) error {
		return text.Episode(w, e, text.PageOptions{Width: a.width, Style: a.outStyle, Notes: comments})
	}
	if a.width == 0 || c.NoPager {
		return write(a.out)
	}
	return terminal.Pager{Command: a.getenv("PAGER"), Out: a.screen, Errs: a.errs}.Page(a.ctx, write)
}

type tracedStep struct {
	Episode string `json:"episode"`
	qa.Step
	Thought string `json:"thought"`
}
