package offline_test

import (
	"testing"

	"airqa/internal/testkit/modeltest"
	"airqa/llm/offline"
	"airqa/qa"
)

func TestContract(t *testing.T) {
	modeltest.Run(t, modeltest.Config{New: func(*testing.T) qa.Model { return offline.New() }})
}
