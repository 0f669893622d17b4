package candidate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/extractor/candidate"
)

func TestParseCategories(t *testing.T) {
	tests := []struct {
		name  string
		given []string
		want  []candidate.Category
	}{
		{"one", []string{"single-table"}, []candidate.Category{"single-table"}},
		{"a type", []string{" Multiple ", "retrieval"}, []candidate.Category{"retrieval", "multiple"}},
		{"twice", []string{"comprehensive-text", "single-text", "single-text"}, []candidate.Category{"single-text", "comprehensive-text"}},
		{"a type and one of its categories", []string{"single", "single-image"}, []candidate.Category{
			"single-text", "single-sections", "single-table", "single-image", "single-formula", "single-metadata",
		}},
		{"unknown", []string{"single-video"}, nil},
		{"an element alone", []string{"table"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := candidate.ParseCategories(tt.given)
			if diff := cmp.Diff(tt.want, got); diff != "" || (err != nil) != (tt.want == nil) {
				t.Errorf("%v; categories (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestID(t *testing.T) {
	if got := (candidate.ID{Category: "single-table", Index: 12}).String(); got != "single-table-12" {
		t.Errorf("the name is %s", got)
	}
	if c := candidate.Category("comprehensive-formula"); c.Type() != "comprehensive" || c.Element() != "formula" {
		t.Errorf("%s: type %q, element %q", c, c.Type(), c.Element())
	}
	if c := candidate.Category(candidate.Retrieval); c.Type() != "retrieval" || c.Element() != "" {
		t.Errorf("%s: type %q, element %q", c, c.Type(), c.Element())
	}
}
