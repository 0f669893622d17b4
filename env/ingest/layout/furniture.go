package layout

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Shares of a page's height, at its head and its foot: where what repeats is a running head, and where a lone number is
// that of the page.
const (
	repeatMargin = 0.12
	numberMargin = 0.095
)

var (
	// endDigits is a page number within a running head; other digits tell rows of a table apart.
	endDigits  = regexp.MustCompile(`^\d+|\d+$`)
	pageNumber = regexp.MustCompile(`^(?i:page\s*)?[-–—]?\s*(\d{1,4}|[ivx]{1,5})\s*[-–—]?(\s*(of|/)\s*\d{1,4})?$`)
)

// dropFurniture removes running heads and page numbers.
func dropFurniture(pages [][]fragment, inputs []Input) {
	seen := map[string]map[int]bool{}
	for i, frags := range pages {
		for _, f := range frags {
			for _, key := range furnitureKeys(f, inputs[i]) {
				if seen[key] == nil {
					seen[key] = map[int]bool{}
				}
				seen[key][i] = true
			}
		}
	}
	needed := 3
	if len(pages) <= 4 {
		needed = 2
	}
	numbers := counting(pages)
	for i := range pages {
		var kept []fragment
		for k, f := range pages[i] {
			if k != numbers[i] && !repeats(seen, furnitureKeys(f, inputs[i]), needed) && !isPageNumber(pages[i], k, inputs[i]) {
				kept = append(kept, f)
			}
		}
		pages[i] = kept
	}
}

// furnitureKeys names text and place; two keys, so that a place at the edge of one cell falls into the next one's.
func furnitureKeys(f fragment, page Input) []string {
	if !inMargin(f, page, repeatMargin) {
		return nil
	}
	text := endDigits.ReplaceAllString(strings.ToLower(f.text()), "#")
	cell := int(math.Floor(f.baseline / 4))
	return []string{fmt.Sprintf("%d %s", cell, text), fmt.Sprintf("%d %s", cell+1, text)}
}

func repeats(seen map[string]map[int]bool, keys []string, needed int) bool {
	for _, key := range keys {
		if len(seen[key]) >= needed {
			return true
		}
	}
	return false
}

func inMargin(f fragment, page Input, margin float64) bool {
	return f.box.Y1 < margin*page.Height || f.box.Y0 > (1-margin)*page.Height
}

// isPageNumber wants a lone number with nothing between it and the page's edge.
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

// counting finds the page numbers that stand nearer to the text: on each page the lowest or the highest fragment, a number
// that counts up with the pages on at least three and on half of them. It returns their places, -1 for none.
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

// extreme is the lowest or the highest fragment of a page, -1 on an empty one.
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
