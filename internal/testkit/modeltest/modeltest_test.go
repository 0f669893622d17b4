package modeltest_test

import (
	"testing"

	"airqa/internal/testkit/modeltest"
	"airqa/qa"
)

func TestDouble(t *testing.T) {
	modeltest.Run(t, modeltest.Around(func(_ *testing.T, inner qa.Model) qa.Model { return inner }))
}
