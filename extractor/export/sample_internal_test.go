package export

import (
	"testing"

	"airqa/extractor/windows"
)

// A part of the rows of a large export is measured, and the number of long ones projected.
func TestSampleOfLargeExport(t *testing.T) {
	const rows = 40_000
	s := newSample(Config{Format: ShareGPT}, 40*sampleEpisodes)
	for i := range rows {
		if s.has(windows.RowID("run", "uuid", i, 1)) {
			s.add(i%4 == 0)
		}
	}
	if want := rows / 40; s.measured < want/2 || s.measured > want*2 {
		t.Errorf("%d rows measured, want about %d", s.measured, want)
	}
	if got := s.total(rows); got < rows/4*7/10 || got > rows/4*13/10 {
		t.Errorf("%d rows projected, want about %d", got, rows/4)
	}
}
