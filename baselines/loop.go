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
	l, err := j.start()
	if err != nil {
		return err
	}
	return l.Run(ctx)
}

// start adds the first two messages of an episode.
func (j job) start() (*agent.Loop, error) {
	system, question, err := j.Messages(j.example)
	if err != nil {
		return nil, err
	}
	if err := j.episode.Say(qa.Message{Role: qa.System, Text: system}); err != nil {
		return nil, err
	}
	if err := j.episode.Say(qa.Message{Role: qa.User, Text: question}); err != nil {
		return nil, err
	}
	grammar := action.Grammar{Specs: j.tools.Specs(), Format: j.format()}
	where := map[qa.Protocol]action.Protocol{qa.NativeTools: action.AsCall, qa.Mixed: action.AsTextOrCall}[j.settings.Protocol]
	return &agent.Loop{Episode: j.episode, Settings: j.settings, Read: func(s *qa.Step) { grammar.ReadStep(s, where) }}, nil
}

// system renders the system prompt of the loop for a kind of question.
func (s *Solver) system(kind qa.Kind) (string, error) {
	specs := s.Tools(qa.Example{Kind: kind}).Specs()
	data := prompts.Data{
		"actions": action.Describe(specs, s.format()), "form": s.format().Rule(),
		"schema": "", "example": s.exampleAction(specs),
		"turns": strconv.Itoa(s.settings.Turns), "window": strconv.Itoa(s.settings.Window),
	}
	if slices.Contains(s.baseline.Tools, "Query") {
		schema, err := s.world.Prompts.Render("schema", prompts.Data{"schema": s.world.Schema})
		if err != nil {
			return "", err
		}
		data["schema"] = "\n" + schema + "\n"
	}
	var hints []string
	for _, name := range s.baseline.Prompts {
		if !strings.HasPrefix(name, "hints_") {
			continue
		}
		text, err := s.world.Prompts.Render(name, nil)
		if err != nil {
			return "", err
		}
		hints = append(hints, text)
	}
	data["hints"] = strings.Join(hints, "\n")
	if !s.settings.Protocol.Native() {
		return s.world.Prompts.Render("react", data)
	}
	for _, name := range []string{"actions", "form", "example"} {
		delete(data, name)
	}
	return s.world.Prompts.Render("native", data)
}

// exampleAction returns the action that the prompt uses to illustrate the format.
func (s *Solver) exampleAction(specs []action.Spec) string {
	name, args := "Query", map[string]any{"sql": "SELECT title FROM metadata LIMIT 5"}
	if slices.Contains(s.baseline.Tools, "Retrieve") {
		name, args = "Retrieve", map[string]any{"query": "hidden size of the encoder", "limit": int64(3)}
	}
	for _, spec := range specs {
		if spec.Name == name {
			text := s.format().Write(spec, args)
			if strings.Contains(text, "\n") {
				return "\n" + text
			}
			return text
		}
	}
	return ""
}
