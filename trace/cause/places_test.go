package cause_test

import (
	"fmt"
	"testing"

	"airqa/trace/cause"
)

// An area that only touches the box of the evidence, (50, 100) to (250, 180), does not show it.
func TestAreasThatTouch(t *testing.T) {
	for _, tt := range []struct {
		box  [4]float64
		want cause.Level
	}{
		{[4]float64{250, 100, 40, 80}, cause.LevelHits},
		{[4]float64{10, 100, 40, 80}, cause.LevelHits},
		{[4]float64{50, 180, 200, 40}, cause.LevelHits},
		{[4]float64{50, 60, 200, 40}, cause.LevelHits},
		{[4]float64{249, 100, 40, 80}, cause.LevelAnswer},
		{[4]float64{11, 100, 40, 80}, cause.LevelAnswer},
		{[4]float64{50, 179, 200, 40}, cause.LevelAnswer},
		{[4]float64{50, 61, 200, 40}, cause.LevelAnswer},
	} {
		t.Run(fmt.Sprint(tt.box), func(t *testing.T) {
			got := new(cause.Finder).Evidence(atTable, episode(5, view(heron, 3, tt.box[:]...)))
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
	if got := new(cause.Finder).Evidence(two, episode(5, first, second)); got.Level != cause.LevelAnswer {
		t.Errorf("both found: %q: %s", got.Level, got.Why)
	}
	if got := new(cause.Finder).Evidence(two, episode(5, first)); got.Level != cause.LevelHits {
		t.Errorf("one found: %q: %s", got.Level, got.Why)
	}
	if got := new(cause.Finder).Evidence(two, episode(5, second)); got.Level != cause.LevelHits {
		t.Errorf("the other found: %q: %s", got.Level, got.Why)
	}
	if got := new(cause.Finder).Evidence(two, episode(1, first, second)); got.Level != cause.LevelWindow {
		t.Errorf("one left the window: %q: %s", got.Level, got.Why)
	}
	if got := new(cause.Finder).Evidence(unnamed, episode(5, first)); got.Level != cause.LevelAnswer || got.Weak {
		t.Errorf("a piece without a paper: %q (weak %v): %s", got.Level, got.Weak, got.Why)
	}
}
