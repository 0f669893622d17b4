package fuzzy

// likeness is the minimum similarity for a name to count as a misspelling of another.
const likeness = 70

// Nearest returns the name that is most like the given one, or "" if none is.
func Nearest(name string, names []string) string {
	best, score := "", likeness-1
	for _, n := range names {
		if s := Ratio(name, n); s > score {
			best, score = n, s
		}
	}
	return best
}
