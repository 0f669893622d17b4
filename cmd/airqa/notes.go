package main

import (
	"cmp"
	"fmt"

	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/trace"
	"airqa/trace/cause"
)

type notesCmd struct {
	Dir    string `arg:"" name:"run" help:"Run directory."`
	UUID   string `arg:"" optional:"" name:"uuid" help:"Question uuid or a prefix of it. Default: the notes of all questions."`
	Add    string `placeholder:"TEXT" help:"Add a comment on the episode."`
	Step   int    `placeholder:"N" help:"Step that the comment is about."`
	Decide string `placeholder:"CAUSE" help:"Record the cause of the wrong answer, such as repetition (see airqa why)."`
	Remove string `placeholder:"ID" help:"Remove a note by its id."`
	Merge  string `placeholder:"FILE" help:"Add the notes of another notes.jsonl of the same run."`
	Author string `placeholder:"NAME" help:"Author, for the record. Default: $USER."`
	listFlags
}

func (c notesCmd) Run(a *app) error {
	if c.UUID == "" && (c.Add != "" || c.Decide != "") {
		return qa.Usagef("--add and --decide need the uuid of a question")
	}
	lib, err := trace.OpenLazy(a.ctx, []string{c.Dir}, trace.Choice{})
	if err != nil {
		return err
	}
	if len(lib.Runs) != 1 {
		return qa.Usagef("%s has %d runs; name one", c.Dir, len(lib.Runs))
	}
	episode := ""
	if c.UUID != "" {
		row, err := lib.Find(c.UUID)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Dir, err)
		}
		episode = row.Episode
	}
	f, err := trace.OpenNotes(lib.Runs[0].Name, trace.NoteConfig{Author: cmp.Or(c.Author, a.getenv("USER"))})
	if err != nil {
		return err
	}
	if err := c.change(a, f, episode); err != nil {
		return cmp.Or(f.Close(), err)
	}
	if n := f.Damaged(); n > 0 {
		a.say("warning: %s: %s left out (damaged)", trace.NotesFileName, terminal.Plural(n, "line"))
	}
	list := f.All()
	if episode != "" {
		list = f.Of(episode)
	}
	return cmp.Or(c.print(a, list), f.Close())
}

// change does what the flags ask for.
func (c notesCmd) change(a *app, f *trace.NoteFile, episode string) error {
	if c.Merge != "" {
		added, err := f.Merge(c.Merge)
		if err != nil {
			return err
		}
		a.say("note: %s added", terminal.Plural(added, "line"))
	}
	if c.Remove != "" {
		if err := f.Remove(c.Remove); err != nil {
			return err
		}
	}
	if c.Decide != "" {
		if err := f.Decide(episode, cause.Code(c.Decide)); err != nil {
			return qa.Usagef("--decide: %v", err)
		}
	}
	if c.Add == "" {
		return nil
	}
	_, err := f.Add(trace.Note{Episode: episode, Step: c.Step, Text: c.Add})
	return err
}

func (c notesCmd) print(a *app, list []trace.Note) error {
	if !c.isTable() {
		columns := []string{"id", "episode", "step", "field", "first", "end", "quote", "text", "cause", "author", "time"}
		return writeRows(a, c.Format, list, columns)
	}
	if len(list) == 0 {
		a.say("note: no notes")
		return nil
	}
	t := terminal.Table{Head: []string{"id", "episode", "note"}}
	t.Rows = qa.Map(list, func(n trace.Note) []string { return []string{n.ID, n.Episode, n.String()} })
	return a.print(t.Text(a.width))
}
