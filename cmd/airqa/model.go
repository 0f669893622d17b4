package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"airqa/eval"
	"airqa/llm"
	"airqa/llm/offline"
	"airqa/qa"
	"airqa/run/runlog"
)

// offlineModel is the name of the rule-based model, and of the lexical judge, that ship with the program.
const offlineModel = "offline"

// modelFlags say which model to ask and how.
type modelFlags struct {
	Model       string        `required:"" placeholder:"PROVIDER:NAME" help:"Model: openai:NAME at any OpenAI-compatible endpoint, scripted:FILE, or offline (rules, no language model)."`
	BaseURL     string        `name:"base-url" placeholder:"URL" env:"AIRQA_BASE_URL,OPENAI_BASE_URL" help:"Address in front of /chat/completions. The key comes from OPENAI_API_KEY."`
	Temperature float64       `default:"${temperature=0.7}" help:"Sampling temperature (paper: ${temperature=0.7})."`
	TopP        float64       `name:"top-p" default:"0.95" help:"Nucleus sampling (paper: 0.95)."`
	Seed        *int          `help:"Seed, sent to the endpoint when given."`
	MaxTokens   int           `name:"max-tokens" default:"1500" help:"Most tokens of one reply."`
	Timeout     time.Duration `default:"5m" help:"Longest time of one request."`
	Retries     int           `default:"5" help:"Further tries of a request that failed for a passing reason."`
}

func (f modelFlags) config(getenv func(string) string) llm.Config {
	retries := f.Retries
	if retries == 0 {
		retries = -1 // in llm.Config 0 is the default and a negative number is none
	}
	return llm.Config{
		Spec: f.Model, BaseURL: f.BaseURL, APIKey: getenv(llm.KeyVariable), Timeout: f.Timeout, MaxRetries: retries,
		Sampling: llm.Sampling{Temperature: &f.Temperature, TopP: &f.TopP, Seed: f.Seed, MaxTokens: f.MaxTokens},
		// Named so that an unknown provider's error lists it; open makes it without an endpoint's settings.
		Providers: map[string]llm.Provider{
			offlineModel: func(llm.Config) (llm.Model, error) { return offline.New(), nil },
		},
	}
}

// open makes the model and describes it for the record of a run.
func (f modelFlags) open(getenv func(string) string) (llm.Model, map[string]any, error) {
	if f.Model == offlineModel {
		return offline.New(), map[string]any{"provider": offlineModel}, nil
	}
	if f.Timeout <= 0 || f.Retries < 0 || f.MaxTokens < 1 {
		return nil, nil, misuse("--timeout and --max-tokens must be above 0, --retries not below")
	}
	c := f.config(getenv)
	m, err := llm.Open(c)
	if err != nil {
		return nil, nil, coded{exitUsage, err}
	}
	d, err := llm.Describe(c)
	return m, d, err
}

// judgeFlags say who judges subjective answers.
type judgeFlags struct {
	Judge        string `default:"openai:gpt-4o-mini-2024-07-18" placeholder:"PROVIDER:NAME" help:"Judge of subjective answers (paper: gpt-4o-mini-2024-07-18), offline (lexical overlap, no language model), or none. Its key comes from AIRQA_JUDGE_API_KEY, else OPENAI_API_KEY."`
	JudgeBaseURL string `name:"judge-base-url" placeholder:"URL" help:"Address of the judge's endpoint; without it api.openai.com, whatever the model's is."`
}

// noJudgeName leaves subjective answers unscored on purpose.
const noJudgeName = "none"

// judgeKey is the environment variable of the judge's own key.
const judgeKey = "AIRQA_JUDGE_API_KEY"

// open makes the judge. One that cannot be made leaves subjective answers unscored and says so at each of them.
func (f judgeFlags) open(a *app) (eval.Judge, error) {
	switch f.Judge {
	case offlineModel:
		return eval.LexicalJudge{}, nil
	case noJudgeName:
		return noJudge{errors.New("--judge none")}, nil
	}
	key := a.getenv(judgeKey)
	if key == "" {
		key = a.getenv(llm.KeyVariable)
	}
	zero := 0.0
	top := 0.95
	m, err := llm.Open(llm.Config{
		Spec: f.Judge, BaseURL: f.JudgeBaseURL, APIKey: key,
		Sampling: llm.Sampling{Temperature: &zero, TopP: &top, MaxTokens: 1500},
	})
	if err == nil {
		return eval.NewModelJudge(asker{m}), nil
	}
	if provider, _ := llm.SplitSpec(f.Judge); key == "" && provider == "openai" && f.JudgeBaseURL == "" {
		a.say("note: no judge (%v); subjective answers stay unscored. Use --judge offline for a lexical stand-in.", err)
		return noJudge{err}, nil
	}
	return nil, coded{exitUsage, err}
}

// asker lets a judge ask a chat model.
type asker struct{ model llm.Model }

// Ask implements eval.Asker.
func (k asker) Ask(ctx context.Context, system, user string) (string, error) {
	reply, err := k.model.Complete(ctx, []qa.Message{{Role: qa.System, Text: system}, {Role: qa.User, Text: user}})
	return reply.Text, err
}

// noJudge stands where no judge could be made.
type noJudge struct{ err error }

// Judge implements eval.Judge.
func (n noJudge) Judge(context.Context, eval.JudgeRequest) (bool, error) {
	return false, fmt.Errorf("no judge: %w", n.err)
}

// redactor keeps keys and the home directory out of what is written.
func (a *app) redactor() func([]byte) []byte {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	return runlog.Redactor([]string{a.getenv(llm.KeyVariable), a.getenv(judgeKey)}, home)
}
