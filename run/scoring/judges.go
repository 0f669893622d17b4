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

	"airqa/agent/action"
	"airqa/eval"
	"airqa/eval/judge"
	"airqa/internal/terminal"
	"airqa/llm"
	"airqa/prompts"
	"airqa/qa"
	"airqa/run/models"
	"airqa/run/session"
	"airqa/runlog"
)

// Judges selects the judges of subjective answers. The zero value is the paper's judge.
type Judges struct {
	// Names are those of a single judge or of a panel that votes: PROVIDER:NAME, [models.Offline] (lexical overlap) or
	// [NoJudge]. None is the paper's judge.
	Names []string
	// Rule decides the votes of a panel; empty for the majority.
	Rule judge.Rule
	// Concurrency is the number of concurrent calls to each judge; 0 is 1.
	Concurrency int
	// Prompts are the texts that they are asked with.
	Prompts prompts.Set
	models.JudgeEndpoint
}

const (
	// defaultJudge is the paper's judge (section 3.2).
	defaultJudge = "openai:gpt-4o-mini-2024-07-18"
	// NoJudge is the name of a judge that leaves subjective answers unscored on purpose.
	NoJudge = "none"
)

// Judge is the judge of one invocation. Close it at the end.
type Judge struct {
	eval.Judge
	// Name identifies the judge in score files, such as "majority(openai:a,openai:b,offline)".
	Name string
	// BaseURL is the endpoint of its models, if given, and Body what is added to requests.
	BaseURL string
	Body    map[string]any
	// Prompts are the texts that replace built-in ones, by name.
	Prompts map[string]string
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
func (c Judges) Open(s session.Session, verdicts string) (*Judge, error) {
	names, err := c.names()
	if err != nil {
		return nil, err
	}
	j := &Judge{meter: &judge.Meter{}, BaseURL: c.BaseURL, Body: c.Body}
	if slices.ContainsFunc(names, AsksModel) {
		j.Prompts = c.Prompts.Own(judge.PromptNames()...)
	} else {
		verdicts = "" // nothing to cache
	}
	if verdicts == "" || strings.Contains(c.BaseURL, "@") {
		j.BaseURL = "" // no model, or an address with a password in it
	}
	if j.store, err = judge.OpenStore(verdicts, s.Redact); err != nil {
		return nil, err
	}
	if n := j.store.Damaged(); n > 0 {
		s.Notify.Notef("%s: %d damaged lines; their verdicts will be requested again", verdicts, n)
	}
	if err := c.openMembers(s, j, names); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return j, nil
}

// Ready checks, before any answer exists, that the judge can be opened and is available if one of the questions asks it.
func (c Judges) Ready(s session.Session, examples []qa.Example) error {
	if !slices.ContainsFunc(examples, func(ex qa.Example) bool { return ex.Evaluator.Func != "" || ex.Kind != "" }) {
		return qa.Usagef("none of %s has an answer or an evaluator to score it by", terminal.Plural(len(examples), "question"))
	}
	j, err := c.Open(s, "")
	if err != nil {
		return err
	}
	n := 0
	for _, ex := range examples {
		if eval.Subjective(ex.Evaluator) {
			n++
		}
	}
	if j.Absent != nil && n > 0 {
		err = qa.Usagef("%d of %s need a judge: %w", n, terminal.Plural(len(examples), "question"), j.Absent)
	}
	return errors.Join(err, j.Close())
}

// names are those of the judges, with the default.
func (c Judges) names() ([]string, error) {
	switch {
	case len(c.Names) == 0:
		return []string{defaultJudge}, nil
	case len(c.Names) > 1 && slices.Contains(c.Names, NoJudge):
		return nil, qa.Usagef("%q cannot be part of a panel", NoJudge)
	}
	return c.Names, nil
}

// AsksModel reports whether a judge calls a model, which may cost money.
func AsksModel(name string) bool { return name != models.Offline && name != NoJudge }

// IsNone reports whether there is no judge, by choice or for lack of a key.
func (j *Judge) IsNone() bool {
	_, absent := j.Judge.(none)
	return absent
}

// AbsentError means that there is no key for the model of a judge.
type AbsentError struct{ Err error }

func (e *AbsentError) Error() string { return e.Err.Error() }

func (e *AbsentError) Unwrap() error { return e.Err }

// openMembers makes the judge, or the panel of judges.
func (c Judges) openMembers(s session.Session, j *Judge, names []string) (err error) {
	if err := c.CheckHosts(s, names); err != nil {
		return err
	}
	members := make([]judge.Member, len(names))
	for i, name := range names {
		members[i].Name = name
		members[i].Judge, err = c.openMember(s, j, name)
		var absent *AbsentError
		if errors.As(err, &absent) && len(names) == 1 {
			j.Absent, err = err, nil // cached verdicts are still available
		}
		if err != nil {
			return &qa.UsageError{Err: err}
		}
	}
	j.Judge, j.Name = members[0].Judge, names[0]
	if len(members) == 1 {
		return nil
	}
	panel, err := judge.NewPanel(cmp.Or(c.Rule, judge.Majority), members...)
	if err != nil {
		return &qa.UsageError{Err: err}
	}
	j.Judge, j.Name = panel, panel.Name()
	return nil
}

// openMember makes the judge with the given name.
func (c Judges) openMember(s session.Session, j *Judge, name string) (eval.Judge, error) {
	switch name {
	case models.Offline:
		return judge.Lexical{}, nil
	case NoJudge:
		return none{errors.New("--judge none")}, nil
	}
	m, access, err := models.OpenJudge(c.Config(s, name))
	isAbsent := errors.Is(err, llm.ErrNoKey)
	if err != nil && !isAbsent {
		return nil, err
	}
	settings, encoding := json.Marshal(m.Described)
	if encoding != nil {
		return nil, encoding
	}
	id := judge.Identity{Name: name, Settings: string(settings), Prompts: c.Prompts} // tells the verdicts of different judges apart
	if isAbsent {
		err = &AbsentError{err}
		return judge.NewCached(j.store, id, none{err}, j.meter), err
	}
	noteHost := sync.OnceFunc(func() {
		if host := access.Host(); host != "" {
			s.Notify.Notef("judge %s uses %s%s", name, host, models.Keyless(access, models.JudgeKey))
		}
	})
	ask := asker{j, m.Endpoint, make(chan struct{}, max(c.Concurrency, 1)), noteHost}
	source := judge.NewModel(judge.Config{Asker: ask, Meter: j.meter, Visible: action.Visible, Prompts: c.Prompts})
	return judge.NewCached(j.store, id, source, j.meter), nil
}

// Recorded returns the judges of a scoring.
func (c Judges) Recorded(s runlog.Scoring) Judges {
	c.Names, c.BaseURL = []string{s.Judge}, cmp.Or(c.BaseURL, s.JudgeBaseURL)
	if c.Body == nil {
		c.Body = s.JudgeExtraBody
	}
	if c.Prompts.Own() == nil {
		c.Prompts = prompts.Of(s.JudgePrompts)
	}
	if rule, members, ok := qa.PanelMembers(s.Judge); ok {
		c.Names, c.Rule = members, judge.Rule(rule)
	}
	return c
}

// asker sends a judge's requests to a chat model, as many at once as it has slots. It names the host before the first
// request.
type asker struct {
	judge    *Judge
	model    qa.Model
	slots    chan struct{}
	noteHost func()
}

// Ask sends one request.
func (k asker) Ask(ctx context.Context, system, user string) (qa.Reply, error) {
	select {
	case k.slots <- struct{}{}:
		defer func() { <-k.slots }()
	case <-ctx.Done():
		return qa.Reply{}, ctx.Err()
	}
	select {
	case <-k.judge.Drain:
		return qa.Reply{}, qa.ErrInterrupted
	default:
	}
	if k.judge.Refused != nil {
		return qa.Reply{}, k.judge.Refused
	}
	k.noteHost()
	return k.model.Complete(ctx, qa.Request{Messages: judge.Messages(system, user)})
}

// Config configures the model of the judge with a name.
func (c Judges) Config(s session.Session, name string) models.JudgeConfig {
	return models.JudgeConfig{
		Spec: name, JudgeEndpoint: c.JudgeEndpoint, Own: s.Given, Getenv: s.Getenv, Notify: s.Notify, Others: []string{models.Offline, NoJudge},
	}
}

// CheckHosts rejects judges at several hosts with one key, which is for one of them.
func (c Judges) CheckHosts(s session.Session, names []string) error {
	var hosts []string
	for _, name := range names {
		if host := s.Given.Access(name, models.JudgeKey, c.BaseURL, s.Getenv).Host(); host != "" && !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	if s.Getenv(models.JudgeKey) == "" || len(hosts) < 2 {
		return nil
	}
	return qa.Usagef("%s is a key for one host, but these judges are at %s: unset it and set the key of each provider (%s, ...)",
		models.JudgeKey, strings.Join(hosts, " and "), llm.KeyVariable)
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
