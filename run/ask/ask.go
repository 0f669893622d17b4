package ask

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"airqa/env"
	"airqa/internal/files"
	"airqa/internal/terminal"
	"airqa/prompts"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/run/budget"
	"airqa/run/session"
	"airqa/runlog"
	"airqa/trace"
)

// Asking is one invocation. All fields but Earlier, Papers and Out are required.
type Asking struct {
	session.Session
	World *env.Env
	// Data is the path of World's data directory.
	Data string
	// Job has the baseline and the model; its Dir is ignored.
	Job      session.Job
	Settings qa.Settings
	Limits   budget.Limits
	// Prompts are the texts that the model is shown.
	Prompts prompts.Set
	// Questions are asked one after the other.
	Questions []string
	Earlier   []Turn
	// Papers are the ids of the papers that the questions are about; nil for all of World.
	Papers []string
	// Out is the run directory; empty for one in [Folder].
	Out string
	// Step receives a line for each action and each result, safe to print and at most Width columns wide.
	Step  func(line string)
	Width int
}

// Run asks the questions that the run directory does not have an answer to. The result has all its questions, also
// after an error, which has the exit code.
func (a Asking) Run(ctx context.Context) (*Result, error) {
	list, err := examples(a.Prompts, a.Questions, a.Earlier, a.Papers)
	if err != nil {
		return nil, err
	}
	if a.Job.Dir, err = a.dir(list); err != nil {
		return nil, err
	}
	show := a.Step
	if a.Redact != nil && show != nil {
		show = func(line string) { a.Step(string(a.Redact([]byte(line)))) }
	}
	steps := &steps{show: show, width: a.Width, questions: list}
	quiet := a.Session
	quiet.Progress = nil // the steps are the progress
	ended, err := quiet.Execute(ctx, session.Plan{
		Jobs: []session.Job{a.Job}, World: a.World, Examples: list, Picked: list, Settings: a.Settings, Workers: 1, Repeats: 1, Retry: "errors", Limits: a.Limits,
		Prompts: a.Prompts,
		Note:    runlog.Note{QuestionsFile: a.Job.Dir + "/" + runlog.QuestionsFile, DataDir: a.Data}, Watch: steps.watch,
	})
	if err != nil {
		return nil, err
	}
	failed := a.Result(ended)
	r, err := a.read(ctx, list)
	if err != nil {
		return nil, err
	}
	return r, failed
}

// dir chooses the run directory: the same questions to the same model, with the same settings, have the same key.
func (a Asking) dir(list []qa.Example) (string, error) {
	if a.Out != "" {
		return a.Out, nil
	}
	lines, err := dataset.Lines(list)
	if err != nil {
		return "", err
	}
	parts := []any{string(lines), a.Job.Baseline.Name, a.Job.Described, a.Settings.Record(), a.World.Fingerprint(), a.World.Retrieval()}
	if own := a.Prompts.Own(); own != nil {
		parts = append(parts, own)
	}
	what, err := json.Marshal(parts)
	if err != nil {
		return "", fmt.Errorf("name the run directory: %w", err)
	}
	return place(a.Now(), files.Hash(what)[:8])
}

// steps shows the steps of the episodes, which run one at a time.
type steps struct {
	show      func(line string)
	width     int
	questions []qa.Example
	last      string // uuid of the question
}

// watch shows a new reply or a new result.
func (s *steps) watch(uuid string, step qa.Step) {
	if uuid != s.last && len(s.questions) > 1 {
		for i, ex := range s.questions {
			if ex.UUID == uuid {
				s.line("", fmt.Sprintf("question %d of %d: %s", i+1, len(s.questions), ex.Question))
			}
		}
	}
	s.last = uuid
	number := fmt.Sprintf("%2d. ", step.N)
	if step.Observation == nil || step.By == qa.ByProgram {
		s.line(number, actionText(step))
	}
	if step.Observation != nil {
		s.line("    ", resultText(*step.Observation))
	}
}

func (s *steps) line(indent, text string) {
	s.show(indent + terminal.Clip(text, max(s.width-len(indent), 0)))
}

// actionText describes the action of a step.
func actionText(s qa.Step) string {
	switch {
	case s.Action == nil && s.ParseError != nil:
		return "reply without an action"
	case s.Action == nil:
		return "reply"
	case s.Action.Name == "Answer":
		return "Answer"
	}
	if sql, ok := s.Action.Args["sql"].(string); ok {
		return s.Action.Name + ": " + sql
	}
	return s.Action.Text
}

// resultText describes a result in a line.
func resultText(o qa.Observation) string {
	v := trace.ReadResult(o)
	switch {
	case o.Status.Failed():
		return o.Text
	case len(v.Passages) > 0:
		return passagesText(v.Passages)
	case len(v.Rows) > 0:
		var cells []string
		for _, c := range v.Rows[0].Cells {
			if !qa.IsUUID(c.Text) || len(v.Columns) == 1 {
				cells = append(cells, c.Text)
			}
		}
		return terminal.Plural(len(v.Rows), "row") + ": " + strings.Join(cells, " | ")
	case len(o.Images) > 0:
		return fmt.Sprintf("image of page %d, %d x %d pixels", o.Images[0].Page, o.Images[0].Width, o.Images[0].Height)
	}
	return v.Text
}

// passagesText is "5 passages on pages 3, 5, 7", of one paper, or "5 passages of 2 papers".
func passagesText(list []trace.Passage) string {
	var papers, pages []string
	n := 0
	for _, p := range list {
		if p.Hidden {
			continue
		}
		n++
		if !slices.Contains(papers, p.PaperID) {
			papers = append(papers, p.PaperID)
		}
		if page := fmt.Sprint(p.Page); p.Page > 0 && !slices.Contains(pages, page) {
			pages = append(pages, page)
		}
	}
	text := terminal.Plural(n, "passage")
	switch {
	case len(papers) > 1:
		return text + " of " + terminal.Plural(len(papers), "paper")
	case len(pages) == 1:
		return text + " on page " + pages[0]
	case len(pages) > 1:
		return text + " on pages " + strings.Join(pages, ", ")
	}
	return text
}
