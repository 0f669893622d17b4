package cause_test

import (
	"encoding/json"
	"testing"

	"airqa/qa"
	"airqa/runlog"
	"airqa/trace/cause"
)

// episode is one search and an answer to a question about herons.
func wrongEpisode(kwargs, answer string) cause.Episode {
	const passage = `{"text": "In spring the grey herons nest at Loch Ard. They feed in winter.", "pdf_id": "p", "page_number": 1}`
	return cause.Episode{
		Example: qa.Example{
			UUID: "u", Question: "Where do the grey herons nest in spring?",
			Evaluator: qa.Evaluator{Func: "eval_string_exact_match", Kwargs: json.RawMessage(kwargs)},
		},
		Recorded: runlog.Recorded{Trajectory: qa.Trajectory{
			Outcome: qa.Answered, Answer: qa.Answer{Given: true, Text: answer},
			Steps: []qa.Step{{
				N: 1, By: qa.ByModel, Reply: &qa.Reply{Text: "r"}, Action: &qa.Action{Name: "Retrieve", Text: "Retrieve(query='herons')"},
				Observation: &qa.Observation{Status: qa.StatusOK, Text: passage},
			}},
		}},
		Score: &qa.Score{Verdict: qa.Wrong},
		Loss:  cause.Loss{Level: cause.LevelHits},
	}
}

// Rules that the fixtures do not have.
func TestRules(t *testing.T) {
	const ness = `{"gold": "Loch Ness"}`
	peers := []cause.Peer{
		{Answer: qa.Answer{Given: true, Text: "the moor"}, Verdict: qa.Wrong},
		{Answer: qa.Answer{Given: true, Text: "The  moor"}, Verdict: qa.Wrong},
	}
	tests := []struct {
		name   string
		change func(e *cause.Episode)
		code   cause.Code
		rule   string
	}{
		{"right", func(e *cause.Episode) { e.Score.Verdict = qa.Right }, "", ""},
		{"unscored", func(e *cause.Episode) { e.Score.Verdict = qa.Unscored }, "", ""},
		{"not scored", func(e *cause.Episode) { e.Score = nil }, "", ""},
		{"failed", func(e *cause.Episode) { e.Outcome = qa.EndpointError }, "", ""},
		{"only the form is wrong", func(e *cause.Episode) { e.Score.FormatOnly = true }, cause.WrongScorer, "format"},
		{"no gold", func(e *cause.Episode) { e.Evaluator.Kwargs = json.RawMessage(`{}`) }, cause.WrongGold, "gold-fails"},
		{"peers agree", func(e *cause.Episode) { e.Peers = peers }, cause.WrongGold, "peers-agree"},
		{"one peer is right", func(e *cause.Episode) { e.Peers = append(peers, cause.Peer{Verdict: qa.Right}) }, cause.OverConfidence, "early"},
		{"the paper is not there", func(e *cause.Episode) { e.Loss.Level = cause.LevelDB }, cause.MissingPaper, "paper-not-there"},
		{"the paper was not searched, and the agent repeats itself", func(e *cause.Episode) {
			e.Loss.Level, e.Steps = cause.LevelScope, append(e.Steps, e.Steps[0], e.Steps[0])
		}, cause.OutsideScope, "outside-scope"},
		{"nothing to look for, a passage in view", func(e *cause.Episode) {
			e.Loss.Level, e.Steps = cause.LevelUnknown, append(e.Steps, e.Steps[0], e.Steps[0])
			e.Steps[1].Action, e.Steps[2].Action = &qa.Action{Name: "Retrieve", Text: "a"}, &qa.Action{Name: "Retrieve", Text: "b"}
		}, cause.TextualReasoning, "in-view"},
		{"nothing at all", func(e *cause.Episode) { e.Loss.Level, e.Answer, e.Steps = cause.LevelUnknown, qa.Answer{}, nil }, cause.Unknown, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := wrongEpisode(ness, "the moor")
			tt.change(&e)
			if got := new(cause.Finder).Of(t.Context(), e); got.Code != tt.code || got.Rule != tt.rule {
				t.Errorf("got %s by rule %q (%s), want %s by %q", got.Code, got.Rule, got.Why, tt.code, tt.rule)
			}
		})
	}
}
