package chart

import (
	"math"
	"strconv"
)

// scale takes values to places on an axis.
type scale struct {
	low, high float64 // values at the ends
	from, to  float64 // places of the ends
	log       bool
	whole     bool // ticks at whole numbers only
}

// at is the place of a value; what lies outside is moved to the end.
func (s scale) at(v float64) float64 {
	low, high := s.low, s.high
	if s.log {
		low, high, v = math.Log10(low), math.Log10(high), math.Log10(math.Max(v, s.low))
	}
	share := min(max((v-low)/(high-low), 0), 1)
	return s.from + share*(s.to-s.from)
}

// axisTick is a mark on an axis.
type axisTick struct {
	value float64
	text  string
}

// ticks are about n marks at round values between the ends of s.
func (s scale) ticks(n int, unit string) []axisTick {
	if s.log {
		return s.logTicks(n, unit)
	}
	step := niceStep((s.high - s.low) / float64(n))
	if s.whole {
		step = max(step, 1)
	}
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	var list []axisTick
	first := math.Ceil(s.low/step - 1e-9)
	for i := 0; i <= 2*n; i++ {
		v := (first + float64(i)) * step
		if v > s.high+step*1e-9 {
			break
		}
		list = append(list, axisTick{v, tickText(v, decimals) + unit})
	}
	return list
}

// logTicks stand at powers of ten, at their double and fivefold where there is room, and not at all of them where there
// is little.
func (s scale) logTicks(n int, unit string) []axisTick {
	factors := []float64{1, 2, 5}
	decades := math.Log10(s.high) - math.Log10(s.low)
	if decades*3 > float64(n)+1 {
		factors = factors[:1]
	}
	var list []axisTick
	for e := math.Floor(math.Log10(s.low)); e <= math.Ceil(math.Log10(s.high)); e += math.Ceil(max(1, decades/float64(n))) {
		for _, f := range factors {
			v := f * math.Pow(10, e)
			if v >= s.low*(1-1e-9) && v <= s.high*(1+1e-9) {
				list = append(list, axisTick{v, tickText(v, max(0, -int(e))) + unit})
			}
		}
	}
	return list
}

// tickText writes long numbers as 20k and 3M.
func tickText(v float64, decimals int) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if math.Abs(v) >= 10*u.size || u.size > 1e3 && math.Abs(v) >= u.size {
			return strconv.FormatFloat(v/u.size, 'g', 6, 64) + u.name
		}
	}
	if decimals > 6 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return decimal(v, decimals)
}

// niceStep is 1, 2 or 5 times a power of ten, not below x.
func niceStep(x float64) float64 {
	if !finite(x) || x <= 0 {
		return 1
	}
	base := math.Pow(10, math.Floor(math.Log10(x)))
	for _, f := range []float64{1, 2, 5} {
		if f*base >= x*(1-1e-9) {
			return f * base
		}
	}
	return 10 * base
}

// span is the smallest and the largest of what was added.
type span struct {
	low, high float64
	any       bool
	fraction  bool // one of them is no whole number
}

// add takes in values; what is no number is left out.
func (s *span) add(values ...float64) {
	for _, v := range values {
		if !finite(v) {
			continue
		}
		if !s.any {
			s.low, s.high, s.any = v, v, true
		}
		s.low, s.high = min(s.low, v), max(s.high, v)
		s.fraction = s.fraction || v != math.Trunc(v)
	}
}

func (s *span) whole() bool { return s.any && !s.fraction }

// round widens s to round values, about n steps apart, and never leaves it empty.
func (s *span) round(n int) {
	if s.high <= s.low {
		s.high = s.low + max(1, math.Abs(s.low))
	}
	step := niceStep((s.high - s.low) / float64(n))
	s.low = math.Floor(s.low/step+1e-9) * step
	s.high = math.Ceil(s.high/step-1e-9) * step
}

// axis is the span of an axis that begins at zero where that is near, with an upper end if one is given.
func (s *span) axis(high float64) {
	if s.low > 0 {
		s.low = 0
	}
	if s.high < 0 {
		s.high = 0
	}
	s.round(5)
	if high > 0 {
		s.high = high
	}
}
