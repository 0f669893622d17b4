package gate

import (
	"context"
	"fmt"

	"airqa/agent/action"
	"airqa/eval"
	"airqa/extractor/candidate"
	"airqa/internal/terminal"
	"airqa/prompts"
	"airqa/qa"
)

// ask asks the question once, with the material or without, as the baselines that ask once do. repeat distinguishes
// independent answers.
func (t Tools) ask(ctx context.Context, s Subject, withMaterial bool, repeat int) (string, error) {
	task, err := t.Prompts.Render("task", prompts.Data{
		"question": s.Example.Question, "format": "\n[Answer Format]: " + s.Example.AnswerFormat, "papers": "", "conference": "",
	})
	if err != nil {
		return "", err
	}
	given, context := ".", ""
	var images []qa.Image
	if withMaterial {
		material, err := s.Material.Context(t.Prompts)
		if err != nil {
			return "", err
		}
		given, context, images = " on the basis of a context.", "\n[Context]: "+material, s.Material.Images
	}
	text, err := t.Prompts.Render("plain", prompts.Data{"given": given, "task": task, "context": context})
	if err != nil {
		return "", err
	}
	reply, err := t.Model.Complete(ctx, qa.Request{
		Messages: []qa.Message{{Role: qa.User, Text: text, Images: images}}, Repeat: repeat,
	})
	return action.LastBlock(reply.Text), err
}

// closedBook rejects a question that the model answers without the paper.
func closedBook(ctx context.Context, t Tools, s Subject) (Verdict, error) {
	answer, err := t.ask(ctx, s, false, 0)
	if err != nil {
		return Verdict{}, err
	}
	r, err := t.score(ctx, eval.Reference, s.Example.Evaluator, answer)
	switch {
	case err != nil:
		return Verdict{}, err
	case r.Verdict == qa.Unscored:
		return rejected(candidate.EvaluatorUnscored, "%s", r.Reason), nil
	case r.Verdict == qa.Right:
		return rejected(candidate.WithoutPaper, "the answer without the paper is %q", cut(answer)), nil
	}
	return Verdict{}, nil
}

// solvedAgain rejects a question that the model answers wrong more often than right with the evidence.
func solvedAgain(ctx context.Context, t Tools, s Subject) (Verdict, error) {
	right, last := 0, ""
	for repeat := range t.Solve {
		answer, err := t.ask(ctx, s, true, repeat)
		if err != nil {
			return Verdict{}, err
		}
		r, err := t.score(ctx, eval.Reference, s.Example.Evaluator, answer)
		if err != nil {
			return Verdict{}, err
		}
		if r.Verdict == qa.Right {
			right++
		} else {
			last = answer
		}
	}
	agreement := float64(right) / float64(max(t.Solve, 1))
	v := Verdict{Agreement: &agreement, Detail: fmt.Sprintf("%d of %d answers right", right, t.Solve)}
	if 2*right < t.Solve {
		v.Reason, v.Detail = candidate.NotSolved, fmt.Sprintf("%s; the last wrong one is %q", v.Detail, cut(last))
	}
	return v, nil
}

// cut shortens a text for a detail.
func cut(text string) string { return terminal.Truncate(text, 120, "…") }
