package layout

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/bidi"

	"airqa/internal/lazyregexp"
)

// Directions of a word. A number is read from left to right, but says nothing about its line.
const (
	neutral = iota
	number
	leftToRight
	rightToLeft
)

// direction returns the direction of the first letter of a word, or else number for digits.
func direction(w Word) int {
	found := neutral
	for _, r := range w.Text {
		properties, _ := bidi.LookupRune(r)
		switch properties.Class() {
		case bidi.R, bidi.AL:
			return rightToLeft
		case bidi.L:
			return leftToRight
		case bidi.EN, bidi.AN:
			found = number
		}
	}
	return found
}

// logical puts words that are sorted from left to right into the order in which they are read. The direction of most letters is
// that of the line; runs of words of the other direction inside of it are turned. Marks belong to the direction of both
// neighbours, or else to the line's.
func logical(words []Word) []Word {
	letters := [4]int{}
	for _, w := range words {
		letters[direction(w)] += w.Len()
	}
	if letters[rightToLeft] == 0 {
		return words
	}
	out := slices.Clone(words)
	inside := func(d int) bool { return d == rightToLeft }
	if letters[rightToLeft] > letters[leftToRight] {
		slices.Reverse(out)
		for i, w := range out {
			out[i].Text = fromRight(w)
		}
		inside = func(d int) bool { return d == leftToRight || d == number }
	}
	for i := 0; i < len(out); i++ {
		if !inside(direction(out[i])) {
			continue
		}
		end := i + 1
		for k := end; k < len(out) && (direction(out[k]) == neutral || inside(direction(out[k]))); k++ {
			if inside(direction(out[k])) {
				end = k + 1
			}
		}
		slices.Reverse(out[i:end])
		i = end
	}
	return out
}

var (
	mirrored     = strings.NewReplacer("(", ")", ")", "(", "[", "]", "]", "[", "{", "}", "}", "{", "«", "»", "»", "«", "<", ">", ">", "<")
	numberInside = lazyregexp.New(`^([^\p{L}\p{N}$€£¥₪]*)([$€£¥₪]?[-−–+]?\p{Nd}.*?)([^\p{L}\p{N}%‰°$€£¥₪]*)$`)
)

// fromRight returns the text of a word of a line that is read from the right: brackets are as printed, which open to the other
// side, and marks before and after a number are in the order of the print, in which "-5." is ".5-".
func fromRight(w Word) string {
	if direction(w) == leftToRight {
		return w.Text
	}
	text := mirrored.Replace(w.Text)
	at := numberInside.FindStringSubmatch(text)
	if at == nil {
		return text
	}
	var before, brackets, after string
	for _, r := range at[1] + at[3] {
		switch mark := string(r); {
		case strings.Contains("([{«", mark):
			before += mark
		case strings.Contains(")]}»", mark):
			brackets += mark
		case strings.Contains("-−–+", mark):
			before += mark
		default:
			after += mark
		}
	}
	return before + at[2] + brackets + after
}

// RightToLeft reports whether a word is of a script such as Hebrew or Arabic.
func (w Word) RightToLeft() bool { return direction(w) == rightToLeft }

// ByPlace returns words from left to right.
func ByPlace(words []Word) []Word {
	if slices.IsSortedFunc(words, func(a, b Word) int { return cmp.Compare(a.Box.X0, b.Box.X0) }) {
		return words
	}
	return slices.SortedStableFunc(slices.Values(words), func(a, b Word) int { return cmp.Compare(a.Box.X0, b.Box.X0) })
}
