// Package scoring scores runs and files of predictions: it opens the judges, streams the answers through eval/stream,
// and totals the scores. Start with [Judges.Open] and [Scoring.Run].
package scoring

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
	"airqa/internal/terminal"
	"airqa/llm"
	"airqa/qa"
	"airqa/run/models"
	"airqa/run/session"
	"airqa/runlog"
)

// Judges selects the judges of subjective answers. Its fields are flags.
type Judges struct {
	Judge            string   `names:"model" placeholder:"PROVIDER:NAME" help:"Judge of subjective answers: PROVIDER:NAME, offline (lexical overlap) or none. Key: AIRQA_JUDGE_API_KEY, or the provider's key at its own host. Default: openai:gpt-4o-mini-2024-07-18 (paper)."`
	Judges           []string `names:"model" placeholder:"A,B,C" help:"Panel of judges that vote, instead of --judge."`
	JudgeRule        string   `name:"judge-rule" default:"majority" enum:"majority,all,any" help:"Judges that must accept an answer: majority (a tie is wrong), all or any."`
	JudgeConcurrency int      `name:"judge-concurrency" default:"4" placeholder:"N" help:"Concurrent calls to each judge."`
	JudgeBaseURL     string   `names:"endpoint" name:"judge-base-url" placeholder:"URL" help:"Base URL of the judges' endpoint. Default: api.openai.com, even with --base-url."`
}

const (
	// defaultJudge is the paper's judge (section 3.2).
	defaultJudge = "openai:gpt-4o-mini-2024-07-18"
	// NoJudge is the name of a judge that leaves subjective answers unscored on purpose.
	NoJudge = "none"
	// VerdictsFile keeps the verdicts on a run, in its directory.
	VerdictsFile = "verdicts.jsonl"
	// maxJudgeFailures is the number of consecutive equal failures that stop a judge.
	maxJudgeFailures = 10
)

// Judge is the judge of one invocation. Close it at the end.
type Judge struct {
	eval.Judge
	// Name identifies the judge in score files, such as "majority(openai:a,openai:b,offline)".
	Name string
	// BaseURL is the endpoint of its models, if given.
	BaseURL string
	// Absent is the reason, with a hint, why a wanted judge is not available; subjective answers then stay unscored.
	// Otherwise nil.
	Absent error
	// Drain, when closed, lets calls in flight finish and no others start. It may be nil. Set it before the first
	// question.
	Drain <-chan struct{}
	// Refused, if not nil, is returned instead of sending a request: only kept verdicts count. Set it before the first
	// question.
	Refused error
	meter   *judge.Meter
	store   *judge.Store
}

// Offline is the judge that compares words.
func Offline() *Judge { return &Judge{Judge: judge.Lexical{}, Name: models.Offline} }

// Spent is the cost of judging so far.
func (j *Judge) Spent() judge.Spent { return j.meter.Spent() }

// Close closes the store of verdicts and returns its first write error.
func (j *Judge) Close() error { return j.store.Close() }

// Open makes the judge. Verdicts are cached in the file at a path; an empty path caches them only for this invocation.
// A single judge without a key leaves subjective answers unscored; see [Judge.Absent].
func (f Judges) Open(s session.Session, verdicts string) (*Judge, error) {
	names, err := f.names()
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(names, AsksModel) {
		verdicts = "" // nothing to cache
	}
	j := &Judge{meter: &judge.Meter{}, BaseURL: f.JudgeBaseURL}
	if verdicts == "" || strings.Contains(f.JudgeBaseURL, "@") {
		j.BaseURL = "" // no model, or an address with a password in it
	}
	if j.store, err = judge.OpenStore(verdicts, s.Redact); err != nil {
		return nil, err
	}
	if n := j.store.Damaged(); n > 0 {
		s.Notify.Notef("%s: %d damaged lines; their verdicts will be requested again", verdicts, n)
	}
	if err := f.seat(s, j, names); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return j, nil
}

