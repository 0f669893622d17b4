package baselines

import (
	"context"
	"errors"
	"strings"

	"airqa/internal/python"
	"airqa/prompts"
	"airqa/qa"
	"airqa/tools"
)

// task renders the question for the model. Papers that the question names are given as in papers: by UUID if the model
// can look them up, by title otherwise. Supporting papers are never shown.
func (s *Solver) task(ex qa.Example, papers []string) (string, error) {
	data := prompts.Data{"question": ex.Question, "format": "", "papers": "", "conference": ""}
	if ex.AnswerFormat != "" {
		data["format"] = "\n[Answer Format]: " + ex.AnswerFormat
	}
	if len(papers) > 0 {
		data["papers"] = "\n" + named("Anchor PDF", papers)
	}
	if len(ex.Conference) > 0 {
		data["conference"] = "\n" + named("Conference", ex.Conference)
	}
	text, err := s.world.Prompts.Render("task", data)
	if history := prompts.Dialogue(ex.History, prompts.HistoryRationales); history != "" {
		text = "[Earlier messages]:\n" + history + text
	}
	return text, err
}

// asked adds the form that a baseline without actions asks for to the answer format of a question, by kind.
func (s *Solver) asked(ex qa.Example) (qa.Example, error) {
	form := map[qa.Kind]string{qa.WithEvidence: "form_evidence", qa.Dialogue: "form_evidence", qa.Rank: "form_ranking"}[ex.Kind]
	if form == "" {
		return ex, nil
	}
	text, err := s.world.Prompts.Render(form, nil)
	if ex.AnswerFormat != "" {
		text = ex.AnswerFormat + "\n" + text
	}
	ex.AnswerFormat = strings.TrimSpace(text)
	return ex, err
}

// named writes a single value plainly and several as a Python list.
func named(label string, values []string) string {
	if len(values) == 1 {
		return "[" + label + "]: " + values[0]
	}
	return "[" + label + "s]: [" + strings.Join(values, ", ") + "]"
}

// ids returns the quoted UUIDs of the papers that the question names.
func (j job) ids() []string {
	quoted := make([]string, len(j.example.AnchorPDF))
	for i, id := range j.example.AnchorPDF {
		quoted[i] = python.Repr(id)
	}
	return quoted
}

// titles returns the quoted titles of the papers that the question names.
func (j job) titles(ctx context.Context) ([]string, error) {
	quoted := make([]string, len(j.example.AnchorPDF))
	for i, id := range j.example.AnchorPDF {
		title, err := titleOf(ctx, j.world.Library, id)
		if err != nil {
			return nil, err
		}
		quoted[i] = python.Repr(title)
	}
	return quoted, nil
}

// titleOf returns the title of a paper, or its id if the paper or its title is missing.
func titleOf(ctx context.Context, l Library, id string) (string, error) {
	c, err := l.Card(ctx, id)
	var unknown *tools.Fault
	switch {
	case errors.As(err, &unknown):
		return id, nil
	case err != nil:
		return "", err
	case c.Title == "":
		return id, nil
	}
	return c.Title, nil
}
