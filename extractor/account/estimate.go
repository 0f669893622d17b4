package account

import (
	"context"
	"fmt"
	"math"
	"slices"

	"airqa/extractor/candidate"
	"airqa/extractor/draw"
	"airqa/extractor/explore"
	"airqa/extractor/gate"
	"airqa/extractor/syndir"
	"airqa/extractor/track"
	"airqa/internal/stats"
	"airqa/internal/terminal"
	"airqa/internal/tokens"
	"airqa/qa"
)

// Range is an estimate with its bounds.
type Range struct {
	Low    float64 `json:"low"`
	Likely float64 `json:"likely"`
	High   float64 `json:"high"`
}

func (r Range) plus(o Range) Range { return Range{r.Low + o.Low, r.Likely + o.Likely, r.High + o.High} }

func (r Range) times(x float64) Range { return Range{r.Low * x, r.Likely * x, r.High * x} }

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

// Assumptions without a measurement: the share of candidates that are accepted, and the tokens of a reply.
var (
	unknownYield = Range{Low: 0.35, Likely: 0.6, High: 0.9}
	usualReply   = Range{Low: 150, Likely: 350, High: 900}
)

// confidence is the level of the interval of a measured yield.
const confidence = 0.8

// Forecast estimates the effort for the missing rows from what the ledger measured, or from the sizes of the prompts.
func (p Plan) Forecast(ctx context.Context) (Estimate, error) {
	e := Estimate{Basis: "prompts"}
	states, err := syndir.States(p.Dir)
	if err != nil {
		return e, err
	}
	lines, err := lastLines(p.Dir)
	if err != nil {
		return e, err
	}
	m := measured{plan: p, lines: lines}
	if len(states) > 0 {
		e.Basis = "ledger"
	}
	efforts := make(map[string]Effort)
	for _, q := range p.Quotas {
		need := needed(q, states)
		e.Rows += need.rows
		e.Candidates = e.Candidates.plus(need.candidates)
		costs, err := m.costs(ctx, q.Category)
		if err != nil {
			return e, err
		}
		for stage, c := range costs {
			f := efforts[stage]
			f.Calls = f.Calls.plus(need.candidates.times(c.calls))
			f.Tokens = f.Tokens.plus(product(need.candidates, c.prompt)).plus(product(need.candidates, c.reply))
			if p.Price != nil {
				usd := product(need.candidates, c.prompt).times(p.Price.Prompt / 1e6).plus(product(need.candidates, c.reply).times(p.Price.Completion / 1e6))
				if f.USD != nil {
					usd = usd.plus(*f.USD)
				}
				f.USD = &usd
			}
			efforts[stage] = f
		}
	}
	e.sum(efforts)
	return e, nil
}

func product(a, b Range) Range { return Range{a.Low * b.Low, a.Likely * b.Likely, a.High * b.High} }

// sum orders the stages and adds them up.
func (e *Estimate) sum(efforts map[string]Effort) {
	e.Total.Stage = "total"
	for stage, f := range efforts {
		f.Stage = stage
		e.Stages = append(e.Stages, f)
	}
	slices.SortFunc(e.Stages, func(a, b Effort) int { return place(a.Stage) - place(b.Stage) })
	for _, f := range e.Stages {
		e.Total.Calls, e.Total.Tokens = e.Total.Calls.plus(f.Calls), e.Total.Tokens.plus(f.Tokens)
		if f.USD != nil {
			if e.Total.USD == nil {
				e.Total.USD = &Range{}
			}
			*e.Total.USD = e.Total.USD.plus(*f.USD)
		}
	}
}

// need is what a category lacks.
type need struct {
	rows       int
	candidates Range
}

