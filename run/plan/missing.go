package plan

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"airqa/env"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/run/session"
	"airqa/runlog"
)

// MissingError stops a run because papers of its questions are missing.
type MissingError struct{ Text string }

func (e *MissingError) Error() string { return e.Text }

// decideMissing records the treatment of the picked questions that lack papers, and leaves them out if it is to skip them.
func decideMissing(ctx context.Context, s session.Session, c Config, p *session.Plan) error {
	held, err := heldOf(ctx, p.World.Papers(), p.Examples)
	if err != nil {
		return err
	}
	p.Missing = dataset.FindMissing(p.Picked, held)
	if m := dataset.FindMissing(p.Examples, held); m.Any() {
		p.Note.Missing = &runlog.MissingPapers{
			Choice: runlog.MissingStop, Papers: len(m.Papers), Collections: m.Collections, Named: m.Named, Searched: m.Searched,
		}
	}
	if !p.Missing.Any() {
		return nil
	}
	choice, err := missingChoice(c.Missing, p.Jobs)
	if err != nil {
		return err
	}
	p.Note.Missing.Choice = choice
	text := missingText(p.Missing, len(p.Picked), p.Note.DataDir)
	switch {
	case choice == runlog.MissingRun && !c.DryRun:
		s.Notify.Warnf("%s", text)
	case choice == runlog.MissingSkip:
		rest := p.Missing.Without(p.Picked)
		if len(rest) == 0 {
			return qa.Usagef("%s. Without these, no question is left to run", text)
		}
		s.Notify.Notef("%s; %d of %d questions are skipped", text, len(p.Picked)-len(rest), len(p.Picked))
		p.Picked = rest
	case choice == runlog.MissingStop && !c.DryRun:
		return &qa.UsageError{Err: &MissingError{text}}
	}
	return nil
}

// heldOf looks up the papers that questions name, and the venues of all papers.
func heldOf(ctx context.Context, papers *env.Papers, examples []qa.Example) (held dataset.Held, err error) {
	var named []string
	for _, ex := range examples {
		named = append(named, ex.Papers()...)
	}
	if held.Papers, err = papers.Known(ctx, named); err != nil {
		return held, err
	}
	venues, err := papers.Venues(ctx)
	held.Venues = make(map[string]bool, len(venues))
	for _, v := range venues {
		held.Venues[qa.VenueYear(v.Conference, v.Year)] = true
	}
	return held, err
}

// missingChoice returns the treatment, or else the recorded one of the run directories.
func missingChoice(given string, jobs []session.Job) (string, error) {
	if given != runlog.MissingStop {
		return given, nil
	}
	recorded := ""
	for _, j := range jobs {
		config, err := runlog.ReadConfig(j.Dir)
		if err != nil || config.Note.Missing == nil {
			continue // there is no run yet, one that lacked no paper, or one that is rejected later
		}
		choice := config.Note.Missing.Choice
		if recorded != "" && choice != recorded {
			return "", qa.Usagef("these runs were started with different choices about missing papers: choose skip or run")
		}
		recorded = choice
	}
	return cmp.Or(recorded, runlog.MissingStop), nil
}

// missingText is "308 of 553 questions name 320 papers missing from DIR; 244 search collections (acl2023) of which DIR holds no paper".
func missingText(m dataset.Missing, of int, dir string) string {
	var parts []string
	if n := len(m.Named); n > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d questions %s %s missing from %s", n, of, verbs(n, "name", "names"), terminal.Plural(len(m.Papers), "paper"), dir))
	}
	if n := len(m.Searched); n > 0 {
		who := fmt.Sprintf("%d of %d questions", n, of)
		if len(parts) > 0 {
			who = fmt.Sprint(n)
		}
		const most = 3
		names := strings.Join(m.Collections[:min(most, len(m.Collections))], ", ")
		if len(m.Collections) > most {
			names += ", …"
		}
		parts = append(parts, fmt.Sprintf("%s %s collections (%s) with no papers in %s", who, verbs(n, "search", "searches"), names, dir))
	}
	return terminal.Line(strings.Join(parts, "; "))
}

// verbs is the form of a verb after a number of questions.
func verbs(n int, plural, singular string) string {
	if n == 1 {
		return singular
	}
	return plural
}
