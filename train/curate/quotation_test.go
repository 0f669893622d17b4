package curate_test

import (
	"fmt"
	"testing"

	"airqa/qa"
	"airqa/train/curate"
)

// A sentence of the benchmark that many of our questions contain is still a leak if it is long: its phrases are common among
// ours because they were copied. A short one may be a phrase of ours that the benchmark happens to have.
func TestQuotedByMany(t *testing.T) {
	const long = "heron egret bittern stork ibis crane spoonbill flamingo pelican cormorant grebe moorhen coot rail"
	const short = "heron egret bittern stork ibis crane spoonbill flamingo pelican"
	for _, tt := range []struct {
		quoted string
		want   int
	}{{long, 6}, {short, 0}} {
		l := curate.NewLeaks(curate.SameQuestion)
		l.Add(qa.Example{UUID: "benchmark", Question: tt.quoted + " of which lake?"})
		var ours []qa.Example
		for i := range 6 {
			ours = append(ours, qa.Example{UUID: fmt.Sprint(i), Question: fmt.Sprintf("w%d x%d y%d z%d %s a%d b%d?", i, i, i, i, tt.quoted, i, i)})
		}
		if found := l.Find(ours); len(found) != tt.want {
			t.Errorf("%q: %d leaks, want %d: %v", tt.quoted, len(found), tt.want, found)
		}
	}
}
