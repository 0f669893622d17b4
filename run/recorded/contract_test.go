package recorded_test

import (
	"context"
	"path/filepath"
	"testing"

	"airqa/agent"
	"airqa/internal/testkit/modeltest"
	"airqa/qa"
	"airqa/run/recorded"
)

// checked runs the checks where a recording answers: inside its episode.
type checked struct {
	t      *testing.T
	source *recorded.Source
}

func (c checked) Solve(_ context.Context, _ qa.Example, setup agent.Setup) (qa.Trajectory, error) {
	modeltest.Run(c.t, modeltest.Config{
		Sequential: true,
		New:        func(*testing.T) qa.Model { return c.source },
		Request: func(int) qa.Request {
			r := modeltest.Question(0)
			r.UUID, r.Step = "u", 2 // after the look
			return r
		},
	})
	return agent.New(setup).Trajectory(), nil
}

func TestContract(t *testing.T) {
	old := filepath.Join(t.TempDir(), "old")
	if _, err := start(t, t.Context(), old, inner{&endpoint{said: []said{{reply: "Answer"}}}, &world{}, "s"}); err != nil {
		t.Fatal(err)
	}
	source, err := recorded.Open(recorded.Config{Dir: old, Loose: true})
	if err != nil {
		t.Fatal(err)
	}
	again := filepath.Join(t.TempDir(), "again")
	if _, err := start(t, t.Context(), again, recorded.Solver{Inner: checked{t, source}, Source: source}); err != nil {
		t.Fatal(err)
	}
}
