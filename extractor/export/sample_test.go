package export_test

import (
	"fmt"
	"strings"
	"testing"

	"airqa/extractor/export"
	"airqa/extractor/recordtest"
	"airqa/internal/progress"
)

// An export without a limit warns of the rows that llamafactory.yaml would have the trainer cut.
func TestLongRowsAreReported(t *testing.T) {
	made := recordtest.Make(t, recordtest.Config{
		Dir: recordtest.Dir(t, "run"), Baseline: "agentic-hybrid", Seed: 5, Repeats: 6, Scored: true, Text: strings.Repeat("many words of a paper ≥ ", 200),
	})
	var warnings []string
	c := export.Config{Runs: []string{made.Run.Dir}, Notify: func(n progress.Notice) { warnings = append(warnings, n.String()) }}
	c.Tokenizer = tokenizer
	rows := rowsByID(t, write(t, c))
	long := 0
	for _, row := range rows {
		if !measure(t, row, 4096).Whole() {
			long++
		}
	}
	want := fmt.Sprintf("warning: %d of %d rows have more than 4096 tokens, ", long, len(rows))
	if long == 0 || len(warnings) != 1 || !strings.HasPrefix(warnings[0], want) {
		t.Errorf("warnings %q, want %q", warnings, want)
	}
	for name, quiet := range map[string]export.Config{
		"a limit":                     {Rules: export.Rules{Limit: export.Limit{CutoffLen: 4096, Template: "qwen"}}},
		"a format without the config": {Format: export.OpenAI},
	} {
		warnings = nil
		quiet.Runs, quiet.Notify = c.Runs, c.Notify
		if write(t, quiet); len(warnings) > 0 {
			t.Errorf("%s: warnings %q", name, warnings)
		}
	}
}
