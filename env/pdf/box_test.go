package pdf_test

import (
	"testing"

	"airqa/env/pdf"
)

func TestUnionAndClamp(t *testing.T) {
	small, far := pdf.Box{X0: 1, Y0: 1, X1: 2, Y1: 2}, pdf.Box{X0: 5, Y0: 0, X1: 6, Y1: 9}
	tests := []struct {
		name      string
		got, want pdf.Box
	}{
		{"union", small.Union(far), pdf.Box{X0: 1, Y0: 0, X1: 6, Y1: 9}},
		{"union with an empty one", small.Union(pdf.Box{}), small},
		{"union of an empty one", pdf.Box{}.Union(small), small},
		{"clamp", far.Clamp(pdf.Box{X1: 5.5, Y1: 4}), pdf.Box{X0: 5, X1: 5.5, Y1: 4}},
		{"clamp to what is elsewhere", small.Clamp(far), pdf.Box{}},
		{"grow", small.Grow(1), pdf.Box{X1: 3, Y1: 3}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.got != tt.want {
				t.Errorf("got %v, want %v", tt.got, tt.want)
			}
		})
	}
}

func TestOverlap(t *testing.T) {
	a, b := pdf.Box{X1: 4, Y1: 4}, pdf.Box{X0: 3, Y0: 6, X1: 7, Y1: 8}
	if x, y := a.OverlapX(b), a.OverlapY(b); x != 1 || y != -2 {
		t.Errorf("overlap %v and %v, want 1 and -2", x, y)
	}
	if a.Holds(b) || !a.Holds(pdf.Box{X0: 3, Y0: 3, X1: 4.5, Y1: 4.5}) {
		t.Error("a box holds another when its middle lies in it")
	}
}
