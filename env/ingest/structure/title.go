package structure

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"airqa/env/ingest/layout"
)

// Ratios to the size of the text. Text larger than largePrint can be a title. A line below a title in the same font
// that is larger than subtitlePrint belongs to the title.
const (
	largeRatio    = 1.12
	subtitleRatio = 1.3
)

// title returns the largest text on page 1 above the abstract, or else the title in the file's metadata.
func (r *paperReader) title() string {
	if len(r.Doc.Pages) == 0 {
		return r.Title
	}
	lines := r.firstPage()
	blocks := r.titleBlocks(lines)
	if best := bestBlock(blocks); best != nil {
		return r.cleanTitle(best)
	}
	if title := strings.TrimSpace(r.Title); title != "" || len(lines) == 0 {
		return title
	}
	return r.plainTitle(lines)
}

// firstPage returns the title candidates: lines of page 1 above the middle and the abstract that belong to no figure
// and no table of contents.
func (r *paperReader) firstPage() []layout.Line {
	var out []layout.Line
	page := r.Doc.Pages[0]
	for _, l := range page.Lines {
		text := l.Text()
		if label := folded(text); len(out) > 0 && (abstractTitles[label] || contentsTitles[label] || runIn.MatchString(text)) {
			break
		}
		if l.Role == layout.Body && l.Baseline < 0.6*page.Height && !r.inRegion(l) && !dotLeaders.MatchString(text) {
			out = append(out, l)
		}
	}
	return out
}

// dotLeaders lead to a page number in a table of contents.
var dotLeaders = regexp.MustCompile(`(\.\s?){4,}|…{2,}`)

// mainSize returns the size of most characters of a line, which ignores a drop cap or a logo.
func mainSize(l layout.Line) float64 {
	words := slices.Clone(l.Words)
	slices.SortFunc(words, func(a, b layout.Word) int { return int(100*b.Size) - int(100*a.Size) })
	n := 0
	for _, w := range words {
		if n += w.Len(); 2*n >= l.Chars() {
			return w.Size
		}
	}
	return l.Size
}

// titleBlocks groups consecutive large lines of one size.
func (r *paperReader) titleBlocks(lines []layout.Line) [][]layout.Line {
	var blocks [][]layout.Line
	for i, l := range lines {
		size := mainSize(l)
		if n := len(blocks); n > 0 && i > 0 && sameLine(blocks[n-1], lines[i-1]) && r.continuesTitle(blocks[n-1], l) {
			blocks[n-1] = append(blocks[n-1], l)
		} else if size >= largeRatio*r.Doc.BodySize && letters(l.Text()) > 3 {
			blocks = append(blocks, []layout.Line{l})
		}
	}
	return blocks
}

// sameLine reports whether a block ends with a line.
func sameLine(block []layout.Line, l layout.Line) bool {
	last := block[len(block)-1]
	return last.Baseline == l.Baseline && last.Box == l.Box
}

// continuesTitle reports whether a line continues a title: in its size, or smaller after a colon, a hyphen or in the same font.
func (r *paperReader) continuesTitle(block []layout.Line, l layout.Line) bool {
	last := block[len(block)-1]
	size, above := mainSize(l), mainSize(last)
	maxLines := 2.2
	if len(r.Doc.Pages[0].Lines) < 20 {
		maxLines = 4 // a cover
	}
	if l.Baseline < last.Baseline || l.Baseline-last.Baseline > maxLines*max(size, above) {
		return false
	}
	text := last.Text()
	unfinished := strings.HasSuffix(text, ":") || strings.HasSuffix(text, "-") || strings.HasSuffix(text, "–")
	large := size >= largeRatio*r.Doc.BodySize
	subtitle := size >= subtitleRatio*r.Doc.BodySize && size > 0.75*above && printOf(l).font == printOf(last).font
	return abs(size-above) < 0.5 || size < above && (unfinished && large || subtitle)
}

// bestBlock returns the block with the largest text. A word or two in a large size, such as a logo, lose against a
// longer title above.
func bestBlock(blocks [][]layout.Line) []layout.Line {
	var best []layout.Line
	for _, b := range blocks {
		logo := len(words(b)) <= 2 && len(words(best)) >= 4
		if best == nil || mainSize(b[0]) > mainSize(best[0])+0.5 && !logo {
			best = b
		}
	}
	return best
}

func words(lines []layout.Line) []string {
	var out []string
	for _, l := range lines {
		out = append(out, strings.Fields(l.Text())...)
	}
	return out
}

// plainTitle returns the first lines, unless they are sentences, for papers whose title is no larger than the text.
func (r *paperReader) plainTitle(lines []layout.Line) string {
	block := lines[:1]
	for i := 1; i < len(lines) && printOf(lines[i]).like(printOf(lines[0])) && r.continuesTitle(block, lines[i]); i++ {
		block = lines[:i+1]
	}
	title := r.cleanTitle(block)
	if utf8.RuneCountInString(title) > longestTitle || sentenceEnd.MatchString(title) {
		return ""
	}
	return title
}

const longestTitle = 250

var (
	// sentenceEnd matches the end of a sentence. A title has none, but may contain "vs. " or "1. ".
	sentenceEnd = regexp.MustCompile(`\p{Ll}{3,}\.(\s+\p{Lu}|$)|[。！]`)
	// titleMarks matches footnote marks after a title.
	titleMarks = regexp.MustCompile(`[\s∗*†‡§¶]+$`)
)

func (r *paperReader) cleanTitle(lines []layout.Line) string {
	return titleMarks.ReplaceAllString(r.Doc.Joined(lines), "")
}

func letters(s string) int {
	n := 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}