// needed estimates the candidates for the missing rows of a category from its yield so far.
func needed(q syndir.Quota, states map[string]syndir.State) need {
	accepted, decided := 0, 0
	for _, s := range states {
		if s.Category == q.Category && (s.Outcome == candidate.Accepted || s.Outcome == candidate.Rejected) {
			decided++
			if s.Outcome == candidate.Accepted {
				accepted++
			}
		}
	}
	yield := unknownYield
	if decided > 0 {
		i := stats.Wilson(accepted, decided, confidence)
		// The prior of two candidates keeps a small sample from promising everything or nothing.
		likely := (float64(accepted) + 2*unknownYield.Likely) / float64(decided+2)
		yield = Range{Low: max(i.Low, 0.05), Likely: likely, High: max(i.High, likely)}
	}
	rows := max(q.Count-accepted, 0)
	most := float64(max(q.Most-decided, 0))
	candidates := func(yield float64) float64 { return min(math.Ceil(float64(rows)/yield), most) }
	return need{rows, Range{candidates(yield.High), candidates(yield.Likely), candidates(min(yield.Low, yield.Likely))}}
}

// cost is what one candidate takes in a stage, on average: candidates that do not reach the stage count as zero.
type cost struct {
	calls         float64
	prompt, reply Range
}

// measured derives costs from a ledger.
type measured struct {
	plan  Plan
	lines map[[2]string]candidate.Line
}

// costs returns the costs of a category: measured ones if it has candidates in the ledger, otherwise assumed ones.
func (m measured) costs(ctx context.Context, c candidate.Category) (map[string]cost, error) {
	candidates := make(map[string]bool)
	sums := make(map[string]cost)
	for key, line := range m.lines {
		if line.Category != c {
			continue
		}
		candidates[key[0]] = true
		if len(line.Calls) > 0 {
			s := sums[line.Stage]
			s.calls += float64(len(line.Calls))
			s.prompt.Likely += float64(line.Usage.Prompt)
			s.reply.Likely += float64(line.Usage.Completion)
			sums[line.Stage] = s
		}
	}
	n := float64(len(candidates))
	if n == 0 {
		return m.plan.assumed(ctx, c)
	}
	for stage, s := range sums {
		if gate, ok := candidate.GateOf(stage); ok && !m.plan.has(gate) {
			delete(sums, stage)
			continue
		}
		s.calls /= n
		s.prompt = around(s.prompt.Likely / n)
		s.reply = around(s.reply.Likely / n)
		sums[stage] = s
	}
	return sums, nil
}

// around is a range about a measured mean.
func around(x float64) Range { return Range{0.85 * x, x, 1.2 * x} }

func (p Plan) has(name string) bool {
	return slices.ContainsFunc(p.Gates, func(g gate.Gate) bool { return g.Name == name })
}

// probes is the number of prompts of a category that are measured.
const probes = 3

// assumed measures the first prompts of a category and assumes that every candidate passes every stage with one reply.
func (p Plan) assumed(ctx context.Context, c candidate.Category) (map[string]cost, error) {
	if c.Type() == candidate.Multiple {
		return nil, nil
	}
	prompt, context := 0, 0
	n := 0
	for i := range probes {
		m, ok, err := p.Draw.Load(ctx, candidate.ID{Category: c, Index: i})
		if err != nil || !ok {
			return nil, err
		}
		message, err := explore.Request(m)
		if err != nil {
			return nil, err
		}
		prompt += tokens.Count(message.Text)
		context += tokens.Count(explore.Context(m))
		n++
	}
	reply := usualReply
	reply.High = min(reply.High, float64(p.MaxReply))
	costs := map[string]cost{candidate.Explore: {1, around(float64(prompt) / float64(n)), reply}}
	add := func(name string, calls, tokens float64) {
		if p.has(name) {
			costs[candidate.GateStage(name)] = cost{calls, around(calls * tokens), reply.times(calls)}
		}
	}
	add(gate.ClosedBook, 1, questionTokens)
	if c.Type() != candidate.Retrieval {
		request, err := track.Request(candidate.Draft{})
		if err != nil {
			return nil, err
		}
		costs[candidate.Track] = cost{1, around(float64(tokens.Count(request.Text) + questionTokens)), reply}
		add(gate.SolvedAgain, float64(p.Solve), questionTokens+float64(context)/float64(n))
	}
	return costs, nil
}

// questionTokens is the usual length of a prompt with a question and no context.
const questionTokens = 250

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
