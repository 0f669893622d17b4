package session

import (
	"airqa/agent"
	"airqa/qa"
	"airqa/run/budget"
	"airqa/runlog"
)

// QuestionBudget is the budget of one question for a model with a price.
func QuestionBudget(q qa.QuestionLimits, forecast func(qa.Request) qa.Usage, price *qa.Price) agent.Budget {
	b := agent.Budget{Tokens: q.QuestionTokens, USD: q.QuestionUSD, Seconds: q.QuestionSeconds, Deadline: q.QuestionDeadline, Forecast: forecast}
	if price != nil {
		b.Price = price.Of
	}
	if q.SQLSeconds > 0 {
		b.ToolSeconds = map[string]float64{"Query": q.SQLSeconds}
	}
	return b
}

// spentIn sums the usage of earlier invocations.
func spentIn(recorded map[string]runlog.Recorded, price *qa.Price) budget.Spent {
	var s budget.Spent
	for _, rec := range recorded {
		s.Usage = s.Usage.Add(rec.Spent)
	}
	if price != nil {
		s.USD = price.Of(s.Usage)
	}
	return s
}
