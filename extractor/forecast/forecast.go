// Package forecast estimates what the missing questions of a synthesis will take: calls, tokens and cost of each stage.
// Start from [Plan.Estimate].
//
// It plays the rest of the synthesis many times. Each play draws the yield of each category, and the costs of its
// candidates, from what the ledger measured; [Range] has the mean and the 10th and 90th percentile of the plays. An empty
// ledger is replaced by assumptions and the sizes of the first prompts.
package forecast

import (
	"context"
	"fmt"
	"slices"

	"airqa/extractor/draw"
	"airqa/extractor/gate"
	"airqa/extractor/syndir"
	"airqa/internal/stats"
	"airqa/internal/terminal"
	"airqa/qa"
)

// Range is an expected value with the bounds of an interval of 80 %.
type Range struct {
	Low    float64 `json:"low"`
	Likely float64 `json:"likely"`
	High   float64 `json:"high"`
}

// rangeOf summarizes the plays.
func rangeOf(plays []float64) Range {
	sorted := slices.Sorted(slices.Values(plays))
	mean := 0.0
	for _, x := range sorted {
		mean += x / float64(len(sorted))
	}
	// A few plays can lift the mean above the 90th percentile.
	return Range{min(stats.Quantile(sorted, 0.1), mean), mean, max(stats.Quantile(sorted, 0.9), mean)}
}

// text formats a range.
func (r Range) text(show func(float64) string) string {
	low, likely, high := show(r.Low), show(r.Likely), show(r.High)
	if low == high {
		return likely
	}
	return likely + " (" + low + " to " + high + ")"
}

// Effort is what a stage will take.
type Effort struct {
	Stage  string `json:"stage"`
	Calls  Range  `json:"calls"`
	Tokens Range  `json:"tokens"`
	// USD is nil if the price is unknown.
	USD *Range `json:"usd"`
}

// Estimate is what the missing rows will take.
type Estimate struct {
	// Basis is "ledger" if earlier candidates were measured, else "prompts".
	Basis string `json:"basis"`
	// Rows is the number of missing rows.
	Rows       int      `json:"rows"`
	Candidates Range    `json:"candidates"`
	Stages     []Effort `json:"stages"`
	Total      Effort   `json:"total"`
}

// Plan is what to estimate.
type Plan struct {
	Dir    string
	Quotas []syndir.Quota
	Gates  []gate.Gate
	Solve  int
	// MaxReply is the maximum number of tokens of a reply.
	MaxReply int
	Price    *qa.Price
	Draw     *draw.Draw
}

// Estimate plays the missing rows of a plan. It calls no model.
func (p Plan) Estimate(ctx context.Context) (Estimate, error) {
	h, err := p.history()
	if err != nil {
		return Estimate{}, err
	}
	e := Estimate{Basis: "prompts"}
	if len(h.categories) > 0 {
		e.Basis = "ledger"
	}
	lanes, err := p.lanes(ctx, h)
	if err != nil {
		return e, err
	}
	for _, l := range lanes {
		e.Rows += l.rows
	}
	e.summarize(play(lanes, h), p.Price)
	return e, nil
}

// summarize turns the plays into ranges.
func (e *Estimate) summarize(plays []played, price *qa.Price) {
	var stages []string
	for _, p := range plays {
		for stage := range p.stages {
			if !slices.Contains(stages, stage) {
				stages = append(stages, stage)
			}
		}
	}
	slices.SortFunc(stages, func(a, b string) int { return gate.Place(a) - gate.Place(b) })
	e.Candidates = rangeOf(each(plays, func(p played) float64 { return p.candidates }))
	for _, stage := range stages {
		e.Stages = append(e.Stages, effort(stage, price, each(plays, func(p played) cost { return p.stages[stage] })))
	}
	e.Total = effort("total", price, each(plays, played.total))
}

func each[T any](plays []played, of func(played) T) []T {
	list := make([]T, len(plays))
	for i, p := range plays {
		list[i] = of(p)
	}
	return list
}

// effort summarizes the costs of a stage.
func effort(stage string, price *qa.Price, costs []cost) Effort {
	var calls, tokens, usd []float64
	for _, c := range costs {
		calls, tokens = append(calls, c.calls), append(tokens, c.prompt+c.completion)
		if price != nil {
			usd = append(usd, c.usd(*price))
		}
	}
	e := Effort{Stage: stage, Calls: rangeOf(calls), Tokens: rangeOf(tokens)}
	if price != nil {
		e.USD = new(rangeOf(usd))
	}
	return e
}

// Text prints the estimate for a terminal width; 0 means any.
func (e Estimate) Text(width int) string {
	count := func(x float64) string { return terminal.Compact(x) }
	t := terminal.Table{Head: []string{"stage", "calls", "tokens", "cost"}}
	for _, f := range append(e.Stages, e.Total) {
		usd := "unknown"
		if f.USD != nil {
			usd = f.USD.text(terminal.USD)
		}
		t.Rows = append(t.Rows, []string{f.Stage, f.Calls.text(count), f.Tokens.text(count), usd})
	}
	basis := "from the candidates in the ledger"
	if e.Basis == "prompts" {
		basis = "from the sizes of the prompts; --preview measures more"
	}
	return fmt.Sprintf("%s to make, from %s candidates (estimated %s)\n\n%s", terminal.Plural(e.Rows, "row"), e.Candidates.text(count), basis, t.Text(width))
}
