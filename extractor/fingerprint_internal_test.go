package extractor

import (
	"encoding/json"
	"testing"

	"airqa/internal/testkit/golden"
	"airqa/run/models"
)

var test = models.Model{Described: map[string]any{"provider": "test"}}

// The recipes of all stages are those of the golden file. A difference means that existing syntheses redo these stages:
// raise the version of the stage if its code gives other results, and rewrite the file with -update.
func TestRecipes(t *testing.T) {
	list, err := recipes(Config{Model: test, Tracker: test, Attempts: DefaultAttempts, Solve: 2, Images: true})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.MarshalIndent(list, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "recipes.json", string(raw)+"\n")
}

// Each field of a recipe counts in the fingerprint.
func TestFingerprints(t *testing.T) {
	base := Config{Model: test, Tracker: test, Attempts: 3, Solve: 2}
	changes := map[string]struct {
		change func(*Config)
		stages []string
	}{
		"model":    {func(c *Config) { c.Model.Described = map[string]any{"provider": "other"} }, []string{"explore:retrieval", "gate:closed_book", "gate:evaluator"}},
		"tracker":  {func(c *Config) { c.Tracker.Described = map[string]any{"provider": "other"} }, []string{"track"}},
		"attempts": {func(c *Config) { c.Attempts = 1 }, []string{"explore:single-text", "track"}},
		"answers":  {func(c *Config) { c.Solve = 5 }, []string{"gate:solved_again"}},
		"images":   {func(c *Config) { c.Images = true }, []string{"explore:single-image", "gate:solved_again"}},
	}
	before, _, err := Fingerprints(base)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range changes {
		c := base
		tt.change(&c)
		after, _, err := Fingerprints(c)
		if err != nil {
			t.Fatal(err)
		}
		for _, stage := range tt.stages {
			if before[stage] == after[stage] {
				t.Errorf("%s: stage %s keeps its fingerprint", name, stage)
			}
		}
		for _, stage := range []string{"gate:self_contained", "gate:evidence", "gate:unique", "gate:duplicate"} {
			if before[stage] != after[stage] {
				t.Errorf("%s: stage %s, which calls no model, has another fingerprint", name, stage)
			}
		}
	}
}
