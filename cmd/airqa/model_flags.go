package main

import (
	"errors"
	"math"
	"strconv"
	"time"

	"airqa/qa"
	"airqa/run/budget"
	"airqa/run/models"
)

// endpointFlags configure how models are called.
type endpointFlags struct {
	BaseURL string `names:"endpoint" name:"base-url" placeholder:"URL" help:"Base URL of the endpoint. Default: OPENAI_BASE_URL, ANTHROPIC_BASE_URL and so on, or the provider's. Keys: OPENAI_API_KEY, ANTHROPIC_API_KEY and so on."`
	qa.Sampling
	Reasoning      bool          `help:"Treat the model as a reasoning model, if airqa models does not list it as such."`
	ContextWindow  int           `name:"context-window" placeholder:"N" help:"Context window to request, in tokens (ollama only)."`
	MaxConnections int           `name:"max-connections" placeholder:"N" help:"Maximum concurrent requests per model; lowered temporarily after a 429. Default: 64, or -j if larger."`
	Timeout        time.Duration `default:"5m" help:"Timeout of one request."`
	Retries        int           `default:"5" help:"Retries after transient failures."`
	Models         string        `names:"input" placeholder:"FILE" help:"Your own list of models, merged over the built-in one (see airqa models)."`
}

// modelConfig checks the flags and returns how models are called.
func (f endpointFlags) modelConfig() (models.Config, error) {
	if f.Timeout <= 0 || f.Retries < 0 || f.MaxTokens < 0 || f.MaxConnections < 0 || f.ContextWindow < 0 {
		return models.Config{}, qa.Usagef("--timeout must be above 0; --max-tokens, --retries, --max-connections and --context-window must not be negative")
	}
	return models.Config{
		BaseURL: f.BaseURL, Sampling: f.Sampling, Reasoning: f.Reasoning, ContextWindow: f.ContextWindow,
		MaxConnections: f.MaxConnections, Timeout: f.Timeout, Retries: f.Retries, Catalog: f.Models,
	}, nil
}

// budgetFlags limit the cost of a run. 0 is unlimited.
type budgetFlags struct {
	BudgetUSD    float64 `name:"budget-usd" placeholder:"USD" help:"Maximum cost of the whole run, including all models and earlier invocations."`
	BudgetTokens int     `name:"budget-tokens" placeholder:"N" help:"Maximum tokens of the whole run, prompts and replies, including earlier invocations."`
	BudgetHours  float64 `name:"budget-hours" placeholder:"H" help:"Maximum hours of this invocation; no call starts after that."`

	Price string `placeholder:"IN,OUT[,CACHED]" help:"Price of the model in USD per million tokens. Default: as listed by airqa models."`
}

// limits checks the flags and returns the limits of the whole run.
func (f budgetFlags) limits() (budget.Limits, error) {
	l := budget.Limits{USD: f.BudgetUSD, Tokens: f.BudgetTokens, Time: time.Duration(f.BudgetHours * float64(time.Hour))}
	return l, checkLimits(float64(f.BudgetTokens), f.BudgetUSD, f.BudgetHours)
}

// priced adds the price, and whether a limit in USD needs one, to the configuration of models.
func (f budgetFlags) priced(c models.Config, question qa.QuestionLimits) (models.Config, error) {
	price, err := models.ParsePrice(f.Price)
	if err != nil {
		return c, qa.Usagef("--%w", err)
	}
	c.Price, c.PriceRequired = price, f.BudgetUSD > 0 || question.QuestionUSD > 0
	return c, nil
}

// calling returns how models are called, and the limits of what they may cost.
func calling(e endpointFlags, b budgetFlags, question qa.QuestionLimits) (models.Config, budget.Limits, error) {
	limits, err := b.limits()
	if err != nil {
		return models.Config{}, limits, err
	}
	c, err := e.modelConfig()
	if err != nil {
		return c, limits, err
	}
	c, err = b.priced(c, question)
	return c, limits, err
}

// batchFlags select the batch API of the endpoint.
type batchFlags struct {
	Batch      bool `help:"Send requests in batches (openai and anthropic): half the price, replies within a day. After a stop or a crash, the same command collects them."`
	BatchAgain bool `name:"batch-again" help:"Send the requests again that have failed in a batch."`
}

// checkQuestionLimits rejects invalid limits of a question.
func checkQuestionLimits(q qa.QuestionLimits) error {
	return errors.Join(checkQuerySeconds(q.QuerySeconds),
		checkLimits(float64(q.QuestionTokens), q.QuestionUSD, q.QuestionSeconds, q.SQLSeconds, float64(q.QuestionDeadline)))
}

// checkQuerySeconds rejects an invalid timeout of a statement.
func checkQuerySeconds(s float64) error {
	if !(s > 0 && s <= 24*60*60) {
		return qa.Usagef("--query-seconds %s: must be above 0 and at most a day", strconv.FormatFloat(s, 'f', -1, 64))
	}
	return nil
}

// queryDeadline is the timeout of one statement.
func queryDeadline(seconds float64) time.Duration {
	return time.Duration(seconds * float64(time.Second))
}

func checkLimits(numbers ...float64) error {
	for _, limit := range numbers {
		if limit < 0 || math.IsNaN(limit) || math.IsInf(limit, 0) { // comparisons with NaN are false
			return qa.Usagef("budgets must be non-negative numbers (0 = unlimited)")
		}
	}
	return nil
}
