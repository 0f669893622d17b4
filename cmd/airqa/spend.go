package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"airqa/agent"
	"airqa/qa"
	"airqa/run/budget"
	"airqa/run/runlog"
)

// budgetFlags bound what a run and a question may cost. 0 bounds nothing.
type budgetFlags struct {
	BudgetUSD    float64 `name:"budget-usd" placeholder:"USD" help:"Maximum cost of the whole run, all models and earlier invocations included."`
	BudgetTokens int     `name:"budget-tokens" placeholder:"N" help:"Maximum tokens of the whole run, prompts and replies, earlier invocations included."`
	BudgetHours  float64 `name:"budget-hours" placeholder:"H" help:"Hours after which this invocation makes no further call."`

	QuestionUSD     float64 `name:"question-usd" placeholder:"USD" help:"Maximum cost of one question."`
	QuestionTokens  int     `name:"question-tokens" placeholder:"N" help:"Maximum tokens of one question, prompts and replies."`
	QuestionSeconds float64 `name:"question-seconds" placeholder:"S" help:"Maximum seconds of work on one question; waiting for an endpoint's limits does not count."`
	SQLSeconds      float64 `name:"sql-seconds" placeholder:"S" help:"Maximum seconds of SQL for one question."`

	QuerySeconds float64 `name:"query-seconds" default:"30" placeholder:"S" help:"Maximum seconds of one SQL statement."`

	QuestionDeadline time.Duration `name:"question-deadline" placeholder:"20m" help:"Timeout of one question, waiting included; a call in flight is stopped."`

	Price string `placeholder:"IN,OUT[,CACHED]" help:"Price of the model in USD per million tokens, if airqa models has none or another."`
}

var errBudget = misuse("a budget is a number that is not negative; without one, or with 0, nothing is bounded")

func (f budgetFlags) check() error {
	if f.BudgetTokens < 0 || f.QuestionTokens < 0 || f.QuestionDeadline < 0 {
		return errBudget
	}
	for _, limit := range []float64{f.BudgetUSD, f.BudgetHours, f.QuestionUSD, f.QuestionSeconds, f.SQLSeconds} {
		if limit < 0 || math.IsNaN(limit) || math.IsInf(limit, 0) { // nothing can be held to what is no number
			return errBudget
		}
	}
	return checkQuerySeconds(f.QuerySeconds)
}

// usualQuerySeconds is the default of --query-seconds, which run.json does not record.
const usualQuerySeconds = 30

func checkQuerySeconds(s float64) error {
	if !(s > 0 && s <= 24*60*60) {
		return misuse("--query-seconds %s: must be above 0 and at most a day", plain(s))
	}
	return nil
}

// queryDeadline is the longest time of one statement; 0 for the default.
func (f budgetFlags) queryDeadline() time.Duration {
	return time.Duration(f.QuerySeconds * float64(time.Second))
}

// limits are those of the whole run.
func (f budgetFlags) limits(now time.Time) budget.Limits {
	l := budget.Limits{USD: f.BudgetUSD, Tokens: f.BudgetTokens}
	if f.BudgetHours > 0 {
		l.Until = now.Add(time.Duration(f.BudgetHours * float64(time.Hour)))
	}
	return l
}

// question is the budget of one question with a model of a price.
func (f budgetFlags) question(forecast func(qa.Request) qa.Usage, price *qa.Price) agent.Budget {
	b := agent.Budget{Tokens: f.QuestionTokens, USD: f.QuestionUSD, Seconds: f.QuestionSeconds, Deadline: f.QuestionDeadline, Forecast: forecast}
	if price != nil {
		b.Price = price.Of
	}
	if f.SQLSeconds > 0 {
		b.ToolSeconds = map[string]float64{"Query": f.SQLSeconds}
	}
	return b
}

// shape is what of the budgets shapes results, for the record of a run: those of a question do.
func (f budgetFlags) shape(settings map[string]any) {
	for name, v := range map[string]float64{
		"question_usd": f.QuestionUSD, "question_tokens": float64(f.QuestionTokens), "question_seconds": f.QuestionSeconds, "sql_seconds": f.SQLSeconds, "question_deadline_seconds": f.QuestionDeadline.Seconds(),
	} {
		if v > 0 {
			settings[name] = v
		}
	}
	if f.QuerySeconds != 0 && f.QuerySeconds != usualQuerySeconds {
		settings["query_seconds"] = f.QuerySeconds
	}
}

// price is what a model costs: as the flag says, or as the list of models does; nil when nobody knows. A cap in USD on a
// model of unknown price is refused.
func (f budgetFlags) price(m openedModel) (*qa.Price, error) {
	price, err := f.givenPrice()
	if err != nil || price != nil {
		return price, err
	}
	if m.price == nil && (f.BudgetUSD > 0 || f.QuestionUSD > 0) {
		return nil, misuse("the price of %s is unknown, so a limit in USD cannot be held: give --price IN,OUT in USD per million tokens, or list the model in a file for --models", m.spec)
	}
	return m.price, nil
}

// givenPrice reads the flag; nil when it is not given.
func (f budgetFlags) givenPrice() (*qa.Price, error) {
	if f.Price == "" {
		return nil, nil //nolint:nilnil // an unknown price is no error
	}
	var numbers []float64
	for text := range strings.SplitSeq(f.Price, ",") {
		x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || x < 0 || math.IsInf(x, 0) || math.IsNaN(x) {
			return nil, misuse("--price %s: want two or three numbers, USD per million tokens of prompt, reply and cached prompt", f.Price)
		}
		numbers = append(numbers, x)
	}
	switch len(numbers) {
	case 2:
		return &qa.Price{Prompt: numbers[0], Completion: numbers[1], Cached: numbers[0]}, nil
	case 3:
		return &qa.Price{Prompt: numbers[0], Completion: numbers[1], Cached: numbers[2]}, nil
	}
	return nil, misuse("--price %s: want two or three numbers, USD per million tokens of prompt, reply and cached prompt", f.Price)
}

func samePrice(a, b *qa.Price) bool { return a == b || a != nil && b != nil && *a == *b }

// priceText is a price as --price takes it, or that it is unknown.
func priceText(p *qa.Price) string {
	if p == nil {
		return "unknown"
	}
	return fmt.Sprintf("%s,%s,%s", plain(p.Prompt), plain(p.Completion), plain(p.Cached))
}

// spentIn sums what earlier starts used.
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
