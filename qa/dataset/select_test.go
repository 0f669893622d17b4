package dataset_test

import (
	"fmt"
	"strings"
	"testing"

	"airqa/qa"
	"airqa/qa/dataset"
)

func TestSelect(t *testing.T) {
	var list []qa.Example
	for i := range 10 {
		ex := qa.Example{UUID: fmt.Sprintf("%d%d-q", i%3, i), Tags: []string{"text"}}
		if i%2 == 0 {
			ex.Tags = append(ex.Tags, "table")
		}
		list = append(list, ex)
	}
	// The UUIDs are 00 11 22 03 14 25 06 17 28 09, each followed by "-q".
	tests := []struct {
		name, want, fails string
		s                 dataset.Selection
	}{
		{name: "all", want: "00 11 22 03 14 25 06 17 28 09"},
		{name: "first", s: dataset.Selection{Limit: "2"}, want: "00 11"},
		{name: "range", s: dataset.Selection{Limit: "2-4"}, want: "11 22 03"},
		{name: "range to the end", s: dataset.Selection{Limit: "9-"}, want: "28 09"},
		{name: "range past the end", s: dataset.Selection{Limit: "9-99"}, want: "28 09"},
		{name: "range behind the end", s: dataset.Selection{Limit: "11-12"}, fails: "only 10 questions"},
		{name: "no range", s: dataset.Selection{Limit: "a-b"}, fails: "want N"},
		{name: "range backwards", s: dataset.Selection{Limit: "4-2"}, fails: "want N"},
		{name: "range of nothing", s: dataset.Selection{Limit: "0"}, fails: "want N"},
		{name: "id", s: dataset.Selection{IDs: []string{"25-q", "03"}}, want: "03 25"},
		{name: "unknown id", s: dataset.Selection{IDs: []string{"99"}}, fails: `no question has the id "99"`},
		{name: "empty id", s: dataset.Selection{IDs: []string{""}}, fails: "no question"},
		{name: "ambiguous id", s: dataset.Selection{IDs: []string{"1"}}, fails: "matches 3 questions"},
		{name: "part of ids", s: dataset.Selection{Limit: "2-", IDs: []string{"03", "14", "25"}}, want: "14 25"},
		{name: "whole id", s: dataset.Selection{IDs: []string{"11-q"}}, want: "11"},
		{name: "tags", s: dataset.Selection{Tags: []string{"text", "table"}}, want: "00 22 14 06 28"},
		{name: "tag not", s: dataset.Selection{Tags: []string{"!table"}}, want: "11 03 25 17 09"},
		{name: "unknown tag", s: dataset.Selection{Tags: []string{"formula"}}, fails: "formula"},
		{name: "among", s: dataset.Selection{Among: map[string]bool{"09-q": true, "x": true}}, want: "09"},
		{name: "among none", s: dataset.Selection{Among: map[string]bool{}}, want: ""},
		{name: "limit", s: dataset.Selection{Tags: []string{"table"}, Limit: "2"}, want: "00 22"},
		{name: "sample of all", s: dataset.Selection{Sample: dataset.Sample{N: 10}}, want: "00 11 22 03 14 25 06 17 28 09"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.s.Select(list)
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("error %v, want %q", err, tt.fails)
				}
				return
			}
			if err != nil || ids(got) != tt.want {
				t.Errorf("picked %q (%v), want %q", ids(got), err, tt.want)
			}
		})
	}
}

func ids(list []qa.Example) string {
	var short []string
	for _, ex := range list {
		short = append(short, strings.TrimSuffix(ex.UUID, "-q"))
	}
	return strings.Join(short, " ")
}

// The sample depends only on the seed, keeps the order of the file, and has no duplicates.
func TestSample(t *testing.T) {
	list := make([]qa.Example, 200)
	for i := range list {
		list[i].UUID = fmt.Sprintf("%03d-q", i)
	}
	draw := func(seed uint64) string {
		got, err := dataset.Selection{Sample: dataset.Sample{N: 20, Seed: seed}}.Select(list)
		if err != nil || len(got) != 20 {
			t.Fatalf("%d questions, %v", len(got), err)
		}
		for i := 1; i < len(got); i++ {
			if got[i-1].UUID >= got[i].UUID {
				t.Fatalf("%s before %s", got[i-1].UUID, got[i].UUID)
			}
		}
		return ids(got)
	}
	if first, again := draw(1), draw(1); first != again || first == draw(2) {
		t.Error("a sample does not follow its seed")
	}
}
