package preflight

// part is the number of tokens of a pair, or of what is kept of it.
type part struct{ source, target int }

func (p part) sum() int { return p.source + p.target }

// share divides room tokens between a source and a target, as LLaMA-Factory's infer_seqlen does. Both lose their end.
func share(p part, room int) part {
	most := 0
	switch {
	case p.target*2 < room:
		most = room
	case p.source*2 < room:
		most = room - p.source
	default:
		// The trainer computes in floating point; the same rounding matters.
		most = int(float64(room) * (float64(p.target) / float64(p.source+p.target)))
	}
	target := min(most, p.target)
	return part{source: min(max(room-target, 0), p.source), target: target}
}

// fit cuts pairs to a limit, from the last to the first if last is set. A pair without room is cut completely.
func fit(pairs []part, limit int, last bool) []part {
	kept := make([]part, len(pairs))
	used := 0
	for n := range pairs {
		i := n
		if last {
			i = len(pairs) - 1 - n
		}
		if used >= limit {
			break
		}
		kept[i] = share(pairs[i], limit-used)
		used += kept[i].sum()
	}
	return kept
}
