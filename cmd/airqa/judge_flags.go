package main

import (
	"strings"

	"airqa/eval/judge"
	"airqa/qa"
	"airqa/run/scoring"
)

// judgeFlags select the judges of subjective answers.
type judgeFlags struct {
	Judge            string   `names:"model" placeholder:"PROVIDER:NAME" help:"Judge of subjective answers: PROVIDER:NAME, offline (lexical overlap) or none. Key: AIRQA_JUDGE_API_KEY, or the provider's key at its own host. Default: openai:gpt-4o-mini-2024-07-18 (paper)."`
	Judges           []string `names:"model" placeholder:"A,B,C" help:"Panel of judges that vote, instead of --judge."`
	JudgeRule        string   `name:"judge-rule" default:"majority" enum:"majority,all,any" help:"Judges that must accept an answer: majority (a tie is wrong), all or any."`
	JudgeConcurrency int      `name:"judge-concurrency" default:"4" placeholder:"N" help:"Concurrent calls to each judge."`
	JudgeBaseURL     string   `names:"endpoint" name:"judge-base-url" placeholder:"URL" help:"Base URL of the judges' endpoint. Default: api.openai.com, even with --base-url."`
}

// judges checks the flags.
func (f judgeFlags) judges() (scoring.Judges, error) {
	c := scoring.Judges{Names: f.Judges, Rule: judge.Rule(f.JudgeRule), Concurrency: f.JudgeConcurrency, BaseURL: f.JudgeBaseURL}
	switch {
	case f.JudgeConcurrency < 1:
		return c, qa.Usagef("--judge-concurrency must be above 0")
	case f.Judge != "" && len(f.Judges) > 0:
		return c, qa.Usagef("--judge and --judges are mutually exclusive (AIRQA_JUDGE and airqa.yaml count)")
	case len(f.Judges) == 1:
		return c, qa.Usagef("--judges needs two or more; use --judge %s for one", f.Judges[0])
	case f.Judge != "":
		c.Names = []string{f.Judge}
	}
	return c, nil
}

// openJudge opens the judge, with its verdicts in a file.
func (f judgeFlags) openJudge(a *app, verdicts string) (*scoring.Judge, error) {
	c, err := f.judges()
	if err != nil {
		return nil, err
	}
	return c.Open(a.session(), verdicts)
}

// hint is the judge as flags, for the suggested airqa score.
func (f judgeFlags) hint() string {
	switch {
	case f.Judge != "":
		return "--judge " + f.Judge
	case len(f.Judges) > 0:
		return "--judges " + strings.Join(f.Judges, ",")
	}
	return ""
}
