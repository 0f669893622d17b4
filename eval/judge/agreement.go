package judge

import (
	"cmp"
	"context"
	"math"
	"sync"

	"golang.org/x/sync/errgroup"

	"airqa/eval"
	"airqa/internal/stats"
	"airqa/qa"
)

// Checked is a label with the judge's verdict on its answer.
type Checked struct {
	Label
	// Said is the judge's verdict. It is meaningless if Unscored or NotAsked gives the reason why there is none.
	Said bool
	// Unscored is why the judge failed to give a verdict; NotAsked is why none was needed.
	Unscored, NotAsked string
	// Votes are the votes of a panel.
	Votes []qa.Vote
}

// Check has the scorer's judge score labelled answers concurrently and returns the results in the order of the labels.
// workers is at least 1. after is called once per label, never concurrently.
func Check(ctx context.Context, s *eval.Scorer, labels []Label, workers int, after func()) []Checked {
	results := make([]Checked, len(labels))
	var mu sync.Mutex
	var all errgroup.Group
	all.SetLimit(workers)
	for i, l := range labels {
		all.Go(func() error {
			results[i] = check(ctx, s, l)
			mu.Lock()
			defer mu.Unlock()
			after()
			return nil
		})
	}
	_ = all.Wait() // no check has an error
	return results
}

func check(ctx context.Context, s *eval.Scorer, l Label) Checked {
	if !s.JudgeDecides(ctx, l.Evaluator, l.Answer) {
		r := eval.New(eval.Config{Judge: Lexical{}}).Score(ctx, l.Evaluator, l.Answer)
		return Checked{Label: l, NotAsked: cmp.Or(r.Reason, "the other parts of the evaluator decide")}
	}
	ctx, votes := WithVotes(ctx)
	r := s.Score(ctx, l.Evaluator, l.Answer)
	c := Checked{Label: l, Said: r.Verdict == qa.Right, Votes: votes.List()}
	if r.Verdict == qa.Unscored {
		c.Unscored = r.Reason
	}
	return c
}

// agreementLevel is the confidence level of the interval.
const agreementLevel = 0.95

// Agreement compares a judge with labels. Positive means that the judge accepts the answer, true that the label agrees.
// Undefined shares and kappas are nil.
type Agreement struct {
	Labels   int `json:"labels"`
	Judged   int `json:"judged"`
	Unscored int `json:"unscored"`
	// NotAsked counts labels that the evaluator decides without the judge.
	NotAsked int `json:"not_asked"`
	Share
	TruePositive  int      `json:"true_positive"`
	FalsePositive int      `json:"false_positive"`
	TrueNegative  int      `json:"true_negative"`
	FalseNegative int      `json:"false_negative"`
	Kappa         *float64 `json:"kappa"` // Cohen's
	// Members are the individual judges of a panel, and PanelKappa (Fleiss') is their agreement with each other. Both
	// cover the labels whose function asks once.
	Members    []Against `json:"members,omitempty"`
	PanelKappa *float64  `json:"panel_kappa,omitempty"`
}

// Share is the rate of agreement with the labels, in 0..1, with its Wilson interval.
type Share struct {
	Agree    int            `json:"agree"`
	Rate     *float64       `json:"rate"`
	Interval stats.Interval `json:"interval"`
	Level    float64        `json:"level"`
}

// Against compares one judge of a panel with the labels.
type Against struct {
	Judge  string `json:"judge"`
	Judged int    `json:"judged"`
	Failed int    `json:"failed"`
	Share
}

// Measure computes the agreement of the checked labels.
func Measure(checked []Checked) Agreement {
	a := Agreement{Labels: len(checked)}
	var labels, said []bool
	for _, c := range checked {
		switch {
		case c.NotAsked != "":
			a.NotAsked++
			continue
		case c.Unscored != "":
			a.Unscored++
			continue
		}
		labels, said = append(labels, c.Right), append(said, c.Said)
		switch {
		case c.Said && c.Right:
			a.TruePositive++
		case c.Said:
			a.FalsePositive++
		case c.Right:
			a.FalseNegative++
		default:
			a.TrueNegative++
		}
	}
	a.Judged = len(labels)
	a.Share = share(a.TruePositive+a.TrueNegative, a.Judged)
	a.Kappa = valued(stats.CohenKappa(labels, said))
	a.members(checked)
	return a
}

// members measures each judge of a panel, even where the panel as a whole could not decide.
func (a *Agreement) members(checked []Checked) {
	at := make(map[string]int)
	var items [][]bool
	for _, c := range checked {
		if !asksOnce(c.Votes) {
			continue
		}
		var item []bool
		for _, v := range c.Votes {
			if _, known := at[v.Judge]; !known {
				at[v.Judge] = len(a.Members)
				a.Members = append(a.Members, Against{Judge: v.Judge})
			}
			m := &a.Members[at[v.Judge]]
			if v.Failed != "" {
				m.Failed++
				continue
			}
			m.Judged++
			if v.Right == c.Right {
				m.Agree++
			}
			item = append(item, v.Right)
		}
		items = append(items, item)
	}
	for i, m := range a.Members {
		a.Members[i].Share = share(m.Agree, m.Judged)
	}
	a.PanelKappa = valued(stats.FleissKappa(items))
}

// asksOnce reports whether the votes are on one question. With several, no single vote is about the label.
func asksOnce(votes []qa.Vote) bool {
	seen := make(map[string]bool)
	for _, v := range votes {
		if seen[v.Judge] {
			return false
		}
		seen[v.Judge] = true
	}
	return len(votes) > 0
}

func share(agree, n int) Share {
	s := Share{Agree: agree, Interval: stats.Wilson(agree, n, agreementLevel), Level: agreementLevel}
	if n > 0 {
		s.Rate = valued(float64(agree) / float64(n))
	}
	return s
}

// valued returns nil for NaN, which JSON cannot represent.
func valued(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}

// Summary is the result of checking a judge, with the labels that it does not share.
type Summary struct {
	Judge string `json:"judge"`
	Agreement
	Disagreements []LabelLine `json:"disagreements"`
	Without       []LabelLine `json:"without_verdict"`
	NotAsked      []LabelLine `json:"without_judge"`
	Spent         Spent       `json:"spent"`
}

// LabelLine is a label that a judge does not share or gave no verdict on.
type LabelLine struct {
	Label
	Reason string `json:"reason,omitempty"`
}

// Summarize measures a judge of a name by what was checked.
func Summarize(name string, checked []Checked, spent Spent) Summary {
	r := Summary{
		Judge: name, Agreement: Measure(checked), Spent: spent,
		Disagreements: []LabelLine{}, Without: []LabelLine{}, NotAsked: []LabelLine{},
	}
	for _, k := range checked {
		line := LabelLine{Label: k.Label, Reason: cmp.Or(k.NotAsked, k.Unscored)}
		switch {
		case k.NotAsked != "":
			r.NotAsked = append(r.NotAsked, line)
		case k.Unscored != "":
			r.Without = append(r.Without, line)
		case k.Said != k.Right:
			r.Disagreements = append(r.Disagreements, line)
		}
	}
	return r
}
