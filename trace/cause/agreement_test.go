package cause_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/qa/dataset"
	"airqa/trace/cause"
)

func TestAgreement(t *testing.T) {
	var r cause.Run
	decide := func(rule, person cause.Code) {
		r.Rows = append(r.Rows, cause.Row{Cause: cause.Cause{Code: rule}, Decided: person})
	}
	decide(cause.WrongGold, "")
	if got := r.Agreement(); got != "" {
		t.Errorf("without a decision: %s", got)
	}
	decide(cause.Repetition, cause.Repetition)
	if got, want := r.Agreement(), "rules and people agree on 1 of 1 causes (95% interval 21% to 100%)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	decide(cause.Repetition, cause.WrongGold)
	decide(cause.WrongGold, cause.WrongGold)
	decide(cause.Unknown, cause.Unknown)
	// Observed 3/4; by chance (2*1 + 1*2 + 1*1) / 16, so that kappa is 0.64.
	if got, want := r.Agreement(), "rules and people agree on 3 of 4 causes (95% interval 30% to 95%, Cohen's kappa 0.64)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A decision counts instead of the cause by the rules, also for a cause that no rule found.
func TestCounts(t *testing.T) {
	row := func(rule, person cause.Code, tags ...string) cause.Row {
		return cause.Row{Cause: cause.Cause{Code: rule}, Decided: person, Tags: tags}
	}
	r := cause.Run{Rows: []cause.Row{
		row(cause.WrongGold, cause.Repetition, "single"), row(cause.Repetition, "", "single"), row(cause.Repetition, "", "retrieval"),
		row(cause.Unknown, cause.WrongScorer, "multiple"), row(cause.OverConfidence, cause.OverConfidence),
	}}
	var got []string
	for _, n := range r.Counts() {
		if n.Total > 0 {
			got = append(got, fmt.Sprintf("%s %d, %d by people, %v", n.Code, n.Total, n.People, n.ByType))
		}
	}
	want := []string{
		"over_confidence 1, 1 by people, map[]", "repetition 3, 1 by people, map[retrieval:1 single:2]", "wrong_scorer 1, 1 by people, map[multiple:1]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A sample has at most N answers of each type, in their order. It is the same whatever else is wrong, and smaller samples
// are parts of larger ones.
func TestSampled(t *testing.T) {
	var r cause.Run
	for i := range 60 {
		tags := [][]string{{"single"}, {"multiple"}, {"retrieval", "objective"}, nil}[i%4]
		if i > 50 {
			tags = []string{"comprehensive"}
		}
		r.Rows = append(r.Rows, cause.Row{UUID: fmt.Sprintf("q%02d", i/2), Repeat: i % 2, Tags: tags})
	}
	draw := func(r cause.Run, n int, seed uint64) (names []string, types map[string]int) {
		types = make(map[string]int)
		for _, row := range r.Sampled(dataset.Sample{N: n, Seed: seed}).Rows {
			names = append(names, fmt.Sprint(row.UUID, "#", row.Repeat))
			types[strings.Join(row.Tags, " ")]++
			if row.Sample != fmt.Sprintf("%d:%d", n, seed) {
				t.Fatalf("%s is of the sample %q", row.UUID, row.Sample)
			}
		}
		return names, types
	}
	five, types := draw(r, 5, 1)
	if diff := cmp.Diff(map[string]int{"single": 5, "multiple": 5, "retrieval objective": 5, "": 5, "comprehensive": 5}, types); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if again, _ := draw(r, 5, 1); !slices.Equal(five, again) || !slices.IsSorted(five) {
		t.Errorf("drawn %v, then %v", five, again)
	}
	if other, _ := draw(r, 5, 2); slices.Equal(five, other) {
		t.Errorf("another seed draws the same: %v", other)
	}
	if eight, _ := draw(r, 8, 1); slices.ContainsFunc(five, func(name string) bool { return !slices.Contains(eight, name) }) {
		t.Errorf("5 of each: %v, 8 of each: %v", five, eight)
	}
	if all, _ := draw(r, 100, 1); len(all) != len(r.Rows) || r.Rows[0].Sample != "" {
		t.Errorf("%d of %d answers, and the run itself: %+v", len(all), len(r.Rows), r.Rows[0])
	}
	rest := cause.Run{Rows: slices.DeleteFunc(slices.Clone(r.Rows), func(row cause.Row) bool {
		return !slices.Contains(five, fmt.Sprint(row.UUID, "#", row.Repeat)) && row.UUID < "q20"
	})}
	if fewer, _ := draw(rest, 5, 1); !slices.Equal(five, fewer) {
		t.Errorf("of fewer answers: %v, want %v", fewer, five)
	}
}
