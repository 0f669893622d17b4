package extractor_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/extractor"
	"airqa/extractor/candidate"
)

func TestQuotas(t *testing.T) {
	types := map[string]int{}
	rows, most := 0, 0
	for _, q := range extractor.Quotas(candidate.Categories(), 1246, 0) {
		types[q.Category.Type()] += q.Count
		rows, most = rows+q.Count, most+q.Most
	}
	// The paper's Table 2.
	want := map[string]int{"single": 351, "multiple": 323, "retrieval": 288, "comprehensive": 284}
	for kind, n := range want {
		if d := types[kind] - n; d < -3 || d > 3 {
			t.Errorf("%d of 1246 rows are %s, want %d", types[kind], kind, n)
		}
	}
	if rows != 1246 || most < 5*1246 {
		t.Errorf("%d rows from %d candidates", rows, most)
	}
	got := extractor.Quotas([]candidate.Category{"single-text", "retrieval"}, 3, 4)
	if diff := cmp.Diff([]candidate.Quota{{Category: "single-text", Count: 2, Most: 3}, {Category: "retrieval", Count: 1, Most: 2}}, got); diff != "" {
		t.Errorf("quotas (-want +got):\n%s", diff)
	}
	if got := extractor.Quotas(candidate.Categories(), 1, 0); len(got) != 1 || got[0].Count != 1 {
		t.Errorf("one row: %v", got)
	}
}
