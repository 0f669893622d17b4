package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"airqa/eval"
	"airqa/eval/judge"
	"airqa/internal/exit"
	"airqa/llm"
	"airqa/qa"
	"airqa/run/runlog"
	"airqa/run/session"
)

// judgeFlags say who judges subjective answers.
type judgeFlags struct {
	Judge            string   `placeholder:"PROVIDER:NAME" help:"Judge of subjective answers: openai:NAME, anthropic:NAME, google:NAME, ollama:NAME, offline (lexical overlap, no language model), or none. Without it openai:gpt-4o-mini-2024-07-18, the paper's. Its key comes from AIRQA_JUDGE_API_KEY; that of its provider (OPENAI_API_KEY, ...) is used only at the host it is for."`
	Judges           []string `placeholder:"A,B,C" help:"Several judges that vote, instead of --judge."`
	JudgeRule        string   `name:"judge-rule" default:"majority" enum:"majority,all,any" help:"How many of --judges must accept an answer: majority (more than half; a tie is wrong), all or any."`
	JudgeConcurrency int      `name:"judge-concurrency" default:"4" placeholder:"N" help:"Calls at once to each judge."`
	JudgeBaseURL     string   `name:"judge-base-url" placeholder:"URL" help:"Address of the judges' endpoint; without it api.openai.com, whatever the model's is."`
}

const (
	// defaultJudge is the paper's (section 3.2).
	defaultJudge = "openai:gpt-4o-mini-2024-07-18"
	// noJudgeName leaves subjective answers unscored on purpose.
	noJudgeName = "none"
	// verdictsFile is where the verdicts on a run are kept, in its directory.
	verdictsFile = "verdicts.jsonl"
	// maxJudgeFailures equal ones in a row stop a judge.
	maxJudgeFailures = 10
)

// judging is who judges in one start of the program. It is closed at the end.
type judging struct {
	judge eval.Judge
	// name is what scores are named after, such as "majority(openai:a,openai:b,offline)".
	name string
	// baseURL is the endpoint of its models, if one was named.
	baseURL string
	// absent says why there is no judge although one was wanted, and what can be done: subjective answers stay unscored.
	absent error
	// drain, when closed, lets questions in flight end and no others begin; nil never does. It is set before the first question.
	drain <-chan struct{}
	meter *judge.Meter
	store *judge.Store
}

// spent is what judging has taken so far.
func (j *judging) spent() judge.Spent { return j.meter.Spent() }

// Close implements io.Closer. Its error is of verdicts that could not be kept.
func (j *judging) Close() error { return j.store.Close() }

// open makes the judge. Verdicts are kept in the file at a path and none of them is asked for twice; an empty path keeps
// them for this start alone. A single judge without a key leaves subjective answers unscored; absent says why.
func (f judgeFlags) open(a *app, verdicts string) (*judging, error) {
	names, err := f.names()
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(names, asksModel) {
		verdicts = "" // nothing to keep
	}
	j := &judging{meter: &judge.Meter{}, baseURL: f.JudgeBaseURL}
	if verdicts == "" || strings.Contains(f.JudgeBaseURL, "@") {
		j.baseURL = "" // no model, or an address with a password in it
	}
	if j.store, err = judge.OpenStore(verdicts, a.redactor()); err != nil {
		return nil, err
	}
	if n := j.store.Damaged(); n > 0 {
		a.say("note: %s: %d damaged lines; those verdicts are asked for again", verdicts, n)
	}
	if err := f.seat(a, j, names); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return j, nil
}

// names lists the judges that the flags name.
func (f judgeFlags) names() ([]string, error) {
	switch {
	case f.JudgeConcurrency < 1:
		return nil, exit.Misuse("--judge-concurrency must be above 0")
	case len(f.Judges) == 0 && f.Judge == "":
		return []string{defaultJudge}, nil
	case len(f.Judges) == 0:
		return []string{f.Judge}, nil
	case f.Judge != "":
		return nil, exit.Misuse("give either --judge or --judges (AIRQA_JUDGE and airqa.yaml count, too)")
	case len(f.Judges) == 1:
		return nil, exit.Misuse("--judges names several; --judge %s is for one", f.Judges[0])
	case slices.Contains(f.Judges, noJudgeName):
		return nil, exit.Misuse("%s is no judge of a panel", noJudgeName)
	}
	return f.Judges, nil
}

// asksModel tells judges that cost something from those that do not.
func asksModel(name string) bool { return name != session.OfflineModel && name != noJudgeName }

// seat makes the judge, or the panel of judges.
func (f judgeFlags) seat(a *app, j *judging, names []string) (err error) {
	if err := f.checkHosts(a, names); err != nil {
		return err
	}
	members := make([]judge.Member, len(names))
	for i, name := range names {
		members[i].Name = name
		members[i].Judge, err = f.one(a, j, name)
		if errors.Is(err, llm.ErrNoKey) && len(names) == 1 {
			err = fmt.Errorf("%w, --judge none (objective answers only) or --judge offline (compares words)", err)
			j.absent, err = err, nil // verdicts of before are still known
		}
		if err != nil {
			return exit.With(exit.Usage, err)
		}
	}
	j.judge, j.name = members[0].Judge, names[0]
	if len(members) == 1 {
		return nil
	}
	panel, err := judge.NewPanel(judge.Rule(f.JudgeRule), members...)
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	j.judge, j.name = panel, panel.Name()
	return nil
}

