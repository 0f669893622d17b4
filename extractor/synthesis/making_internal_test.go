package synthesis

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/extractor"
	"airqa/extractor/candidate"
	"airqa/internal/exit"
)

func TestCheck(t *testing.T) {
	valid := Making{Count: 10, Workers: 4, SolveAgain: 2}
	tests := []struct {
		name   string
		change func(*Making)
		want   string // part of the error; empty if there is none
	}{
		{"valid", func(*Making) {}, ""},
		{"only a preview", func(f *Making) { f.Count, f.Preview = 0, 5 }, ""},
		{"no count", func(f *Making) { f.Count = 0 }, "--count N is required"},
		{"negative preview", func(f *Making) { f.Preview = -1 }, "must not be negative"},
		{"fewer candidates than rows", func(f *Making) { f.MaxCandidates = 9 }, "--max-candidates 9 is less than --count 10"},
		{"preview and estimate", func(f *Making) { f.Preview, f.Estimate = 5, true }, "mutually exclusive"},
		{"no workers", func(f *Making) { f.Workers = 0 }, "-j and --solve-again"},
		{"no answers", func(f *Making) { f.SolveAgain = 0 }, "-j and --solve-again"},
		{"negative budget", func(f *Making) { f.BudgetUSD = -1 }, "budget"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := valid
			tt.change(&f)
			err := f.Check()
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("error %v, want %q", err, tt.want)
			case tt.want != "" && exit.Code(err) != exit.Usage:
				t.Errorf("exit code %d", exit.Code(err))
			}
		})
	}
}

// Each end of a synthesis has its own exit code, and the error lists what is missing and why.
func TestEnds(t *testing.T) {
	category := func(accepted int) []extractor.Category {
		return []extractor.Category{{
			Quota: candidate.Quota{Category: "single-table", Count: 3}, Accepted: accepted, Reasons: map[candidate.Reason]int{candidate.Duplicate: 2},
		}}
	}
	short := []string{"single-table: 2 of 3 (duplicate 2)"}
	tests := []struct {
		name    string
		preview int
		ended   extractor.Summary
		code    int
		want    []string
	}{
		{"complete", 0, extractor.Summary{Categories: category(3)}, exit.Done, nil},
		{"the candidates ran out", 0, extractor.Summary{Categories: category(2)}, exit.Short, append(short, "Raise --max-candidates")},
		{"a budget", 0, extractor.Summary{Categories: category(2), Suspended: "budget reached", Stopped: true}, exit.Budget, append(short, "raise the limit")},
		{"an outage", 0, extractor.Summary{Categories: category(2), Failure: "no answer", Stopped: true}, exit.FailedExamples, append(short, "the first: no answer")},
		{"some failures", 0, extractor.Summary{Tally: candidate.Tally{Failed: 1}, Categories: category(2), Failure: "no answer"}, exit.FailedExamples, append(short, "1 candidate failed")},
		{"stopped by the user", 0, extractor.Summary{Categories: category(2), Stopped: true}, exit.Failed, append(short, "the same command resumes")},
		{"a preview", 5, extractor.Summary{Categories: category(2)}, exit.Done, nil},
		{"a stopped preview", 5, extractor.Summary{Categories: category(2), Suspended: "budget reached", Stopped: true}, exit.Budget, short},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := making{Making: Making{Preview: tt.preview}}
			err := m.ended(tt.ended)
			if got := exit.Code(err); got != tt.code {
				t.Errorf("exit code %d, want %d: %v", got, tt.code, err)
			}
			for _, want := range tt.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("no %q in %v", want, err)
				}
			}
		})
	}
}

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
