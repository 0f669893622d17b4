package judge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"airqa/eval"
	"airqa/qa"
)

// Rule is the number of judges of a panel that must accept an answer.
type Rule string

// The rules. Majority means more than half: a tie is a wrong answer.
const (
	Majority Rule = "majority"
	All      Rule = "all"
	Any      Rule = "any"
)

// need returns how many of n judges must accept an answer; 0 for an unknown rule.
func (r Rule) need(n int) int {
	switch r {
	case Majority:
		return n/2 + 1
	case All:
		return n
	case Any:
		return 1
	}
	return 0
}

// ErrUndecided is returned by a panel whose failed judges could have changed the decision.
var ErrUndecided = errors.New("the panel cannot decide")

// Member is a judge of a panel.
type Member struct {
	// Name identifies the judge in votes and in the panel's name.
	Name  string
	Judge eval.Judge
}

// Panel is an [eval.Judge] that combines several by a rule. Its calls may overlap if its judges' may.
type Panel struct {
	rule    Rule
	members []Member
}

// NewPanel returns a panel. The rule must be known and the members' names unique.
func NewPanel(rule Rule, members ...Member) (*Panel, error) {
	if rule.need(1) == 0 {
		return nil, fmt.Errorf("panel of judges: unknown rule %q", rule)
	}
	if len(members) == 0 {
		return nil, errors.New("panel of judges: there is no judge")
	}
	seen := make(map[string]bool)
	for _, m := range members {
		if seen[m.Name] {
			return nil, fmt.Errorf("panel of judges: %s is named twice", m.Name)
		}
		seen[m.Name] = true
	}
	return &Panel{rule, slices.Clone(members)}, nil
}

// Name is the rule with the judges, such as "majority(offline,openai:a,openai:b)". Like the decision, it does not
// depend on their order.
func (p *Panel) Name() string {
	names := make([]string, len(p.members))
	for i, m := range p.members {
		names[i] = m.Name
	}
	return qa.JudgeName(string(p.rule) + "(" + strings.Join(names, ",") + ")")
}

// Judge asks all judges concurrently and waits for all of them. A judge that fails has no vote. If its vote could have
// changed the decision, the error is [ErrUndecided]. The votes are noted in a context of [WithVotes].
func (p *Panel) Judge(ctx context.Context, r eval.JudgeRequest) (bool, error) {
	votes, errs := make([]qa.Vote, len(p.members)), make([]error, len(p.members))
	var asked sync.WaitGroup
	for i, m := range p.members {
		asked.Go(func() {
			right, err := m.Judge.Judge(ctx, r)
			votes[i] = qa.Vote{Judge: m.Name, Right: right && err == nil}
			if err != nil {
				votes[i].Failed, errs[i] = err.Error(), fmt.Errorf("%s: %w", m.Name, err)
			}
		})
	}
	asked.Wait()
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if v, ok := ctx.Value(votesKey{}).(*Votes); ok {
		v.mu.Lock()
		v.list = append(v.list, votes...)
		v.mu.Unlock()
	}
	right, failed := 0, 0
	for i, v := range votes {
		switch {
		case errs[i] != nil:
			failed++
		case v.Right:
			right++
		}
	}
	need := p.rule.need(len(votes))
	if right >= need {
		return true, nil
	}
	if right+failed < need {
		return false, nil
	}
	return false, fmt.Errorf("%w by %s of %d: %d say right, %d wrong, %d failed: %w",
		ErrUndecided, p.rule, len(votes), right, len(votes)-right-failed, failed, cmp.Or(errs...))
}

// Votes collects the votes of panels within one context. Start from [WithVotes].
type Votes struct {
	mu   sync.Mutex
	list []qa.Vote
}

type votesKey struct{}

// WithVotes returns a context whose panels record their votes in the second result. Use one context per scored answer.
func WithVotes(ctx context.Context) (context.Context, *Votes) {
	v := &Votes{}
	return context.WithValue(ctx, votesKey{}, v), v
}

// List returns the votes so far: one per judge, in panel order, for each question that a panel was asked. It is nil if
// there was none.
func (v *Votes) List() []qa.Vote {
	if v == nil {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.list)
}