// Ready checks, before any answer exists, that the judge can be opened and is available if one of the questions asks it.
func (f Judges) Ready(s session.Session, examples []qa.Example) error {
	if !slices.ContainsFunc(examples, func(ex qa.Example) bool { return ex.Evaluator.Func != "" || ex.Kind != "" }) {
		return exit.Misuse("--score: none of %s has an answer or an evaluator", terminal.Plural(len(examples), "question"))
	}
	j, err := f.Open(s, "")
	if err != nil {
		return err
	}
	if n := subjective(examples); j.Absent != nil && n > 0 {
		err = exit.Misuse("%d of %s need a judge: %w", n, terminal.Plural(len(examples), "question"), j.Absent)
	}
	return errors.Join(err, j.Close())
}

// subjective counts the questions whose answers a judge may decide.
func subjective(examples []qa.Example) int {
	n := 0
	for _, ex := range examples {
		if eval.Subjective(ex.Evaluator) {
			n++
		}
	}
	return n
}

// names lists the judges given by the flags.
func (f Judges) names() ([]string, error) {
	switch {
	case f.JudgeConcurrency < 1:
		return nil, exit.Misuse("--judge-concurrency must be above 0")
	case len(f.Judges) == 0 && f.Judge == "":
		return []string{defaultJudge}, nil
	case len(f.Judges) == 0:
		return []string{f.Judge}, nil
	case f.Judge != "":
		return nil, exit.Misuse("--judge and --judges are mutually exclusive (AIRQA_JUDGE and airqa.yaml count)")
	case len(f.Judges) == 1:
		return nil, exit.Misuse("--judges needs two or more; use --judge %s for one", f.Judges[0])
	case slices.Contains(f.Judges, NoJudge):
		return nil, exit.Misuse("%q cannot be part of a panel", NoJudge)
	}
	return f.Judges, nil
}

// AsksModel reports whether a judge calls a model, which may cost money.
func AsksModel(name string) bool { return name != models.Offline && name != NoJudge }

// IsNone reports whether there is no judge, by choice or for lack of a key.
func (j *Judge) IsNone() bool {
	_, absent := j.Judge.(none)
	return absent
}

// seat makes the judge, or the panel of judges.
func (f Judges) seat(s session.Session, j *Judge, names []string) (err error) {
	if err := f.CheckHosts(s, names); err != nil {
		return err
	}
	members := make([]judge.Member, len(names))
	for i, name := range names {
		members[i].Name = name
		members[i].Judge, err = f.one(s, j, name)
		if errors.Is(err, llm.ErrNoKey) && len(names) == 1 {
			err = fmt.Errorf("%w, --judge none (objective answers only) or --judge offline (compares words)", err)
			j.Absent, err = err, nil // cached verdicts are still available
		}
		if err != nil {
			return exit.With(exit.Usage, err)
		}
	}
	j.Judge, j.Name = members[0].Judge, names[0]
	if len(members) == 1 {
		return nil
	}
	panel, err := judge.NewPanel(judge.Rule(f.JudgeRule), members...)
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	j.Judge, j.Name = panel, panel.Name()
	return nil
}

// one makes the judge with the given name.
func (f Judges) one(s session.Session, j *Judge, name string) (eval.Judge, error) {
	switch name {
	case models.Offline:
		return judge.Lexical{}, nil
	case NoJudge:
		return none{errors.New("--judge none")}, nil
	}
	asker, id, err := f.asker(s, j, name)
	if errors.Is(err, llm.ErrNoKey) {
		return judge.NewCached(j.store, id, none{err}, j.meter), err
	}
	if err != nil {
		return nil, err
	}
	source := judge.NewModel(judge.Config{Asker: asker, Meter: j.meter})
	circuit := judge.NewCircuit(source, judge.CircuitConfig{
		Limit: maxJudgeFailures, Kind: judgeFailure, Concurrency: f.JudgeConcurrency,
	})
	return judge.NewCached(j.store, id, circuit, j.meter), nil
}

