package main

import (
	"strings"
	"testing"

	"airqa/extractor"
	"airqa/extractor/candidate"
	"airqa/extractor/synthesis"
)

func TestSynthCheck(t *testing.T) {
	valid := synthMakeCmd{Questions: synthesis.Questions{Count: 10, Workers: 4, SolveAgain: 2}}
	tests := []struct {
		name   string
		change func(*synthMakeCmd)
		want   string // part of the error; empty if there is none
	}{
		{"valid", func(*synthMakeCmd) {}, ""},
		{"only a preview", func(f *synthMakeCmd) { f.Count, f.Preview = 0, 5 }, ""},
		{"no count", func(f *synthMakeCmd) { f.Count = 0 }, "--count N is required"},
		{"negative preview", func(f *synthMakeCmd) { f.Preview = -1 }, "must not be negative"},
		{"fewer candidates than rows", func(f *synthMakeCmd) { f.MaxCandidates = 9 }, "--max-candidates 9 is less than --count 10"},
		{"preview of a dry run", func(f *synthMakeCmd) { f.Preview, f.DryRun = 5, true }, "mutually exclusive"},
		{"no workers", func(f *synthMakeCmd) { f.Workers = 0 }, "-j and --solve-again"},
		{"no answers", func(f *synthMakeCmd) { f.SolveAgain = 0 }, "-j and --solve-again"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := valid
			tt.change(&f)
			err := f.check()
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("error %v, want %q", err, tt.want)
			case tt.want != "" && exitCode(err) != exitUsage:
				t.Errorf("exit code %d", exitCode(err))
			}
		})
	}
}

// Each end of a synthesis has its own exit code, and the error lists what is missing and why.
func TestSynthEnds(t *testing.T) {
	made := func(accepted int) extractor.Yields {
		return extractor.Yields{Categories: []extractor.CategoryYield{{
			Category: "single-table", Wanted: 3, Tally: candidate.Tally{Accepted: accepted}, Reasons: map[candidate.Reason]int{candidate.Duplicate: 2},
		}}}
	}
	failed := made(2)
	failed.Failed = 1
	short := []string{"single-table: 2 of 3 (duplicate 2)"}
	tests := []struct {
		name    string
		preview int
		ended   extractor.Summary
		code    int
		want    []string
	}{
		{"complete", 0, extractor.Summary{Yields: made(3)}, exitDone, nil},
		{"the candidates ran out", 0, extractor.Summary{Yields: made(2)}, exitShort, append(short, "Raise --max-candidates")},
		{"a budget", 0, extractor.Summary{Yields: made(2), Suspended: "budget reached", Stopped: true}, exitBudget, append(short, "raise the limit")},
		{"an outage", 0, extractor.Summary{Yields: made(2), Failure: "no answer", Stopped: true}, exitFailedExamples, append(short, "the first: no answer")},
		{"some failures", 0, extractor.Summary{Yields: failed, Failure: "no answer"}, exitFailedExamples, append(short, "1 candidate failed")},
		{"stopped by the user", 0, extractor.Summary{Yields: made(2), Stopped: true}, exitFailed, append(short, "the same command resumes")},
		{"a preview", 5, extractor.Summary{Yields: made(2)}, exitDone, nil},
		{"a stopped preview", 5, extractor.Summary{Yields: made(2), Suspended: "budget reached", Stopped: true}, exitBudget, short},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := synthEnd(synthMakeCmd{Questions: synthesis.Questions{Preview: tt.preview}}, tt.ended)
			if got := exitCode(err); got != tt.code {
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
