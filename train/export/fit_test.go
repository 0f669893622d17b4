package export_test

import (
	"fmt"
	"strings"
	"testing"

	"airqa/internal/terminal"
	"airqa/internal/testkit/recordtest"
	"airqa/qa"
	"airqa/train"
	"airqa/train/export"
	"airqa/train/format"
	"airqa/train/preflight"
)

const tokenizer = "../../internal/bpe/testdata/qwen2.json"

// Every row of a fitted export is whole, and what was shortened says so. The others are as before.
func TestFit(t *testing.T) {
	made := recordtest.Make(t, recordtest.Config{
		Dir: recordtest.Dir(t, "run"), Baseline: "agentic-hybrid", Seed: 5, Repeats: 6, Scored: true, Text: strings.Repeat("many words of a paper ≥ ", 200),
	})
	c := export.Config{Runs: []string{made.Run.Dir}}
	whole := rowsByID(t, write(t, c))
	longest, shortest := 0, 1<<20
	for _, row := range whole {
		n := measure(t, row, tokenizer)
		longest, shortest = max(longest, n), min(shortest, n)
	}
	limit := (2*shortest + longest) / 3
	c.Limit = export.Limit{Length: preflight.Length{CutoffLen: limit, Template: "qwen", Tokenizer: tokenizer}}
	broken := 0
	for _, row := range rowsByID(t, write(t, c)) {
		if measure(t, row, tokenizer) > limit {
			broken++
		}
	}
	c.Fit = true
	fitted := rowsByID(t, write(t, c))
	shortened := 0
	for id, row := range fitted {
		size := measure(t, row, tokenizer)
		if size > limit {
			t.Errorf("%s: %d tokens", id, size)
		}
		if n := strings.Count(text1(row), "bytes left out]"); n > 0 {
			shortened++
			if size < limit*9/10 {
				t.Errorf("%s: %d tokens of %d: too much is left out", id, size, limit)
			}
		} else if text1(row) != text1(whole[id]) {
			t.Errorf("%s: changed without a mark", id)
		}
		last := len(row.Conversations) - 1
		if row.System != whole[id].System || row.Conversations[0] != whole[id].Conversations[0] || row.Conversations[last] != whole[id].Conversations[last] {
			t.Errorf("%s: something else than an observation was changed", id)
		}
	}
	if broken == 0 || shortened != broken || len(fitted) != len(whole) {
		t.Errorf("%d of %d rows are too long, %d shortened, %d exported", broken, len(whole), shortened, len(fitted))
	}
}

// Rows that cannot fit are left out, and so are rows with images that would be cut.
func TestTooLong(t *testing.T) {
	made := recordtest.Make(t, recordtest.Config{Dir: recordtest.Dir(t, "run"), Baseline: "agentic-hybrid-view", Seed: 2, Repeats: 8, Scored: true})
	all := rowsByID(t, write(t, export.Config{Runs: []string{made.Run.Dir}}))
	c := export.Config{Runs: []string{made.Run.Dir}, Format: export.ShareGPT, Rules: export.Rules{Limit: export.Limit{Length: preflight.Length{CutoffLen: 100, Template: "qwen2_vl", Tokenizer: tokenizer}}}}
	out := write(t, c)
	images, cut := 0, 0
	for _, row := range all {
		if len(row.Images) > 0 {
			images++
		}
	}
	for _, d := range linesOf[train.Drop](t, out, export.DroppedFile) {
		if d.Reason == export.CutImage {
			cut++
		}
	}
	if images == 0 || cut != images || len(rowsByID(t, out)) != len(all)-images {
		t.Errorf("%d rows with images, %d left out, %d of %d rows exported", images, cut, len(rowsByID(t, out)), len(all))
	}
	c.Fit, c.Out = true, recordtest.Dir(t, "out")
	if _, err := export.Write(c); err == nil || !strings.Contains(err.Error(), "too_long") {
		t.Errorf("error %v", err)
	}
	c.Fit, c.Template = false, "qwen"
	if _, err := export.Write(c); err != nil {
		t.Fatal(err)
	}
	refused := 0
	for _, d := range linesOf[train.Drop](t, c.Out, export.DroppedFile) {
		if d.Reason == export.Refused && strings.Contains(d.Detail, "image") {
			refused++
		}
	}
	if refused != images {
		t.Errorf("%d rows with images, %d refused by a template without images", images, refused)
	}
}