// asker opens the model with the given name.
func (f Judges) asker(s session.Session, j *Judge, name string) (judge.Asker, judge.Identity, error) {
	m, access, err := models.OpenJudge(f.Config(s, name))
	if errors.Is(err, llm.ErrNoKey) {
		err = fmt.Errorf("%w, or give --judge openai:NAME --judge-base-url URL (your own endpoint)", err)
	}
	settings, encoding := json.Marshal(m.Described)
	id := judge.Identity{Name: name, Settings: string(settings)} // tells the verdicts of different judges apart
	if err = errors.Join(err, encoding); err != nil {
		return nil, id, err
	}
	return newAsker(s, j, m.Endpoint, name, access), id, nil
}

// Asker opens the model of a single judge for other questions than those of a judge.
func (f Judges) Asker(s session.Session) (judge.Asker, judge.Identity, error) {
	if !AsksModel(f.Judge) {
		return nil, judge.Identity{}, exit.Misuse("%q is not a model", f.Judge)
	}
	return f.asker(s, &Judge{}, f.Judge)
}

// Of returns the flags that select the judge of a scoring.
func (f Judges) Of(s runlog.Scoring) Judges {
	f.Judge, f.JudgeBaseURL = s.Judge, cmp.Or(f.JudgeBaseURL, s.JudgeBaseURL)
	if rule, members, ok := qa.PanelMembers(s.Judge); ok {
		f.Judge, f.Judges, f.JudgeRule = "", members, rule
	}
	return f
}

// asker sends a judge's requests to a chat model. It names the host before the first request.
type asker struct {
	judge    *Judge
	model    qa.Model
	noteHost func()
}

func newAsker(s session.Session, j *Judge, model qa.Model, name string, access llm.Access) asker {
	return asker{j, model, sync.OnceFunc(func() {
		if host := access.Host(); host != "" {
			s.Notify.Notef("judge %s uses %s%s", name, host, models.Keyless(access, models.JudgeKey))
		}
	})}
}

// Ask sends one request.
func (k asker) Ask(ctx context.Context, system, user string) (qa.Reply, error) {
	select {
	case <-k.judge.Drain:
		return qa.Reply{}, qa.ErrInterrupted
	default:
	}
	if k.judge.Refused != nil {
		return qa.Reply{}, k.judge.Refused
	}
	k.noteHost()
	return k.model.Complete(ctx, qa.Request{Messages: []qa.Message{{Role: qa.System, Text: system}, {Role: qa.User, Text: user}}})
}

// Config configures the model of the judge with a name.
func (f Judges) Config(s session.Session, name string) models.JudgeConfig {
	return models.JudgeConfig{
		Spec: name, BaseURL: f.JudgeBaseURL, Own: s.Given, Getenv: s.Getenv, Notify: s.Notify, Others: []string{models.Offline, NoJudge},
	}
}

// CheckHosts rejects judges at several hosts with one key, which is for one of them.
func (f Judges) CheckHosts(s session.Session, names []string) error {
	var hosts []string
	for _, name := range names {
		if host := s.Given.Access(name, models.JudgeKey, f.JudgeBaseURL, s.Getenv).Host(); host != "" && !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	if s.Getenv(models.JudgeKey) == "" || len(hosts) < 2 {
		return nil
	}
	return exit.Misuse("%s is a key for one host, but these judges are at %s: unset it and set the key of each provider (%s, ...)",
		models.JudgeKey, strings.Join(hosts, " and "), llm.KeyVariable)
}

// judgeFailure classifies a judge's failure; "" if it is not the judge's fault.
func judgeFailure(err error) string {
	switch class := qa.ClassOf(err); class {
	case qa.FailCancelled, qa.FailContextOverflow:
		return ""
	default:
		return string(class)
	}
}

// none is the judge if none could be made.
type none struct{ err error }

func (n none) Judge(context.Context, eval.JudgeRequest) (bool, error) {
	return false, fmt.Errorf("no judge: %w", n.err)
}

func (n none) Decide(ctx context.Context, r eval.JudgeRequest) (judge.Verdict, error) {
	_, err := n.Judge(ctx, r)
	return judge.Verdict{}, err
}
