package budget_test

import (
	"testing"

	"airqa/internal/testkit/modeltest"
	"airqa/qa"
	"airqa/run/budget"
)

func TestContract(t *testing.T) {
	modeltest.Run(t, modeltest.Around(func(t *testing.T, inner qa.Model) qa.Model {
		account := budget.NewAccount(budget.Limits{Tokens: 100_000}, budget.Spent{}, nil)
		return newMeter(t, budget.Config{Account: account, Forecast: forecast, Price: price, Model: inner})
	}))
}