type shareGPTRow struct {
	ID            string
	System        string
	Conversations []struct{ From, Value string }
	Images        []string
}

func text1(row shareGPTRow) string {
	var b strings.Builder
	for _, m := range row.Conversations {
		b.WriteString(m.From + ": " + m.Value + "\n")
	}
	return b.String()
}

func rowsByID(t *testing.T, out string) map[string]shareGPTRow {
	t.Helper()
	rows := make(map[string]shareGPTRow)
	for _, row := range linesOf[shareGPTRow](t, out, "data", "train.jsonl") {
		rows[row.ID] = row
	}
	return rows
}

// measure returns the tokens of a row as it is in the file, counted with a tokenizer or estimated.
func measure(t *testing.T, row shareGPTRow, tokenizer string) int {
	t.Helper()
	counter, err := preflight.New(preflight.Length{Tokenizer: tokenizer})
	if err != nil {
		t.Fatal(err)
	}
	size, err := counter.Measure(conversation(row))
	if err != nil {
		t.Fatal(err)
	}
	return size.Tokens
}

func conversation(row shareGPTRow) format.Conversation {
	c := format.Conversation{Messages: []format.Message{{Role: qa.System, Parts: []format.Part{{Text: row.System}}}}}
	for _, m := range row.Conversations {
		role := map[string]qa.Role{"human": qa.User, "gpt": qa.Assistant}[m.From]
		c.Messages = append(c.Messages, format.Message{Role: role, Parts: []format.Part{{Text: m.Value}}})
	}
	return c
}

// Rows beyond the limit that are not shortened are reported, for every trainer.
func TestLongRowsAreReported(t *testing.T) {
	made := longRun(t)
	whole := rowsByID(t, write(t, export.Config{Runs: []string{made.Run.Dir}}))
	long := 0
	for _, row := range whole {
		if measure(t, row, tokenizer) > 4096 {
			long++
		}
	}
	for _, f := range formats {
		var warnings []string
		c := export.Config{Runs: []string{made.Run.Dir}, Format: f, Notify: func(n terminal.Notice) { warnings = append(warnings, n.String()) }}
		c.Limit = export.Limit{Length: preflight.Length{CutoffLen: 4096, Tokenizer: tokenizer}}
		write(t, c)
		want := fmt.Sprintf("warning: %d of %d rows have more than 4096 tokens: ", long, len(whole))
		if long == 0 || len(warnings) != 1 || !strings.HasPrefix(warnings[0], want) {
			t.Errorf("%s: warnings %q, want %q", f, warnings, want)
		}
	}
}

// Rows that are fitted by the estimate have no more tokens than the limit with a real tokenizer.
func TestFitByEstimate(t *testing.T) {
	made := longRun(t)
	whole := rowsByID(t, write(t, export.Config{Runs: []string{made.Run.Dir}}))
	out := write(t, export.Config{Runs: []string{made.Run.Dir}, Rules: export.Rules{Limit: export.Limit{Length: preflight.Length{CutoffLen: 4096}, Fit: true}}})
	fitted, shortened := rowsByID(t, out), 0
	for id, row := range fitted {
		if n := measure(t, row, ""); n > 4096 {
			t.Errorf("%s: %d tokens", id, n)
		}
		if text1(row) != text1(whole[id]) {
			shortened++
		}
	}
	if shortened == 0 || len(fitted) != len(whole) {
		t.Errorf("%d of %d rows, %d shortened", len(fitted), len(whole), shortened)
	}
}

// longRun is a run with observations of many words and numbers.
func longRun(t *testing.T) recordtest.Made {
	t.Helper()
	return recordtest.Make(t, recordtest.Config{
		Dir: recordtest.Dir(t, "run"), Baseline: "agentic-hybrid", Seed: 5, Repeats: 6, Scored: true,
		Text: strings.Repeat("many words of a paper ≥ 72.94 | 1024 | 0.0381 ", 150),
	})
}
