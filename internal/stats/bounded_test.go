package stats_test

import (
	"testing"

	"airqa/internal/stats"
)

func TestBounded(t *testing.T) {
	type element struct{ low, high, counted float64 }
	const no = -1
	tests := []struct {
		name     string
		list     []element
		want     *stats.Interval
		possible bool
	}{
		{"nothing", nil, nil, false},
		{"exact", []element{{0, 0, 0}, {1, 1, 1}}, nil, true},
		{"partly known and left out", []element{{0, 0, 0}, {0.5, 1, no}}, &stats.Interval{Low: 0.25, High: 0.5}, false},
		{"partly known and counted", []element{{0, 0, 0}, {0.5, 1, 1}}, &stats.Interval{Low: 0.25, High: 0.5}, true},
		{"above", []element{{1, 1, 1}, {0, 0.5, no}}, &stats.Interval{Low: 0.5, High: 0.75}, false},
		{"unknown", []element{{1, 1, 1}, {0, 1, no}}, &stats.Interval{Low: 0.5, High: 1}, true},
		{"none counted", []element{{0, 0.5, no}}, &stats.Interval{Low: 0, High: 0.5}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b stats.Bounded
			for _, e := range tt.list {
				b.Add(e.low, e.high)
				if e.counted != no {
					b.Count(e.counted)
				}
			}
			got := b.Bounds(1)
			if (got == nil) != (tt.want == nil) || got != nil && *got != *tt.want || b.Possible() != tt.possible {
				t.Errorf("bounds %v, want %v; possible %v", got, tt.want, b.Possible())
			}
		})
	}
}
