package extractor

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"airqa/extractor/candidate"
	"airqa/extractor/explore"
	"airqa/extractor/gate"
	"airqa/internal/stats"
	"airqa/internal/terminal"
	"airqa/internal/tokens"
	"airqa/qa"
)

// Range is an expected value with the bounds of an interval of 80 %.
type Range struct{ Low, Likely, High float64 }

// newRange summarizes a value in the resamples of a bootstrap.
func newRange(values []float64) Range {
	sorted := slices.Sorted(slices.Values(values))
	mean := 0.0
	for _, x := range sorted {
		mean += x / float64(len(sorted))
	}
	// A few resamples can lift the mean above the 90th percentile.
	return Range{min(stats.Quantile(sorted, 0.1), mean), mean, max(stats.Quantile(sorted, 0.9), mean)}
}

func (r Range) text(show func(float64) string) string {
	low, likely, high := show(r.Low), show(r.Likely), show(r.High)
	if low == high {
		return likely
	}
	return likely + " (" + low + " to " + high + ")"
}

// Effort is what a stage will take.
type Effort struct {
	Stage         string
	Calls, Tokens Range
	// USD is nil if the price is unknown.
	USD *Range
}

// Estimate is what the missing rows will take.
type Estimate struct {
	// Measured is true if earlier candidates were measured; otherwise only the sizes of the prompts are known.
	Measured bool
	// Rows is the number of missing rows.
	Rows       int
	Candidates Range
	Stages     []Effort
	Total      Effort
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
	basis := "from the sizes of the prompts; --preview measures more"
	if e.Measured {
		basis = "from the candidates in the ledger"
	}
	return fmt.Sprintf("%s to make, from %s candidates (estimated %s)\n\n%s",
		terminal.Plural(e.Rows, "row"), e.Candidates.text(count), basis, t.Text(width))
}

// EstimatePlan is what to estimate: calls, tokens and cost of the missing rows of a synthesis.
//
// The estimate is a bootstrap over the candidates in the ledger. Each resample draws further candidates of each category
// until its rows are made: their outcomes from an urn with the outcomes so far, to which each draw is added (Pólya), so
// that few candidates give a wide range; their costs from the costs so far. An empty ledger is replaced by assumptions and
// the sizes of the first prompts.
type EstimatePlan struct {
	Dir    string
	Quotas []candidate.Quota
	Gates  []gate.Gate
	Solve  int
	// MaxReply is the maximum number of tokens of a reply.
	MaxReply int
	Price    *qa.Price
	// Draw is nil if all candidates are about new elements.
	Draw *explore.Draw
}

// cost is the effort of a stage.
type cost struct{ calls, tokens, usd float64 }

// plus returns c and n times o.
func (c cost) plus(o cost, n float64) cost {
	return cost{c.calls + n*o.calls, c.tokens + n*o.tokens, c.usd + n*o.usd}
}

// costs has the costs of a candidate, or of several, by stage.
type costs map[string]cost

func (p EstimatePlan) newCost(calls int, u qa.Usage) cost {
	c := cost{calls: float64(calls), tokens: float64(u.Prompt + u.Completion)}
	if p.Price != nil {
		c.usd = p.Price.Of(u)
	}
	return c
}

// resamples is the number of resamples of the bootstrap.
const resamples = 400

// Estimate estimates the missing rows. It calls no model. The same ledger gives the same estimate.
func (p EstimatePlan) Estimate(ctx context.Context) (Estimate, error) {
	measured, err := p.measure()
	if err != nil {
		return Estimate{}, err
	}
	rest, err := p.missing(ctx, measured)
	e := Estimate{Measured: len(measured) > 0}
	for _, m := range rest {
		e.Rows += m.rows
	}
	prior := newPrior(measured)
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // an estimate needs no secrets
	numbers, sums := make([]float64, resamples), make([]costs, resamples)
	for i := range resamples {
		sums[i] = make(costs)
		for _, m := range rest {
			n := m.drawCandidates(random, prior)
			m.drawCosts(random, n, sums[i])
			numbers[i] += float64(n)
		}
	}
	e.Candidates = newRange(numbers)
	stages := make(map[string]bool)
	for _, sum := range sums {
		for stage := range sum {
			stages[stage] = true
		}
	}
	for _, stage := range slices.SortedFunc(maps.Keys(stages), func(a, b string) int { return gate.Place(a) - gate.Place(b) }) {
		e.Stages = append(e.Stages, p.effort(stage, sums, func(sum costs) cost { return sum[stage] }))
	}
	e.Total = p.effort("total", sums, func(sum costs) (total cost) {
		for _, f := range e.Stages { // sums of floats depend on the order
			total = total.plus(sum[f.Stage], 1)
		}
		return total
	})
	return e, err
}

