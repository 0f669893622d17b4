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
	for _, c := range candidate.Categories() {
		id := candidate.ID{Category: c, Index: 12}
		if got, err := candidate.ParseID(id.String()); got != id || err != nil {
			t.Errorf("%s parses as %v, %v", id, got, err)
		}
	}
	for _, bad := range []string{"", "12", "single-table", "single-table-", "single-table--1", "single-video-3", "single-table-3.5"} {
		if id, err := candidate.ParseID(bad); err == nil {
			t.Errorf("%q parses as %v", bad, id)
		}
	}
	if c := candidate.Category("comprehensive-formula"); c.Type() != "comprehensive" || c.Element() != "formula" {
		t.Errorf("%s: type %q, element %q", c, c.Type(), c.Element())
	}
	if c := candidate.Category(candidate.Retrieval); c.Type() != "retrieval" || c.Element() != "" {
		t.Errorf("%s: type %q, element %q", c, c.Type(), c.Element())
	}
}
