package evidence_test

import (
	"fmt"
	"testing"

	"airqa/trace/evidence"
)

// An area that only touches the box of the evidence, (50, 100) to (250, 180), does not show it.
func TestAreasThatTouch(t *testing.T) {
	for _, tt := range []struct {
		box  [4]float64
		want evidence.Level
	}{
		{[4]float64{250, 100, 40, 80}, evidence.Hits},
		{[4]float64{10, 100, 40, 80}, evidence.Hits},
		{[4]float64{50, 180, 200, 40}, evidence.Hits},
		{[4]float64{50, 60, 200, 40}, evidence.Hits},
		{[4]float64{249, 100, 40, 80}, evidence.Answer},
		{[4]float64{11, 100, 40, 80}, evidence.Answer},
		{[4]float64{50, 179, 200, 40}, evidence.Answer},
		{[4]float64{50, 61, 200, 40}, evidence.Answer},
	} {
		t.Run(fmt.Sprint(tt.box), func(t *testing.T) {
			got := evidence.Locate(atTable, episode(5, view(heron, 3, tt.box[:]...)))
			if got.Level != tt.want {
				t.Errorf("got %q: %s, want %q", got.Level, got.Why, tt.want)
			}
		})
	}
}

// A question with several pieces of evidence is lost where the first of them is lost. A piece without a paper does not count.
func TestPieces(t *testing.T) {
	two := located(`[{"paper": "` + heron + `", "page": 3}, {"paper": "` + egret + `", "page": 5}]`)
	unnamed := located(`[{"page": 9}, {"paper": "` + heron + `", "page": 3}]`)
	first, second := find(heron, []int{3}, 0, "x"), find(egret, []int{5}, 0, "y")
	if got := evidence.Locate(two, episode(5, first, second)); got.Level != evidence.Answer {
		t.Errorf("both found: %q: %s", got.Level, got.Why)
	}
	if got := evidence.Locate(two, episode(5, first)); got.Level != evidence.Hits {
		t.Errorf("one found: %q: %s", got.Level, got.Why)
	}
	if got := evidence.Locate(two, episode(5, second)); got.Level != evidence.Hits {
		t.Errorf("the other found: %q: %s", got.Level, got.Why)
	}
	if got := evidence.Locate(two, episode(1, first, second)); got.Level != evidence.Window {
		t.Errorf("one left the window: %q: %s", got.Level, got.Why)
	}
	if got := evidence.Locate(unnamed, episode(5, first)); got.Level != evidence.Answer || got.Weak {
		t.Errorf("a piece without a paper: %q (weak %v): %s", got.Level, got.Weak, got.Why)
	}
}
