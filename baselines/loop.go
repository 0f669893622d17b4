package baselines

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"airqa/agent"
	"airqa/agent/action"
	"airqa/prompts"
	"airqa/qa"
)

// loop runs the ReAct loop with the baseline's tools.
func loop(ctx context.Context, j job) error {
	system, err := j.system()
	if err != nil {
		return err
	}
	if err := j.episode.Say(qa.Message{Role: qa.System, Text: system}); err != nil {
		return err
	}
	if err := j.episode.Say(qa.Message{Role: qa.User, Text: task(j.example, true)}); err != nil {
		return err
	}
	grammar := action.Grammar{Specs: j.tools.Specs()}
	return agent.ReAct(ctx, j.episode, j.settings.Limits, func(s *qa.Step) {
		r := grammar.Read(s.Reply.Text)
		s.Action, s.ParseError, s.ThoughtAt, s.Kept = r.Action, r.Error, r.Thought, r.Kept
		if s.ParseError != nil && s.Reply.Finish == "length" {
			s.ParseError.Reason += " The reply was cut off at the limit of tokens for one reply: write less before the action."
		}
	})
}

// system renders the system prompt of the loop.
func (j job) system() (string, error) {
	data := prompts.Data{
		"actions": action.Describe(j.tools.Specs()),
		"schema":  "", "example": example(j.baseline.Tools),
		"turns": strconv.Itoa(j.settings.Turns), "window": strconv.Itoa(j.settings.Window),
	}
	if slices.Contains(j.baseline.Tools, "Query") {
		schema, err := prompts.Render("schema", prompts.Data{"schema": j.world.Schema})
		if err != nil {
			return "", err
		}
		data["schema"] = "\n" + schema + "\n"
	}
	var hints []string
	for _, name := range j.baseline.Prompts {
		if !strings.HasPrefix(name, "hints_") {
			continue
		}
		text, err := prompts.Render(name, nil)
		if err != nil {
			return "", err
		}
		hints = append(hints, text)
	}
	data["hints"] = strings.Join(hints, "\n")
	return prompts.Render("react", data)
}

// example is the action that the prompt shows to make the form clear.
func example(tools []string) string {
	if slices.Contains(tools, "Retrieve") {
		return `Retrieve(query="hidden size of the encoder", limit=3)`
	}
	return `Query(sql="SELECT title FROM metadata LIMIT 5")`
}
