package baselines

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"airqa/agent/action"
	"airqa/internal/tokens"
	"airqa/prompts"
	"airqa/qa"
	"airqa/tools"
)

// gather collects the context of a question.
type gather func(ctx context.Context, j job) (string, error)

// once asks the model a single time and takes the last fenced block of the reply. Without a context, it shows only the
// question and the answer format.
func once(given string, collect gather) func(context.Context, job) error {
	return func(ctx context.Context, j job) error {
		if collect == nil {
			bare := j.example
			bare.Conference = nil
			return j.finish(ctx, bare, nil, prompts.Data{"given": given, "context": ""})
		}
		papers, err := j.titles(ctx)
		if err != nil {
			return err
		}
		text, err := collect(ctx, j)
		if err != nil {
			return err
		}
		return j.finish(ctx, j.example, papers, prompts.Data{"given": given, "context": "\n[Context]: " + text})
	}
}

// finish shows the plain prompt with a question and ends the episode with the answer of the reply.
func (j job) finish(ctx context.Context, ex qa.Example, papers []string, data prompts.Data) error {
	ex, err := j.asked(ex)
	if err != nil {
		return err
	}
	if data["task"], err = j.task(ex, papers); err != nil {
		return err
	}
	text, err := j.world.Prompts.Render("plain", data)
	if err != nil {
		return err
	}
	reply, err := j.ask(ctx, qa.Message{Role: qa.User, Text: text})
	if err != nil {
		return err
	}
	return j.episode.Finish(qa.Answered, "", tools.ReadAnswer(j.example.Kind, action.LastBlock(reply)))
}

// ask sends only the given messages and returns the reply.
func (j job) ask(ctx context.Context, messages ...qa.Message) (string, error) {
	first := j.episode.Len()
	for _, m := range messages {
		if err := j.episode.Say(m); err != nil {
			return "", err
		}
	}
	s, err := j.episode.Ask(ctx, []qa.Span{{First: first, End: j.episode.Len()}}, func(*qa.Step) {})
	if err != nil {
		return "", err
	}
	return s.Reply.Text, nil
}

// fromAnchors collects a text of every paper that the question names, truncated as a whole.
func fromAnchors(read func(ctx context.Context, l Library, id string) (string, error)) gather {
	return func(ctx context.Context, j job) (string, error) {
		ids := j.example.AnchorPDF
		if j.example.Kind == qa.Rank {
			ids = j.example.ReferencePDF
		}
		if len(ids) == 0 {
			return "none, because the question names no paper.", nil
		}
		var parts []string
		for _, id := range ids {
			part, err := read(ctx, j.world.Library, id)
			var unknown *tools.Fault
			if errors.As(err, &unknown) {
				part, err = "("+unknown.Text+")", nil
			}
			if err != nil {
				return "", err
			}
			parts = append(parts, part)
		}
		text, cut := tokens.Cut(strings.Join(parts, "\n\n---\n\n"), j.settings.ContextTokens)
		return "\n" + text + cutNote(cut, j.settings.ContextTokens), nil
	}
}

// cutNote follows a text that was cut at a number of tokens.
func cutNote(cut bool, most int) string {
	if !cut {
		return ""
	}
	return fmt.Sprintf("\n(cut here: the limit of %d tokens is reached)", most)
}

// act takes an action on behalf of the program and returns the text of its observation.
func (j job) act(ctx context.Context, tool tools.Tool, args map[string]any) (string, error) {
	a, err := action.Make(tool.Spec(), args)
	if err != nil {
		return "", err
	}
	o, err := j.episode.Do(ctx, a)
	return o.Text, err
}

func card(ctx context.Context, l Library, id string) (string, error) {
	c, err := l.Card(ctx, id)
	return "[Title]: " + c.Title + "\n[Abstract]: " + c.Abstract, err
}

func text(ctx context.Context, l Library, id string) (string, error) {
	c, err := l.Card(ctx, id)
	if err != nil {
		return "", err
	}
	body, err := l.Text(ctx, id)
	return "[Title]: " + c.Title + "\n\n" + body, err
}

func given(_ context.Context, j job) (string, error) {
	if j.example.Context == "" {
		return "none, because the question brings none.", nil
	}
	text, cut := tokens.Cut(j.example.Context, j.settings.ContextTokens)
	return "\n" + text + cutNote(cut, j.settings.ContextTokens), nil
}
