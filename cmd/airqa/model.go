package main

import (
	"airqa/qa"
	"airqa/run/session"
)

// modelFlags say which model to ask and how.
type modelFlags struct {
	Model string `short:"m" required:"" placeholder:"PROVIDER:NAME" help:"Model: openai:NAME at any OpenAI-compatible endpoint, anthropic:NAME, google:NAME, ollama:NAME, scripted:FILE, or offline (rules, no language model)."`
	session.Endpoint
}

// summaryTemperature is that of summaries, which are to be the same each time.
const summaryTemperature = 0.1

// open makes the model for summaries and describes it.
func (f modelFlags) open(a *app) (qa.Model, map[string]any, error) {
	o := f.Opener()
	o.Temperature, o.Notify = summaryTemperature, a.notify
	m, err := o.Open(f.Model, a.getenv)
	return m.Model, m.Described, err
}
