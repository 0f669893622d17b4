package main

import (
	"os"
	"time"

	"airqa/llm"
	"airqa/llm/offline"
	"airqa/run/runlog"
)

// offlineModel is the name of the rule-based model, and of the lexical judge, that ship with the program.
const offlineModel = "offline"

// modelFlags say which model to ask and how.
type modelFlags struct {
	Model string `required:"" placeholder:"PROVIDER:NAME" help:"Model: openai:NAME at any OpenAI-compatible endpoint, scripted:FILE, or offline (rules, no language model)."`
	endpointFlags
}

// open makes the model and describes it for the record of a run.
func (f modelFlags) open(getenv func(string) string) (llm.Model, map[string]any, error) {
	return f.endpointFlags.open(f.Model, getenv)
}

// endpointFlags say how models are asked.
type endpointFlags struct {
	BaseURL     string        `name:"base-url" placeholder:"URL" env:"AIRQA_BASE_URL,OPENAI_BASE_URL" help:"Address in front of /chat/completions. The key comes from OPENAI_API_KEY."`
	Temperature float64       `default:"${temperature=0.7}" help:"Sampling temperature (paper: ${temperature=0.7})."`
	TopP        float64       `name:"top-p" default:"0.95" help:"Nucleus sampling (paper: 0.95)."`
	Seed        *int          `help:"Seed, sent to the endpoint when given."`
	MaxTokens   int           `name:"max-tokens" default:"1500" help:"Most tokens of one reply."`
	Timeout     time.Duration `default:"5m" help:"Longest time of one request."`
	Retries     int           `default:"5" help:"Further tries of a request that failed for a passing reason."`
}

func (f endpointFlags) config(spec string, getenv func(string) string) llm.Config {
	retries := f.Retries
	if retries == 0 {
		retries = -1 // in llm.Config 0 is the default and a negative number is none
	}
	return llm.Config{
		Spec: spec, BaseURL: f.BaseURL, APIKey: getenv(llm.KeyVariable), Timeout: f.Timeout, MaxRetries: retries,
		Sampling: llm.Sampling{Temperature: &f.Temperature, TopP: &f.TopP, Seed: f.Seed, MaxTokens: f.MaxTokens},
		// Named so that an unknown provider's error lists it; open makes it without an endpoint's settings.
		Providers: map[string]llm.Provider{
			offlineModel: func(llm.Config) (llm.Model, error) { return offline.New(), nil },
		},
	}
}

func (f endpointFlags) open(spec string, getenv func(string) string) (llm.Model, map[string]any, error) {
	if spec == offlineModel {
		return offline.New(), map[string]any{"provider": offlineModel}, nil
	}
	if f.Timeout <= 0 || f.Retries < 0 || f.MaxTokens < 1 {
		return nil, nil, misuse("--timeout and --max-tokens must be above 0, --retries not below")
	}
	c := f.config(spec, getenv)
	m, err := llm.Open(c)
	if err != nil {
		return nil, nil, coded{exitUsage, err}
	}
	d, err := llm.Describe(c)
	return m, d, err
}

// redactor keeps keys and the home directory out of what is written.
func (a *app) redactor() func([]byte) []byte {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	return runlog.Redactor([]string{a.getenv(llm.KeyVariable), a.getenv(judgeKey)}, home)
}
