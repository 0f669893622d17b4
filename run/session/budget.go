package session

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"airqa/agent"
	"airqa/internal/exit"
	"airqa/qa"
	"airqa/run/budget"
	"airqa/runlog"
)

// Budget limits the cost of a run. 0 is unlimited. Its fields are flags.
type Budget struct {
	BudgetUSD    float64 `name:"budget-usd" placeholder:"USD" help:"Maximum cost of the whole run, including all models and earlier invocations."`
	BudgetTokens int     `name:"budget-tokens" placeholder:"N" help:"Maximum tokens of the whole run, prompts and replies, including earlier invocations."`
	BudgetHours  float64 `name:"budget-hours" placeholder:"H" help:"Maximum hours of this invocation; no call starts after that."`

	Price string `placeholder:"IN,OUT[,CACHED]" help:"Price of the model in USD per million tokens. Default: as listed by airqa models."`
}

var errBudget = exit.Misuse("budgets must be non-negative numbers (0 = unlimited)")

// Check rejects invalid budgets of a run.
func (f Budget) Check() error {
	return areLimits(float64(f.BudgetTokens), f.BudgetUSD, f.BudgetHours)
}

// CheckLimits rejects invalid budgets of a question.
func CheckLimits(q qa.QuestionLimits) error {
	return errors.Join(CheckQuerySeconds(q.QuerySeconds),
		areLimits(float64(q.QuestionTokens), q.QuestionUSD, q.QuestionSeconds, q.SQLSeconds, float64(q.QuestionDeadline)))
}

// CheckQuerySeconds rejects an invalid statement timeout.
func CheckQuerySeconds(s float64) error {
	if !(s > 0 && s <= 24*60*60) {
		return exit.Misuse("--query-seconds %s: must be above 0 and at most a day", Plain(s))
	}
	return nil
}

func areLimits(numbers ...float64) error {
	for _, limit := range numbers {
		if limit < 0 || math.IsNaN(limit) || math.IsInf(limit, 0) { // comparisons with NaN are false
			return errBudget
		}
	}
	return nil
}

// QueryDeadline is the timeout of one statement.
func QueryDeadline(seconds float64) time.Duration {
	return time.Duration(seconds * float64(time.Second))
}

// Limits are the limits of the whole run.
func (f Budget) Limits(now time.Time) budget.Limits {
	l := budget.Limits{USD: f.BudgetUSD, Tokens: f.BudgetTokens}
	if f.BudgetHours > 0 {
		l.Until = now.Add(time.Duration(f.BudgetHours * float64(time.Hour)))
	}
	return l
}

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

// PriceOf is the price of a model from the flag or else the catalog; nil if unknown. It rejects a limit in USD for a
// model of unknown price.
func (f Budget) PriceOf(m Opened, q qa.QuestionLimits) (*qa.Price, error) {
	price, err := f.givenPrice()
	if err != nil || price != nil {
		return price, err
	}
	if m.Price == nil && (f.BudgetUSD > 0 || q.QuestionUSD > 0) {
		return nil, exit.Misuse("the price of %s is unknown, so a limit in USD cannot be enforced: give --price IN,OUT in USD per million tokens, or list the model in a file for --models", m.Spec)
	}
	return m.Price, nil
}

// givenPrice parses the flag; nil if it is not given.
func (f Budget) givenPrice() (*qa.Price, error) {
	if f.Price == "" {
		return nil, nil //nolint:nilnil // an unknown price is no error
	}
	var numbers []float64
	for text := range strings.SplitSeq(f.Price, ",") {
		x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || x < 0 || math.IsInf(x, 0) || math.IsNaN(x) {
			return nil, exit.Misuse("--price %s: want two or three numbers, USD per million tokens of prompt, reply and cached prompt", f.Price)
		}
		numbers = append(numbers, x)
	}
	switch len(numbers) {
	case 2:
		return &qa.Price{Prompt: numbers[0], Completion: numbers[1], Cached: numbers[0]}, nil
	case 3:
		return &qa.Price{Prompt: numbers[0], Completion: numbers[1], Cached: numbers[2]}, nil
	}
	return nil, exit.Misuse("--price %s: want two or three numbers, USD per million tokens of prompt, reply and cached prompt", f.Price)
}

func samePrice(a, b *qa.Price) bool { return a == b || a != nil && b != nil && *a == *b }

// PriceText formats a price as --price takes it, or as unknown.
func PriceText(p *qa.Price) string {
	if p == nil {
		return "unknown"
	}
	return fmt.Sprintf("%s,%s,%s", Plain(p.Prompt), Plain(p.Completion), Plain(p.Cached))
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

// Plain formats a number without an exponent, which integer flags do not accept.
func Plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
