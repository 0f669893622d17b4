package report

import (
	"airqa/qa"
	"airqa/runlog"
)

// Effort is the effort per example, as means over the finished episodes (the paper's Table 13).
type Effort struct {
	// Episodes counts the finished ones. Without any, the means are 0.
	Episodes int `json:"episodes"`
	// Turns are model calls; tokens are summed over them, so a message counts each time that it is shown.
	Turns      float64 `json:"turns"`
	Prompt     float64 `json:"prompt_tokens"`
	Cached     float64 `json:"cached_prompt_tokens"`
	Completion float64 `json:"completion_tokens"`
	// Working is the time of requests and actions, Waiting of limiter and back-off, in seconds.
	Working float64 `json:"seconds_working"`
	Waiting float64 `json:"seconds_waiting"`
	// Cost is in USD, including charged requests without a reply; nil if the price of the model is unknown.
	Cost *float64 `json:"cost_usd"`
	// Estimated reports whether airqa counted tokens for an endpoint that reported none.
	Estimated bool `json:"tokens_estimated"`
}

// Price returns the price of a model; ok is false if it is unknown.
type Price func(model string) (price qa.Price, ok bool)

// priceOf is the price recorded with the run, or else the current one.
func (o Options) priceOf(run *runlog.Run, model string) *qa.Price {
	if p := run.Config.Note.Price; p != nil || o.Price == nil {
		return p
	}
	if p, ok := o.Price(model); ok {
		return &p
	}
	return nil
}

func effort(episodes []episode, price *qa.Price) Effort {
	var f Effort
	var sum, charged qa.Usage
	for _, e := range episodes {
		if !e.finished {
			continue
		}
		f.Episodes++
		f.Turns += float64(e.turns)
		f.Working += e.working
		f.Waiting += e.waiting
		sum, charged = sum.Add(e.usage), charged.Add(e.charged)
	}
	if f.Episodes == 0 {
		return f
	}
	n := float64(f.Episodes)
	f.Turns, f.Working, f.Waiting, f.Estimated = f.Turns/n, f.Working/n, f.Waiting/n, sum.Estimated
	f.Prompt, f.Cached, f.Completion = float64(sum.Prompt)/n, float64(sum.Cached)/n, float64(sum.Completion)/n
	if price != nil {
		cost := price.Of(sum.Add(charged)) / n
		f.Cost = &cost
	}
	return f
}

// errorKinds are the kinds of error actions in table order.
var errorKinds = []string{qa.ErrNoAction, qa.ErrUnknownAction, qa.ErrSyntax, qa.ErrParameter, qa.ToolError}

// Actions counts the actions of a model and its error actions, see [qa.ActionResult].
type Actions struct {
	Actions int `json:"actions"`
	// Unreadable are replies without a parsable action. ToolErrors are actions that the tool rejected, such as failing
	// SQL. Errors is their sum, of the paper's Table 7.
	Unreadable int `json:"unreadable"`
	ToolErrors int `json:"tool_errors"`
	Errors     int `json:"errors"`
	// Kinds counts errors by the kinds of [qa.ParseError], and those whose observation is an error as "tool_error".
	Kinds map[string]int `json:"kinds,omitempty"`
}

// Rate is n as a percentage of all actions; nil without any actions.
func (a Actions) Rate(n int) *float64 { return known(100 * float64(n) / float64(a.Actions)) }

func (a *Actions) add(_ *qa.Observation, kind string, acts bool) {
	if acts {
		a.Actions++
	}
	if kind != "" {
		a.fault(kind, 1)
	}
}

func (a *Actions) fault(kind string, n int) {
	if a.Kinds == nil {
		a.Kinds = make(map[string]int)
	}
	a.Errors += n
	a.Kinds[kind] += n
	if kind == qa.ToolError {
		a.ToolErrors += n
		return
	}
	a.Unreadable += n
}
