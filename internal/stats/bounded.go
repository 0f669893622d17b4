package stats

// Bounded is a mean of some elements, with the bounds of the mean of all: a known element is exact, of others only the
// lowest and highest possible value is known. The zero value is ready to use.
type Bounded struct {
	// Sum and N are those of the elements in the mean.
	Sum            float64
	N              int
	low, high, all float64
}

// Add adds an element between low and high. It is part of the bounds, but not of the mean: see [Bounded.Count].
func (b *Bounded) Add(low, high float64) {
	b.low, b.high = b.low+low, b.high+high
	b.all++
}

// Count puts a value of an added element into the mean.
func (b *Bounded) Count(value float64) {
	b.Sum += value
	b.N++
}

// Bounds are those of the mean of all elements, multiplied by scale; nil if all are exact.
func (b Bounded) Bounds(scale float64) *Interval {
	if !(b.low < b.high) {
		return nil
	}
	return &Interval{Low: scale * b.low / b.all, High: scale * b.high / b.all}
}

// Possible reports whether there is a mean and the mean of all elements can have its value. The elements in the mean may
// be a biased choice: if all that lack a part were right in the rest, the mean of the others is below the lowest bound. If all
// elements are exact, the mean is that of the chosen ones by intent.
func (b Bounded) Possible() bool {
	if b.N == 0 {
		return false
	}
	const rounding = 1e-9
	bounds, mean := b.Bounds(1), b.Sum/float64(b.N)
	return bounds == nil || bounds.Low-rounding <= mean && mean <= bounds.High+rounding
}
