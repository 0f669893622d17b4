package session

import (
	"maps"
	"path/filepath"
	"strconv"

	"airqa/env"
	"airqa/llm"
	"airqa/qa"
	"airqa/runlog"
)

// RecordedRepeats returns the number of repeats of a run, as the value of a flag.
func RecordedRepeats(dir string) (any, error) {
	r, err := runlog.Open(dir)
	if err != nil {
		return nil, err
	}
	most := 0
	for _, id := range r.UUIDs() {
		_, repeat := qa.SplitEpisodeID(id)
		most = max(most, repeat)
	}
	return strconv.Itoa(most + 1), nil
}

// described are the flags that a model's description records in addition to its sampling.
type described struct {
	Reasoning     bool `json:"reasoning" name:"reasoning"`
	ContextWindow int  `json:"context_window" name:"context-window"`
}

// RecordedFlags are the flags that run.json records of a run.
func RecordedFlags(dir string, c runlog.Config, getenv func(string) string) map[string]any {
	flags := map[string]any{
		"questions": filepath.Join(dir, runlog.QuestionsFile), "baseline": c.Shape.Baseline, "model": runlog.SpecOf(c.Shape.Model),
		"data": c.Note.DataDir,
	}
	sampling, _ := c.Shape.Model["sampling"].(map[string]any)
	maps.Copy(flags, qa.FlagsOf(qa.Settings{}, c.Shape.Settings))
	maps.Copy(flags, qa.FlagsOf(qa.Sampling{}, sampling))
	maps.Copy(flags, qa.FlagsOf(described{}, c.Shape.Model))
	if embedder, _ := c.Shape.Settings["embedder"].(string); embedder != "" {
		flags["embedder"] = env.EmbedderName(embedder)
	}
	if llm.FromEnvironment(runlog.SpecOf(c.Shape.Model), getenv).BaseURL == "" && c.Note.BaseURL != "" {
		flags["base-url"] = c.Note.BaseURL
	}
	if p := c.Note.Price; p != nil {
		flags["price"] = PriceText(p)
	}
	return flags
}
