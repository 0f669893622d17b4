package main

import (
	"context"
	"errors"
	"fmt"

	"airqa/eval"
	"airqa/eval/judge"
	"airqa/llm"
	"airqa/qa"
)

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
		return judge.Lexical{}, nil
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
		return judge.NewModel(asker{m}), nil
	}
	if provider, _ := llm.SplitSpec(f.Judge); key == "" && provider == "openai" && f.JudgeBaseURL == "" {
		a.say("note: no judge (%v); subjective answers stay unscored. Use --judge offline for a lexical stand-in.", err)
		return noJudge{err}, nil
	}
	return nil, coded{exitUsage, err}
}

// asker lets a judge ask a chat model.
type asker struct{ model llm.Model }

// Ask implements judge.Asker.
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
