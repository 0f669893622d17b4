package session

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"airqa/internal/exit"
	"airqa/internal/files"
	"airqa/internal/terminal"
	"airqa/qa/dataset"
	"airqa/runlog"
)

// Missing selects the treatment of questions whose papers are missing.
type Missing struct {
	Choice      string `name:"missing" default:"stop" enum:"stop,skip,run" help:"Questions with papers missing from the data directory: stop (run nothing), skip (leave them out) or run (ask anyway). A resumed run keeps its first choice."`
	MissingList string `names:"output" name:"missing-list" placeholder:"FILE" help:"Write the missing papers and collections to FILE, one per line."`
}

// Settle applies and records the choice for the picked questions of a Plan that lack papers. A dry run never stops.
func (f Missing) Settle(ctx context.Context, s Session, p *Plan, jobs []Job, dry bool) error {
	venues, err := VenuesOf(ctx, p.World)
	if err != nil {
		return err
	}
	p.Missing = dataset.FindMissing(p.Picked, venues)
	p.Note.Missing = recordMissing(dataset.FindMissing(p.Examples, venues))
	if err := f.write(p.Missing); err != nil || !p.Missing.Any() {
		return err
	}
	choice, err := f.choice(jobs)
	if err != nil {
		return err
	}
	p.Note.Missing.Choice = choice
	text := MissingText(p.Missing, len(p.Picked), p.Note.DataDir)
	switch {
	case p.Note.Replay != "" || choice == runlog.MissingRun && !dry:
		s.Notify.Warnf("%s", text)
	case choice == runlog.MissingSkip:
		rest := p.Missing.Without(p.Picked)
		if len(rest) == 0 {
			return exit.Misuse("%s. With --missing skip, no question is left to run", text)
		}
		s.Notify.Notef("%s; %d of %d questions are skipped", text, len(p.Picked)-len(rest), len(p.Picked))
		p.Picked = rest
	case choice == runlog.MissingStop && !dry:
		return exit.Misuse("%s. --missing skip skips these questions, --missing run asks them anyway, --missing-list FILE lists what is missing", text)
	}
	return nil
}

// choice is the flag, or else the recorded choice of the run directories. Older versions recorded none and ran anyway.
func (f Missing) choice(jobs []Job) (string, error) {
	if f.Choice != runlog.MissingStop {
		return f.Choice, nil
	}
	var made []string
	for _, j := range jobs {
		config, err := runlog.ReadConfig(j.Dir)
		if err != nil {
			continue // there is no run yet, or one that is rejected later
		}
		choice := runlog.MissingRun
		if config.Note.Missing != nil {
			choice = config.Note.Missing.Choice
		}
		if !slices.Contains(made, choice) {
			made = append(made, choice)
		}
	}
	switch len(made) {
	case 0:
		return runlog.MissingStop, nil
	case 1:
		return made[0], nil
	}
	return "", exit.Misuse("these runs were started with different choices about missing papers: give --missing skip or --missing run")
}

// recordMissing is the record in run.json; nil if nothing is missing.
func recordMissing(m dataset.Missing) *runlog.MissingPapers {
	if !m.Any() {
		return nil
	}
	return &runlog.MissingPapers{
		Choice: runlog.MissingStop, Papers: len(m.Papers), Collections: m.Collections, Named: m.Named, Searched: m.Searched,
	}
}

// MissingText is "308 of 553 questions name 320 papers missing from DIR; 244 search collections (acl2023) of which DIR holds no paper".
func MissingText(m dataset.Missing, of int, dir string) string {
	var parts []string
	if n := len(m.Named); n > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d questions %s %s missing from %s", n, of, verb(n, "name"), terminal.Plural(len(m.Papers), "paper"), dir))
	}
	if n := len(m.Searched); n > 0 {
		who := fmt.Sprintf("%d of %d questions", n, of)
		if len(parts) > 0 {
			who = fmt.Sprint(n)
		}
		parts = append(parts, fmt.Sprintf("%s %s collections (%s) with no papers in %s", who, verb(n, "search"), fewNames(m.Collections), dir))
	}
	return terminal.Line(strings.Join(parts, "; "))
}

// verb is a verb behind a number of questions.
func verb(n int, infinitive string) string {
	switch {
	case n != 1:
		return infinitive
	case strings.HasSuffix(infinitive, "h"):
		return infinitive + "es"
	}
	return infinitive + "s"
}

// fewNames shortens a list.
func fewNames(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + ", …"
}

func (f Missing) write(m dataset.Missing) error {
	if f.MissingList == "" {
		return nil
	}
	var b strings.Builder
	for _, id := range m.Papers {
		fmt.Fprintf(&b, "paper\t%s\n", terminal.Line(id))
	}
	for _, name := range m.Collections {
		fmt.Fprintf(&b, "collection\t%s\n", terminal.Line(name))
	}
	return files.WriteFile(f.MissingList, []byte(b.String()))
}

// NoteMissing reports after a scoring how many of the scored questions lacked papers.
func (s Session) NoteMissing(r *runlog.Run, ended map[string][]runlog.Recorded) {
	ran := make(map[string]bool, len(ended))
	for uuid := range ended {
		ran[uuid] = true
	}
	if l := r.Config.Note.Missing.Lacking(ran); l != nil {
		s.Notify.Notef("%s: %s", r.Dir, l)
	}
}
