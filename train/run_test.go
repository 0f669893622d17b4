package train_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/testkit/recordtest"
	"airqa/qa"
	"airqa/runlog"
)

// The tools of a row are in the order of the requests that the run recorded, whatever the order of today's list.
func TestOrderOfTools(t *testing.T) {
	c := recordtest.Config{Dir: recordtest.Dir(t, "run"), Baseline: "agentic-hybrid", Settings: qa.DefaultSettings(), Questions: 1}
	want := []string{"Answer", "Query", "Retrieve"}
	c.Settings.Protocol = qa.NativeTools
	c.Note = runlog.Note{Tools: want}
	var got []string
	for _, spec := range open(t, recordtest.Make(t, c).Run).Tools {
		got = append(got, spec.Name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
}
