package extractor_test

import (
	"encoding/json"
	"strings"
	"testing"

	"airqa/extractor"
	"airqa/extractor/candidate"
	"airqa/qa"
)

// synthesis writes a ledger of four candidates of one category: two accepted, one rejected, one killed.
func synthesis(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	quotas := []candidate.Quota{{Category: "single-text", Count: 6, Most: 30}}
	if err := candidate.WriteSettings(dir, candidate.Settings{Quotas: quotas}, nil); err != nil {
		t.Fatal(err)
	}
	l, err := candidate.OpenLedger(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	usd := 0.5
	for i, outcome := range []candidate.Outcome{candidate.Accepted, candidate.Accepted, candidate.Rejected, ""} {
		line := candidate.Line{Candidate: candidate.ID{Category: "single-text", Index: i}.String(), Category: "single-text", Paper: "p"}
		explore := line
		explore.Stage, explore.Outcome, explore.Calls, explore.Usage, explore.USD = candidate.Explore, candidate.Done, []string{strings.Repeat("ab", 31) + "0" + string(rune('0'+i))}, qa.Usage{Prompt: 1000, Completion: 100}, &usd
		explore.Data = json.RawMessage(`{"question":"Why?"}`)
		lines := []candidate.Line{explore}
		if outcome != "" {
			line.Stage, line.Outcome = candidate.Accept, outcome
			if outcome == candidate.Rejected {
				line.Reason = candidate.NotSolved
			} else {
				line.Data = json.RawMessage(`{"uuid":"feedbeef-` + string(rune('0'+i)) + `"}`)
			}
			lines = append(lines, line)
		}
		if err := l.Add(lines...); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestYields(t *testing.T) {
	y, err := extractor.ReadYields(synthesis(t))
	if err != nil {
		t.Fatal(err)
	}
	if y.Candidates != 4 || y.Accepted != 2 || y.Rejected != 1 || y.Pending != 1 {
		t.Errorf("%+v", y.Tally)
	}
	explore := y.Stages[0]
	if explore.Stage != candidate.Explore || explore.Reached != 4 || explore.Passed != 4 || explore.Calls != 4 || *explore.USD != 2 {
		t.Errorf("explore: %+v", explore)
	}
	if *y.Spent.USD != 2 || y.Spent.Usage.Prompt != 4000 {
		t.Errorf("spent %+v", y.Spent)
	}
	for _, want := range []string{"not_solved 1", "4 candidates = 2 accepted + 1 rejected + 0 failed + 1 pending; 4 calls, 4400 tokens, $2.00"} {
		if !strings.Contains(y.Text(0), want) {
			t.Errorf("no %q in\n%s", want, y.Text(0))
		}
	}
}

func TestStory(t *testing.T) {
	dir := synthesis(t)
	for _, name := range []string{"single-text-1", "feedbeef-1"} {
		s, err := extractor.ReadStory(dir, name)
		if err != nil || s.Candidate != "single-text-1" || len(s.Stages) != 2 || s.Stages[0].Stage != candidate.Explore {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
		if !strings.Contains(s.Text(), `{"question":"Why?"}`) {
			t.Errorf("the story has no draft:\n%s", s.Text())
		}
	}
	for _, name := range []string{"single-text-9", "f", ""} {
		if s, err := extractor.ReadStory(dir, name); err == nil {
			t.Errorf("%q has a story: %+v", name, s)
		}
	}
}