// one makes the judge of a name.
func (f judgeFlags) one(a *app, j *judging, name string) (eval.Judge, error) {
	switch name {
	case session.OfflineModel:
		return judge.Lexical{}, nil
	case noJudgeName:
		return noJudge{errors.New("--judge none")}, nil
	}
	c, access := f.config(a, name)
	id, err := identity(name, c)
	if err != nil {
		return nil, err
	}
	model, err := llm.Open(c)
	if errors.Is(err, llm.ErrNoKey) {
		err = missingKey(access, judgeKey, "--judge openai:NAME --judge-base-url URL (your own endpoint)")
		return judge.NewCached(j.store, id, noJudge{err}, j.meter), err
	}
	if err != nil {
		return nil, err
	}
	source := judge.NewModel(judge.Config{Asker: newAsker(a, j, model, name, access), Meter: j.meter})
	circuit := judge.NewCircuit(source, judge.CircuitConfig{
		Limit: maxJudgeFailures, Kind: judgeFailure, Concurrency: f.JudgeConcurrency,
	})
	return judge.NewCached(j.store, id, circuit, j.meter), nil
}

// identity is that of the verdicts of a judge.
func identity(name string, c llm.Config) (judge.Identity, error) {
	described, err := llm.Describe(c)
	if err != nil {
		return judge.Identity{}, err
	}
	settings, err := json.Marshal(described)
	return judge.Identity{Name: name, Settings: string(settings)}, err
}

// of are the flags that name the judge of a scoring again.
func (f judgeFlags) of(s runlog.Scoring) judgeFlags {
	f.Judge, f.JudgeBaseURL = s.Judge, cmp.Or(f.JudgeBaseURL, s.JudgeBaseURL)
	if rule, members, ok := qa.PanelMembers(s.Judge); ok {
		f.Judge, f.Judges, f.JudgeRule = "", members, rule
	}
	return f
}

// asker lets a judge ask a chat model. It names the host before the first request.
type asker struct {
	judging  *judging
	model    qa.Model
	announce func()
}

func newAsker(a *app, j *judging, model qa.Model, name string, access llm.Access) asker {
	return asker{j, model, sync.OnceFunc(func() {
		if host := access.Host(); host != "" {
			a.say("note: judge %s is asked at %s%s", name, host, keyless(access, judgeKey))
		}
	})}
}

// Ask implements judge.Asker.
func (k asker) Ask(ctx context.Context, system, user string) (qa.Reply, error) {
	select {
	case <-k.judging.drain:
		return qa.Reply{}, exit.ErrInterrupted
	default:
	}
	k.announce()
	return k.model.Complete(ctx, qa.Request{Messages: []qa.Message{{Role: qa.System, Text: system}, {Role: qa.User, Text: user}}})
}

// config asks as the authors' judges do: temperature 0, top_p 0.95, 1,500 tokens.
func (f judgeFlags) config(a *app, name string) (llm.Config, llm.Access) {
	access := a.secondAccess(name, judgeKey, f.JudgeBaseURL)
	zero, top := 0.0, 0.95
	return llm.Config{
		Spec: name, BaseURL: access.BaseURL, APIKey: access.Key, OnNotice: func(text string) { a.say("note: %s", text) },
		Sampling: qa.Sampling{Temperature: &zero, TopP: &top, MaxTokens: 1500},
		// Named for the error of an unknown provider only; one makes these judges.
		Providers: map[string]llm.Provider{session.OfflineModel: nil, noJudgeName: nil},
	}, access
}

// checkHosts refuses judges at several hosts with one key: it is for one of them.
func (f judgeFlags) checkHosts(a *app, names []string) error {
	var hosts []string
	for _, name := range names {
		if host := a.secondAccess(name, judgeKey, f.JudgeBaseURL).Host(); host != "" && !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	if a.getenv(judgeKey) == "" || len(hosts) < 2 {
		return nil
	}
	return exit.Misuse("%s is a key for one host, and these judges are at %s: unset it and set the key of each provider (%s, ...)",
		judgeKey, strings.Join(hosts, " and "), llm.KeyVariable)
}

// judgeFailure names the kind of a judge's failure; one that says nothing of the judge has none.
func judgeFailure(err error) string {
	switch class := qa.ClassOf(err); class {
	case qa.FailCancelled, qa.FailContextOverflow:
		return ""
	default:
		return string(class)
	}
}

// noJudge stands where no judge could be made.
type noJudge struct{ err error }

// Judge implements eval.Judge.
func (n noJudge) Judge(context.Context, eval.JudgeRequest) (bool, error) {
	return false, fmt.Errorf("no judge: %w", n.err)
}

// Decide implements judge.Source.
func (n noJudge) Decide(ctx context.Context, r eval.JudgeRequest) (judge.Verdict, error) {
	_, err := n.Judge(ctx, r)
	return judge.Verdict{}, err
}
