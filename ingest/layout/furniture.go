package layout

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"airqa/internal/lazyregexp"
)

// Fractions of a page's height at its top and bottom: the zone of repeated running heads and the zone of page numbers.
const (
	repeatMargin = 0.12
	numberMargin = 0.095
)

var (
	// endDigits matches a page number within a running head. Other digits distinguish the rows of a table.
	endDigits  = lazyregexp.New(`^\d+|\d+$`)
	pageNumber = lazyregexp.New(`^(?i:page\s*)?[-–—]?\s*(\d{1,4}|[ivx]{1,5})\s*[-–—]?(\s*(of|/)\s*\d{1,4})?$`)
)

// furnitureKey identifies a text and its approximate position: the position of one of its ends or its middle, since a
// page number in a running head shifts the others. Positions are cells of 8 by 4 points.
type furnitureKey struct {
	text string
	x, y int
	edge byte // 'l', 'm' or 'r'
}

// sighting counts the pages on which a key was seen.
type sighting struct {
	page, pages int
}

// dropFurniture removes running heads and page numbers, and returns their text by page.
func dropFurniture(pages [][]fragment, inputs []Input) []string {
	seen := map[furnitureKey]sighting{}
	for i, frags := range pages {
		for _, f := range frags {
			for _, key := range furnitureKeys(f, inputs[i]) {
				if s := seen[key]; s.pages == 0 || s.page != i {
					seen[key] = sighting{page: i, pages: s.pages + 1}
				}
			}
		}
	}
	needed := 3
	if len(pages) <= 4 {
		needed = 2
	}
	numbers := counting(pages)
	dropped := make([]string, len(pages))
	for i := range pages {
		var kept []fragment
		for k, f := range pages[i] {
			repeated := slices.ContainsFunc(furnitureKeys(f, inputs[i]), func(key furnitureKey) bool { return seen[key].pages >= needed })
			if k != numbers[i] && !repeated && !isPageNumber(pages[i], k, inputs[i]) {
				kept = append(kept, f)
				continue
			}
			dropped[i] += f.text() + "\n"
		}
		pages[i] = kept
	}
	return dropped
}

// furnitureKeys returns the keys of a fragment in a margin. Each position is in two overlapping cells per direction, so
// that nearby positions always share one.
func furnitureKeys(f fragment, page Input) []furnitureKey {
	if !inMargin(f, page, repeatMargin) {
		return nil
	}
	text := endDigits.ReplaceAllString(strings.ToLower(f.text()), "#")
	y := int(math.Floor(f.baseline / 4))
	middle, _ := f.box.Center()
	keys := make([]furnitureKey, 0, 12)
	for i, x := range [3]float64{f.box.X0, middle, f.box.X1} {
		cell := int(math.Floor(x / 8))
		for k := range 4 {
			keys = append(keys, furnitureKey{text: text, x: cell + k/2, y: y + k%2, edge: "lmr"[i]})
		}
	}
	return keys
}

func inMargin(f fragment, page Input, margin float64) bool {
	return f.box.Y1 < margin*page.Height || f.box.Y0 > (1-margin)*page.Height
}

// isPageNumber requires a single number with nothing between it and the page's edge.
func isPageNumber(frags []fragment, k int, page Input) bool {
	f := frags[k]
	if !inMargin(f, page, numberMargin) || !pageNumber.MatchString(f.text()) {
		return false
	}
	head := f.box.Y1 < numberMargin*page.Height
	for i, o := range frags {
		outside := head && o.box.Y1 < f.box.Y0 || !head && o.box.Y0 > f.box.Y1
		level := abs(o.baseline-f.baseline) < 2 && !inMargin(o, page, numberMargin)
		if i != k && (outside || level) {
			return false
		}
	}
	return true
}

// counting finds page numbers closer to the text: the lowest or the highest fragment of each page, if it is a number
// that counts up with the pages on at least three and on half of them. It returns their indexes, or -1.
func counting(pages [][]fragment) []int {
	out := make([]int, len(pages))
	for i := range out {
		out[i] = -1
	}
	for _, lower := range []bool{true, false} {
		extremes, offsets := make([]int, len(pages)), map[int]int{}
		for i, frags := range pages {
			extremes[i] = extreme(frags, lower)
			if n, ok := numberOf(frags, extremes[i]); ok {
				offsets[n-i]++
			}
		}
		for offset, count := range offsets {
			if count < 3 || count*2 < len(pages) {
				continue
			}
			for i, frags := range pages {
				if n, ok := numberOf(frags, extremes[i]); ok && n-i == offset {
					out[i] = extremes[i]
				}
			}
		}
	}
	return out
}

// extreme returns the lowest or the highest fragment of a page, or -1 on an empty one.
func extreme(frags []fragment, lower bool) int {
	best := -1
	for i, f := range frags {
		if best < 0 || (f.baseline > frags[best].baseline) == lower {
			best = i
		}
	}
	return best
}

func numberOf(frags []fragment, i int) (int, bool) {
	if i < 0 {
		return 0, false
	}
	n, err := strconv.Atoi(frags[i].text())
	return n, err == nil && n >= 0 && n < 10000
}
