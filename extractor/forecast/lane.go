package forecast

import (
	"context"
	"maps"
	"slices"

	"airqa/extractor/candidate"
	"airqa/extractor/explore"
	"airqa/extractor/gate"
	"airqa/extractor/syndir"
	"airqa/extractor/track"
	"airqa/internal/tokens"
)

// lane is the rest of a category.
type lane struct {
	// rows is the number of missing rows.
	rows int
	// rounds has the round of each candidate that may still follow.
	rounds []int
	// yield is the share of accepted candidates among those about new elements.
	yield shares
	// samples are costs of candidates; their replies are as long as measured, or as assumed.
	samples []costs
	assumed bool
	// drafted is the number of the next candidates that are explored already.
	drafted int
}

// lanes returns what is left of each category.
func (p Plan) lanes(ctx context.Context, h history) ([]lane, error) {
	growing := slices.ContainsFunc(p.Quotas, func(q syndir.Quota) bool {
		return q.Category.Type() == candidate.Single && h.categories[q.Category].accepted() < q.Count
	})
	var lanes []lane
	for _, q := range p.Quotas {
		past := h.categories[q.Category]
		accepted, next := past.accepted(), len(past.trials)
		l := lane{rows: max(q.Count-accepted, 0), drafted: len(past.drafts), samples: sampled(past)}
		if q.Category.Type() == candidate.Multiple && growing {
			l.rows, next = q.Count, 0 // further single questions give other pairs
		}
		if l.rows == 0 {
			continue
		}
		for i := next; i < q.Most; i++ {
			l.rounds = append(l.rounds, p.round(candidate.ID{Category: q.Category, Index: i}))
		}
		l.yield = h.yieldOf(past)
		if err := p.assume(ctx, &l, q.Category, past.drafts); err != nil {
			return nil, err
		}
		lanes = append(lanes, l)
	}
	return lanes, nil
}

func (p Plan) round(id candidate.ID) int {
	if p.Draw == nil {
		return 0
	}
	return p.Draw.Round(id)
}

// sampled returns the costs of the decided candidates.
func sampled(p past) (list []costs) {
	for _, t := range p.trials {
		list = append(list, t.costs)
	}
	return list
}

// assume makes samples for a category without decided candidates. What the explorer took for drafts is known.
func (p Plan) assume(ctx context.Context, l *lane, c candidate.Category, drafts []costs) error {
	if len(l.samples) > 0 {
		return nil
	}
	assumed, err := p.assumed(ctx, c)
	l.samples, l.assumed = []costs{assumed}, true
	for i, draft := range drafts {
		known := maps.Clone(assumed)
		known[candidate.Explore] = draft[candidate.Explore]
		l.samples = append(l.samples[:i], known)
	}
	return err
}

func (p Plan) has(name string) bool {
	return slices.ContainsFunc(p.Gates, func(g gate.Gate) bool { return g.Name == name })
}

const (
	// probes is the number of prompts of a category that are measured.
	probes = 3
	// questionTokens is the usual length of a prompt with a question and no context.
	questionTokens = 250
	// replyTokens is the usual length of a reply.
	replyTokens = 350
)

// assumed measures the first prompts of a category and assumes that every candidate passes every stage with one reply.
func (p Plan) assumed(ctx context.Context, c candidate.Category) (costs, error) {
	if c.Type() == candidate.Multiple {
		return nil, nil // merged by rule
	}
	prompt, context, err := p.probe(ctx, c)
	if err != nil {
		return nil, err
	}
	reply := min(replyTokens, float64(p.MaxReply))
	list := costs{candidate.Explore: {calls: 1, prompt: prompt, completion: reply}}
	add := func(name string, calls, prompt float64) {
		if p.has(name) {
			list[candidate.GateStage(name)] = cost{calls: calls, prompt: calls * prompt, completion: calls * reply}
		}
	}
	add(gate.ClosedBook, 1, questionTokens)
	if c.Type() == candidate.Retrieval {
		return list, nil
	}
	request, err := track.Request(candidate.Draft{})
	list[candidate.Track] = cost{calls: 1, prompt: float64(tokens.Count(request.Text) + questionTokens), completion: reply}
	add(gate.SolvedAgain, float64(p.Solve), questionTokens+context)
	return list, err
}

// probe returns the mean sizes of the first prompts of the explorer, and of the material in them.
func (p Plan) probe(ctx context.Context, c candidate.Category) (prompt, context float64, err error) {
	for i := range probes {
		m, ok, err := p.Draw.Load(ctx, candidate.ID{Category: c, Index: i})
		if err != nil || !ok {
			return 0, 0, err
		}
		message, err := explore.Request(m)
		if err != nil {
			return 0, 0, err
		}
		prompt += float64(tokens.Count(message.Text)) / probes
		context += float64(tokens.Count(explore.Context(m))) / probes
	}
	return prompt, context, nil
}
