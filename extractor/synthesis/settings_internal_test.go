package synthesis

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/extractor/candidate"
)

// A changed seed or other papers make another synthesis; everything else changes stages.
func TestDifferences(t *testing.T) {
	old := candidate.Settings{
		Seed: 1, Data: "a", Gates: []string{"evidence"}, Model: map[string]any{"name": "m"},
		Stages: map[string]string{"track": "1", "explore": "1"}, Prompts: map[string]string{"synth_track": "1"},
	}
	tests := []struct {
		name          string
		change        func(*candidate.Settings)
		other, stages []string
	}{
		{"nothing", func(*candidate.Settings) {}, nil, nil},
		{"seed", func(c *candidate.Settings) { c.Seed = 2 }, []string{"seed: 1, now 2"}, nil},
		{"papers", func(c *candidate.Settings) { c.Data = "b" }, []string{"papers: a, now b"}, nil},
		{"tracker", func(c *candidate.Settings) { c.Tracker = map[string]any{"name": "n"} }, nil, []string{"the model of the tracker or its settings"}},
		{"model", func(c *candidate.Settings) { c.Model = map[string]any{"name": "n"} }, nil, []string{"the model or its settings"}},
		{"gates", func(c *candidate.Settings) { c.Gates = nil }, nil, []string{"gates: evidence, now "}},
		{"a prompt with its stage", func(c *candidate.Settings) {
			c.Stages, c.Prompts = map[string]string{"track": "2", "explore": "1"}, map[string]string{"synth_track": "2"}
		}, nil, []string{"stage track", "prompt synth_track"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			now := old
			tt.change(&now)
			other, stages := differences(old, now)
			if diff := cmp.Diff([][]string{tt.other, tt.stages}, [][]string{other, stages}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
