package main

import (
	"strconv"

	"airqa/env/join"
	"airqa/internal/terminal"
)

type papersJoinCmd struct {
	Data    string   `short:"d" env:"AIRQA_DATA" default:"airqa-data" placeholder:"DIR" help:"Data directory, created by airqa ingest."`
	Dirs    []string `arg:"" name:"dir" help:"Data directories whose papers are added to the one of --data, which is created if it is missing."`
	Replace bool     `help:"Take a paper that is there in several versions from the last directory that has it. Default: refuse."`
	DryRun  bool     `help:"Only print what would be joined."`
	JSON    bool     `name:"json" help:"Print JSON."`
}

// joinedPapers is the JSON of a join.
type joinedPapers struct {
	Format   int             `json:"format"`
	DryRun   bool            `json:"dry_run"`
	Data     string          `json:"data"`
	Papers   int             `json:"papers"`
	Added    int             `json:"added"`
	Sources  []join.Source   `json:"sources"`
	Replaced []join.Replaced `json:"replaced"`
}

func (c papersJoinCmd) Run(a *app) error {
	j, err := a.session().Join(join.Config{Dir: c.Data, From: c.Dirs, Replace: c.Replace, DryRun: c.DryRun})
	if err != nil {
		return err
	}
	joined := joinedPapers{
		Format: 1, DryRun: c.DryRun, Data: c.Data, Papers: j.Papers(), Added: j.Added(), Sources: j.Sources(),
		Replaced: append([]join.Replaced{}, j.Replaced()...),
	}
	if c.JSON {
		return a.printJSON(joined)
	}
	t := terminal.Table{Head: []string{"papers", "added", "present", "replaced", "directory"}}
	for _, s := range joined.Sources {
		t.Rows = append(t.Rows, []string{strconv.Itoa(s.Papers), strconv.Itoa(s.Added), strconv.Itoa(s.Present), strconv.Itoa(s.Replaced), s.Dir})
	}
	if err := a.print(t.Text(a.width)); err != nil {
		return err
	}
	for _, r := range joined.Replaced {
		a.say("replaced: %s (%s) of %s", r.PaperID, terminal.Line(r.File), r.Dir)
	}
	all := terminal.Plural(joined.Papers, "paper")
	switch {
	case joined.Added == 0:
		a.say("nothing to join: %s has all papers of these directories, %s in all", c.Data, all)
	case c.DryRun:
		a.say("%s would be added, %s in all; without --dry-run, the command adds them", terminal.Plural(joined.Added, "paper"), all)
	default:
		a.say("%s added, %s in %s", terminal.Plural(joined.Added, "paper"), all, c.Data)
		a.say("next: airqa search --data %s \"your query\"", c.Data)
	}
	return nil
}