// effort summarizes the costs of a stage in the resamples.
func (p EstimatePlan) effort(stage string, sums []costs, costOf func(costs) cost) Effort {
	var calls, used, usd []float64
	for _, sum := range sums {
		c := costOf(sum)
		calls, used, usd = append(calls, c.calls), append(used, c.tokens), append(usd, c.usd)
	}
	e := Effort{Stage: stage, Calls: newRange(calls), Tokens: newRange(used)}
	if p.Price != nil {
		e.USD = new(newRange(usd))
	}
	return e
}

// decidedCandidate is a candidate that was accepted or rejected.
type decidedCandidate struct {
	round    int // number of earlier candidates about the same elements
	accepted bool
	costs    costs
}

// measured is what the ledger has about a category.
type measured struct {
	decided []decidedCandidate // by index
	// drafts are the costs of candidates that are explored only.
	drafts []costs
}

// countNew counts the candidates about new elements, and the accepted ones of them.
func (m measured) countNew() (accepted, all float64) {
	for _, d := range m.decided {
		if d.round > 0 {
			continue
		}
		all++
		if d.accepted {
			accepted++
		}
	}
	return accepted, all
}

// measure reads the ledger. It leaves out candidates for which the quota had no place or whose calls failed, since they
// show nothing about later ones.
func (p EstimatePlan) measure() (map[candidate.Category]measured, error) {
	history, err := candidate.ReadHistory(p.Dir)
	if err != nil {
		return nil, err
	}
	spent := p.spent(history)
	states := history.States()
	ids := make([]candidate.ID, 0, len(states))
	for name := range states {
		id, err := candidate.ParseID(name)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	slices.SortFunc(ids, candidate.Compare)
	all := make(map[candidate.Category]measured)
	for _, id := range ids {
		m, state, costs := all[id.Category], states[id.String()], spent[id.String()]
		switch {
		case state.Reason == candidate.Surplus:
		case state.Outcome == candidate.Accepted, state.Outcome == candidate.Rejected:
			m.decided = append(m.decided, decidedCandidate{p.round(id), state.Outcome == candidate.Accepted, costs})
		case state.Reason == candidate.NotTracked:
			m.drafts = append(m.drafts, costs)
		}
		all[id.Category] = m
	}
	return all, nil
}

// spent returns the costs of each candidate, by its ID as text. It leaves out gates that are switched off now.
func (p EstimatePlan) spent(history candidate.History) map[string]costs {
	spent := make(map[string]costs)
	for _, line := range candidate.PaidOnce(history.LastLines()) {
		name, isGate := candidate.GateOf(line.Stage)
		if line.Stage == candidate.Act || isGate && !p.applies(name) {
			continue
		}
		if spent[line.Candidate] == nil {
			spent[line.Candidate] = make(costs)
		}
		spent[line.Candidate][line.Stage] = p.newCost(len(line.Calls), line.Usage)
	}
	return spent
}

func (p EstimatePlan) applies(gateName string) bool {
	return slices.ContainsFunc(p.Gates, func(g gate.Gate) bool { return g.Name == gateName })
}

func (p EstimatePlan) round(id candidate.ID) int {
	if p.Draw == nil {
		return 0
	}
	return p.Draw.Round(id)
}

// prior is what is expected of a category before its own candidates.
type prior struct {
	// yield is the share of accepted candidates about new elements, in all categories.
	yield float64
	// novelty is the share of questions that are new although their elements were asked about once before.
	novelty float64
}

// Assumptions, in numbers of candidates: yield and novelty are as if these had been seen before.
const (
	usualAccepted, usualRejected = 1.8, 1.2
	usualNovel, usualRepeated    = 4.0, 2.0
	// priorWeight is the weight of all categories for the yield of one. Of 1 to 12, 6 and 8 gave the best estimates in the
	// 48 tests of docs/PERFORMANCE.md; with 2, two of them were more than 25 % off.
	priorWeight = 6.0
)

func newPrior(all map[candidate.Category]measured) prior {
	accepted, tried := 0.0, 0.0 // whole numbers, so their order does not matter
	novel, repeated := 0.0, 0.0
	for _, m := range all {
		a, n := m.countNew()
		accepted, tried = accepted+a, tried+n
		for _, d := range m.decided {
			if d.round > 0 {
				repeated++
			}
			if d.round > 0 && d.accepted {
				novel++
			}
		}
	}
	yield := (usualAccepted + accepted) / (usualAccepted + usualRejected + tried)
	return prior{yield, min((usualNovel+novel)/(usualNovel+usualRepeated+yield*repeated), 1)}
}

// missing is the rest of a category.
type missing struct {
	measured
	rows int
	// rounds has the round of each candidate that may still follow.
	rounds []int
	// samples are the costs of candidates.
	samples []costs
}

// missing returns what is left of each category.
func (p EstimatePlan) missing(ctx context.Context, all map[candidate.Category]measured) ([]missing, error) {
	rowsOf := func(q candidate.Quota) int {
		rows := q.Count
		for _, d := range all[q.Category].decided {
			if d.accepted {
				rows--
			}
		}
		return max(rows, 0)
	}
	growing := slices.ContainsFunc(p.Quotas, func(q candidate.Quota) bool { return q.Category.Type() == candidate.Single && rowsOf(q) > 0 })
	var rest []missing
	for _, q := range p.Quotas {
		m := missing{measured: all[q.Category], rows: rowsOf(q)}
		next := len(m.decided)
		if q.Category.Type() == candidate.Multiple && growing {
			m.rows, next = q.Count, 0 // further single questions give other pairs
		}
		if m.rows == 0 {
			continue
		}
		for i := next; i < q.Most; i++ {
			m.rounds = append(m.rounds, p.round(candidate.ID{Category: q.Category, Index: i}))
		}
		for _, d := range m.decided {
			m.samples = append(m.samples, d.costs)
		}
		if len(m.samples) == 0 {
			var err error
			if m.samples, err = p.assumedCosts(ctx, q.Category, m.drafts); err != nil {
				return nil, err
			}
		}
		rest = append(rest, m)
	}
	return rest, nil
}

// drawCandidates draws the outcomes of further candidates and returns how many it takes to make the rows.
func (m missing) drawCandidates(random *rand.Rand, p prior) int {
	accepted, all := m.countNew()
	accepted, all = accepted+priorWeight*p.yield, all+priorWeight
	n, rows := 0, 0
	for n < len(m.rounds) && rows < m.rows {
		good := random.Float64() < accepted/all
		if all++; good {
			accepted++
		}
		if good && random.Float64() < math.Pow(p.novelty, float64(m.rounds[n])) {
			rows++
		}
		n++
	}
	return n
}

// drawCosts adds the costs of n candidates: n times the mean of as many samples as there are, drawn with replacement. Drafts
// are not explored again.
func (m missing) drawCosts(random *rand.Rand, n int, sum costs) {
	drawn := make(costs)
	for range m.samples {
		for stage, c := range m.samples[random.IntN(len(m.samples))] {
			drawn[stage] = drawn[stage].plus(c, 1)
		}
	}
	for stage, c := range drawn {
		times := n
		if stage == candidate.Explore {
			times = max(n-len(m.drafts), 0)
		}
		sum[stage] = sum[stage].plus(c, float64(times)/float64(len(m.samples)))
	}
}

const (
	// probes is the number of prompts of a category that are measured.
	probes = 3
	// questionTokens is the usual length of a prompt with a question and no context.
	questionTokens = 250
	// replyTokens is the usual length of a reply.
	replyTokens = 350
)

// assumedCosts measures the first prompts of a category and assumes that every candidate passes every stage with one reply,
// of half, once and twice the usual length. What the explorer took for drafts is known.
func (p EstimatePlan) assumedCosts(ctx context.Context, c candidate.Category, drafts []costs) ([]costs, error) {
	if c.Type() == candidate.Multiple {
		return []costs{nil}, nil // merged by rule
	}
	prompt, context, err := p.probe(ctx, c)
	if err != nil {
		return nil, err
	}
	tracker, err := explore.TrackRequest(candidate.Draft{})
	if err != nil {
		return nil, err
	}
	var list []costs
	for i, share := range []float64{0.5, 1, 2} {
		reply := int(min(share*replyTokens, float64(cmp.Or(p.MaxReply, math.MaxInt))))
		list = append(list, costs{candidate.Explore: p.newCost(1, qa.Usage{Prompt: prompt, Completion: reply})})
		if i < len(drafts) {
			list[i][candidate.Explore] = drafts[i][candidate.Explore]
		}
		add := func(stage string, calls, prompt int) {
			if name, isGate := candidate.GateOf(stage); !isGate || p.applies(name) {
				list[i][stage] = p.newCost(calls, qa.Usage{Prompt: calls * prompt, Completion: calls * reply})
			}
		}
		add(candidate.GateStage(gate.ClosedBook), 1, questionTokens)
		if c.Type() != candidate.Retrieval {
			add(candidate.Track, 1, tokens.Count(tracker.Text)+questionTokens)
			add(candidate.GateStage(gate.SolvedAgain), p.Solve, questionTokens+context)
		}
	}
	return list, nil
}

// probe returns the mean sizes of the first prompts of the explorer, and of the material in them.
func (p EstimatePlan) probe(ctx context.Context, c candidate.Category) (prompt, context int, err error) {
	for i := range probes {
		m, ok, err := p.Draw.Load(ctx, candidate.ID{Category: c, Index: i})
		if err != nil || !ok {
			return 0, 0, err
		}
		message, err := explore.Request(m)
		if err != nil {
			return 0, 0, err
		}
		prompt += tokens.Count(message.Text)
		context += tokens.Count(explore.Context(m))
	}
	return prompt / probes, context / probes, nil
}
