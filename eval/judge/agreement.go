package judge

import (
	"cmp"
	"context"
	"math"
	"sync"

	"airqa/eval"
	"airqa/internal/stats"
	"airqa/qa"
)

// Checked is a label with what a judge said of its answer.
type Checked struct {
	Label
	// Said is the judge's verdict. It means nothing where Unscored or NotAsked says why there is none.
	Said bool
	// Unscored is why the judge gave no verdict; NotAsked is why none was needed.
	Unscored, NotAsked string
	// Votes are those of a panel.
	Votes []qa.Vote
}

// Check lets the judge of a scorer say what it makes of labelled answers, several at once; the results are in the order
// of the labels. after is called for each, not from two goroutines at once, and may be nil.
func Check(ctx context.Context, s *eval.Scorer, labels []Label, workers int, after func()) []Checked {
	results := make([]Checked, len(labels))
	next := make(chan int)
	var mu sync.Mutex
	var all sync.WaitGroup
	for range min(workers, len(labels)) {
		all.Go(func() {
			for i := range next {
				results[i] = check(ctx, s, labels[i])
				if after != nil {
					mu.Lock()
					after()
					mu.Unlock()
				}
			}
		})
	}
	for i := range labels {
		next <- i
	}
	close(next)
	all.Wait()
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

// agreementLevel is that of the interval.
const agreementLevel = 0.95

// Agreement compares a judge with labels. A positive is an answer that the judge takes, and a true one is right. Shares
// and kappas that have no value are nil.
type Agreement struct {
	Labels   int `json:"labels"`
	Judged   int `json:"judged"`
	Unscored int `json:"unscored"`
	// NotAsked are labels that say nothing of the judge: the evaluator decides without it.
	NotAsked int `json:"not_asked"`
	Share
	TruePositive  int      `json:"true_positive"`
	FalsePositive int      `json:"false_positive"`
	TrueNegative  int      `json:"true_negative"`
	FalseNegative int      `json:"false_negative"`
	Kappa         *float64 `json:"kappa"` // Cohen's
	// Members are the judges of a panel, each for itself, and PanelKappa (Fleiss') is their agreement with each other. They
	// are of the labels whose function asks once.
	Members    []Against `json:"members,omitempty"`
	PanelKappa *float64  `json:"panel_kappa,omitempty"`
}

// Share is how often a judge agrees with labels, in 0..1, with the Wilson interval at a level.
type Share struct {
	Agree    int            `json:"agree"`
	Rate     *float64       `json:"rate"`
	Interval stats.Interval `json:"interval"`
	Level    float64        `json:"level"`
}

// Against is one judge of a panel, held against the labels.
type Against struct {
	Judge  string `json:"judge"`
	Judged int    `json:"judged"`
	Failed int    `json:"failed"`
	Share
}

// Measure counts what was checked.
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
		*a.cell(c)++
	}
	a.Judged = len(labels)
	a.Share = share(a.TruePositive+a.TrueNegative, a.Judged)
	a.Kappa = valued(stats.CohenKappa(labels, said))
	a.members(checked)
	return a
}

// cell is where a judgement is counted.
func (a *Agreement) cell(c Checked) *int {
	switch {
	case c.Said && c.Right:
		return &a.TruePositive
	case c.Said:
		return &a.FalsePositive
	case c.Right:
		return &a.FalseNegative
	}
	return &a.TrueNegative
}

// members measures each judge of a panel, also where the panel as a whole could not decide.
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
			a.Members[at[v.Judge]].count(v, c.Right)
			if v.Failed == "" {
				item = append(item, v.Right)
			}
		}
		items = append(items, item)
	}
	for i, m := range a.Members {
		a.Members[i].Share = share(m.Agree, m.Judged)
	}
	a.PanelKappa = valued(stats.FleissKappa(items))
}

func (m *Against) count(v qa.Vote, label bool) {
	switch {
	case v.Failed != "":
		m.Failed++
		return
	case v.Right == label:
		m.Agree++
	}
	m.Judged++
}

// asksOnce tells votes on one question from those on several, where no single one is about the label.
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

// valued returns nil for what has no value, which JSON could not hold.
func valued(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}
