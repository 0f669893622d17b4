package fuzzy

import "airqa/internal/python"

// PartialRatio is the best [Ratio] of the shorter text with a part of the same length of the longer one. The parts
// tried begin at the equal runs of an alignment.
func PartialRatio(a, b string) int {
	if s, ok := trivial(a, b); ok {
		return s
	}
	if python.IsASCII(a) && python.IsASCII(b) {
		return percent(bestPart([]byte(a), []byte(b)))
	}
	return percent(bestPart(runes(a), runes(b)))
}

func bestPart[C char](shorter, longer []C) float64 {
	if len(shorter) > len(longer) {
		shorter, longer = longer, shorter
	}
	best, last := 0.0, -1
	for _, m := range blocks(shorter, longer) {
		start := max(0, m.b-m.a)
		if start == last {
			continue
		}
		last = start
		part := longer[start:min(len(longer), start+len(shorter))]
		best = max(best, similarity(shorter, part))
	}
	return best
}
