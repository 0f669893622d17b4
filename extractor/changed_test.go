package extractor_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/extractor"
	"airqa/extractor/candidate"
	"airqa/extractor/gate"
	"airqa/internal/testkit"
	"airqa/qa"
)

// A changed parser or gate is computed again from the kept replies, without a call.
func TestChangedCodeCostsNoCall(t *testing.T) {
	testkit.OneGoroutine(t)
	b := newBench(t)
	b.model.bad = 20
	b.must(all(16))
	questions, calls := b.file(candidate.QuestionsFile), b.model.calls.Load()
	for _, stage := range []string{"explore:single-text", candidate.Track, candidate.GateStage(gate.Located), candidate.GateStage(gate.SolvedAgain)} {
		lines := strings.Count(b.file(candidate.LedgerFile), "\n")
		b.touched = append(b.touched, stage)
		accounted(t, b, b.must(all(16)))
		if n := b.model.calls.Load() - calls; n != 0 {
			t.Errorf("changed %s: %d calls", stage, n)
		}
		if strings.Count(b.file(candidate.LedgerFile), "\n") == lines {
			t.Errorf("changed %s: nothing was computed again", stage)
		}
		if diff := cmp.Diff(questions, b.file(candidate.QuestionsFile)); diff != "" {
			t.Errorf("changed %s: questions (-before +after):\n%s", stage, diff)
		}
	}
}

// A stricter gate rejects rows without a call for those that it still accepts.
func TestChangedGateRejects(t *testing.T) {
	b := newBench(t)
	none := func(c *extractor.Config) { c.Gates = nil }
	b.change = none
	b.must(all(12))
	explored := b.model.explored.Load()
	b.change = nil
	ended := b.must(all(12))
	accounted(t, b, ended)
	if extra := b.model.explored.Load() - explored; int(extra) > 3*ended.Rejected {
		t.Errorf("%d calls of the explorer for %d rejected candidates", extra, ended.Rejected)
	}
}

// rewritten changes the requests to the tracker, as another prompt does.
type rewritten struct{ qa.Model }

func (m rewritten) Complete(ctx context.Context, r qa.Request) (qa.Reply, error) {
	if strings.HasPrefix(r.Messages[0].Text, "You turn") {
		r.Messages = []qa.Message{{Role: qa.User, Text: strings.Replace(r.Messages[0].Text, "First think aloud.", "Think aloud first.", 1)}}
	}
	return m.Model.Complete(ctx, r)
}

// A changed prompt of the tracker asks the tracker again, and the explorer not at all.
func TestChangedTrackerPrompt(t *testing.T) {
	b := newBench(t)
	b.must(all(16))
	explored, tracked, questions := b.model.explored.Load(), b.model.tracked.Load(), b.file(candidate.QuestionsFile)
	b.touched = []string{candidate.Track}
	b.change = func(c *extractor.Config) { c.Tracker.Endpoint = rewritten{c.Tracker.Endpoint} }
	ended := b.must(all(16))
	if n := b.model.explored.Load() - explored; n != 0 {
		t.Errorf("%d calls of the explorer", n)
	}
	if n := b.model.tracked.Load() - tracked; n == 0 {
		t.Error("the tracker was not asked again")
	}
	if diff := cmp.Diff(questions, b.file(candidate.QuestionsFile)); diff != "" {
		t.Errorf("questions (-before +after):\n%s", diff)
	}
	accounted(t, b, ended)
}
