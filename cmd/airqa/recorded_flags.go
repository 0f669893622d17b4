package main

import (
	"maps"
	"path/filepath"
	"strconv"

	"airqa/env"
	"airqa/llm"
	"airqa/qa"
	"airqa/run/models"
	"airqa/runlog"
)

// recordedRepeats returns the number of repeats of a run, as the value of a flag.
func recordedRepeats(dir string) (any, error) {
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

// describedFlags are the flags that a model's description records in addition to its sampling.
type describedFlags struct {
	Reasoning     bool `json:"reasoning" name:"reasoning"`
	ContextWindow int  `json:"context_window" name:"context-window"`
}

// flagsOfRun are the flags that run.json records of a run.
func flagsOfRun(dir string, c runlog.Config, getenv func(string) string) map[string]any {
	flags := map[string]any{
		"questions": filepath.Join(dir, runlog.QuestionsFile), "baseline": c.Shape.Baseline, "model": runlog.SpecOf(c.Shape.Model),
		"data": c.Note.DataDir,
	}
	sampling, _ := c.Shape.Model["sampling"].(map[string]any)
	maps.Copy(flags, qa.FlagsOf(qa.Settings{}, c.Shape.Settings))
	maps.Copy(flags, qa.FlagsOf(qa.Sampling{}, sampling))
	maps.Copy(flags, qa.FlagsOf(describedFlags{}, c.Shape.Model))
	if embedder, _ := c.Shape.Settings["embedder"].(string); embedder != "" {
		flags["embedder"] = env.EmbedderName(embedder)
	}
	if llm.FromEnvironment(runlog.SpecOf(c.Shape.Model), getenv).BaseURL == "" && c.Note.BaseURL != "" {
		flags["base-url"] = c.Note.BaseURL
	}
	if p := c.Note.Price; p != nil {
		flags["price"] = models.PriceText(p)
	}
	return flags
}
