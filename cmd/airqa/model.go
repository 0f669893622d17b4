package main

import (
	"airqa/qa"
	"airqa/run/session"
)

// modelFlags select a model and its settings.
type modelFlags struct {
	Model string `short:"m" required:"" placeholder:"PROVIDER:NAME" help:"Model: openai:NAME at any OpenAI-compatible endpoint, anthropic:NAME, google:NAME, ollama:NAME, scripted:FILE, or offline (rules, no language model)."`
	session.Endpoint
}

// summaryTemperature is low so that summaries are stable.
const summaryTemperature = 0.1

// open returns the model for summaries and its description.
func (f modelFlags) open(a *app) (qa.Model, map[string]any, error) {
	o := f.Opener()
	o.Temperature, o.Notify = summaryTemperature, a.notify
	m, err := o.Open(f.Model, a.getenv)
	return m.Model, m.Described, err
}
