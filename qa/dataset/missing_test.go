package dataset_test

import (
	"reflect"
	"testing"

	"airqa/qa"
	"airqa/qa/dataset"
)

// Reference papers count like anchor papers, and a collection is missing if it has no paper.
func TestFindMissing(t *testing.T) {
	held := dataset.Held{Papers: map[string]bool{"a": true, "b": true}, Venues: map[string]bool{"acl2023": true, qa.Uncategorized: true}}
	examples := []qa.Example{
		{UUID: "all", AnchorPDF: []string{"a"}, ReferencePDF: []string{"b"}},
		{UUID: "anchor", AnchorPDF: []string{"a", "x"}},
		{UUID: "reference", AnchorPDF: []string{"a"}, ReferencePDF: []string{"x", "y"}},
		{UUID: "held", Conference: []string{"ACL2023"}},
		{UUID: "collection", Conference: []string{"acl2023", "iclr2024"}},
		{UUID: "both", AnchorPDF: []string{"z"}, Conference: []string{"iclr2024"}},
	}
	got := dataset.FindMissing(examples, held)
	want := dataset.Missing{
		Papers: []string{"x", "y", "z"}, Collections: []string{"iclr2024"},
		Named: []string{"anchor", "reference", "both"}, Searched: []string{"collection", "both"},
	}
	if !reflect.DeepEqual(got, want) || !got.Any() {
		t.Errorf("got %+v, want %+v", got, want)
	}
	kept := got.Without(examples)
	if len(kept) != 2 || kept[0].UUID != "all" || kept[1].UUID != "held" {
		t.Errorf("kept %+v", kept)
	}
	if none := dataset.FindMissing(kept, held); none.Any() {
		t.Errorf("none is missing, got %+v", none)
	}
}
