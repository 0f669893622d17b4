package structure

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"airqa/ingest/layout"
	"airqa/internal/lazyregexp"
)

// Ratios to the size of the text. Text larger than largePrint can be a title. A line below a title in the same font
// that is larger than subtitlePrint belongs to the title.
const (
	largeRatio    = 1.12
	subtitleRatio = 1.3
)

// title returns the title in the file's metadata as printed on page 1, or else the largest text there above the abstract,
// or else the title in the metadata.
func (r *paperReader) title() string {
	named := strings.Join(strings.Fields(r.Title), " ")
	if letters(named) == 0 || fileName.MatchString(named) || latexSource.MatchString(named) {
		named = ""
	}
	if len(r.Doc.Pages) == 0 {
		return named
	}
	front := r.frontPage()
	lines := r.firstLines(front)
	if printed := r.printedTitle(lines, named); printed != nil {
		return r.cleanTitle(printed)
	}
	blocks := r.titleBlocks(lines, front)
	isMasthead := func(b []layout.Line) bool { return r.isMasthead(b, front) }
	if titles := slices.DeleteFunc(slices.Clone(blocks), isMasthead); len(titles) > 0 { // unless nothing else is left
		blocks = titles
	}
	if best := bestBlock(blocks); best != nil {
		return r.cleanTitle(best)
	}
	if named != "" || len(lines) == 0 {
		return named
	}
	return r.plainTitle(lines)
}

// coverSites are sites that put a page of their own before a paper.
var coverSites = lazyregexp.New(`(?i)researchgate\.net/publication|jstor\.org/stable|hal\.(science|archives)|archives-ouvertes\.fr|` +
	`HAL Id:|core\.ac\.uk|academia\.edu|` +
	`this is the (author.?s|accepted|published) (accepted )?(version|manuscript)|` +
	`provided by .{0,40}repository|citation for (the )?original published|` +
	`downloaded from .{0,60}repository`)

// frontPage returns the page with the title: the second one after the cover of a site.
func (r *paperReader) frontPage() *layout.Page {
	const longestCover = 60 // lines
	first := &r.Doc.Pages[0]
	if len(r.Doc.Pages) > 1 && len(first.Lines) < longestCover && coverSites.MatchString(r.Doc.Lines(first.Lines)+"\n"+first.Dropped) {
		return &r.Doc.Pages[1]
	}
	return first
}

// isCover reports whether a page has little more than a title, names and a date.
func (r *paperReader) isCover(page *layout.Page) bool {
	long := 0
	for _, l := range page.Lines {
		if l.Role == layout.Body && l.Box.Width() > 0.8*page.Text.Width() && l.Size < largeRatio*r.Doc.BodySize {
			long++
		}
	}
	return len(page.Lines) < 20 || len(page.Lines) < 40 && long < 4
}

// firstLines returns the title candidates: lines of the front page above its middle and the abstract that belong to no
// figure and no table of contents. The title of a cover may be lower.
func (r *paperReader) firstLines(page *layout.Page) []layout.Line {
	lowest := 0.6
	if r.isCover(page) {
		lowest = 0.8
	}
	var out []layout.Line
	for i, l := range page.Lines {
		text := l.Text()
		number, name := splitNumber(text)
		if number != "" && commonTitles[folded(name)] {
			break
		}
		if endsFront(text) {
			if len(out) > 0 {
				out = withParts(out, page.Lines[i:])
				break
			}
			continue
		}
		if l.Role == layout.Body && l.Baseline < lowest*page.Height && !r.inRegion(l) && !dotLeaders.MatchString(text) {
			out = append(out, withoutNotice(l))
		}
	}
	sortRows(out)
	return out
}

// endsFront reports whether a line begins what follows the title and the authors: an abstract or a table of contents.
func endsFront(text string) bool {
	label := folded(text)
	return abstractTitles[label] || contentsTitles[label] || runIn.MatchString(text)
}

// sortRows sorts neighbouring lines on one baseline from left to right: a title with wide spaces has several.
func sortRows(lines []layout.Line) {
	for i := 0; i < len(lines); {
		k := i + 1
		for k < len(lines) && abs(lines[k].Baseline-lines[i].Baseline) < 1 {
			k++
		}
		slices.SortFunc(lines[i:k], func(a, b layout.Line) int { return cmp.Compare(a.Box.X0, b.Box.X0) })
		i = k
	}
}

// withParts adds the parts of lines that are in another column: a title may cross the gutter at a wide space.
func withParts(lines, rest []layout.Line) []layout.Line {
	for _, l := range rest {
		mate := slices.IndexFunc(lines, func(o layout.Line) bool {
			return abs(o.Baseline-l.Baseline) < 1 && abs(o.Size-l.Size) < 0.5 && printOf(o).font == printOf(l).font
		})
		if mate >= 0 && l.Role == layout.Body {
			lines = slices.Insert(lines, mate+1, l)
		}
	}
	return lines
}

// withoutNotice drops small words after a wide gap at the end of a large line: a notice beside a title.
func withoutNotice(l layout.Line) layout.Line {
	size := l.Size
	for i := 1; i < len(l.Words); i++ {
		small := !slices.ContainsFunc(l.Words[i:], func(w layout.Word) bool { return w.Size > 0.6*size })
		if small && l.Words[i].Box.X0-l.Words[i-1].Box.X1 > size {
			l.Words = l.Words[:i]
			l.Box.X1 = l.Words[i-1].Box.X1
			break
		}
	}
	return l
}

// printedTitle returns the consecutive lines that are the title in the metadata, or nil. A word alone, which may be the
// name of a series, must be in large type.
func (r *paperReader) printedTitle(lines []layout.Line, named string) []layout.Line {
	want := folded(named)
	if want == "" {
		return nil
	}
	for i := range lines {
		block, whole := linesOf(want, lines[i:])
		if !whole {
			continue
		}
		if len(block) > 1 && r.farther(block[:1], block[1]) {
			return block[1:] // the metadata begins with the author
		}
		size := mainSize(block[0])
		if size >= largeRatio*r.Doc.BodySize || len(words(block)) > 3 && size > 0.98*r.Doc.BodySize {
			return block
		}
	}
	return nil
}

// linesOf returns the lines, from the first one on, that make up a folded title, and whether they are all of it. Other
// lines may be in between.
func linesOf(title string, lines []layout.Line) (block []layout.Line, whole bool) {
	const most = 12 // lines to look at
	got := ""
	for _, l := range lines[:min(len(lines), most)] {
		if len(got) >= len(title) {
			break
		}
		next := folded(titleMarks.ReplaceAllString(l.Text(), ""))
		if rest, ok := strings.CutPrefix(title, got); ok && next != "" && strings.HasPrefix(rest, next) {
			got += next
			block = append(block, l)
		} else if len(block) == 0 {
			break
		}
	}
	return block, got == title
}

// dotLeaders lead to a page number in a table of contents.
var dotLeaders = lazyregexp.New(`(\.\s?){4,}|…{2,}`)

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

// titleBlocks groups large lines of one size. Small lines beside them, such as a copyright notice, may be in between.
func (r *paperReader) titleBlocks(lines []layout.Line, page *layout.Page) [][]layout.Line {
	const between = 4
	var blocks [][]layout.Line
	last := -1 // the last line of the last block
	for i, l := range lines {
		n := len(blocks)
		switch size := mainSize(l); {
		case n > 0 && i == last+1 && r.continuesTitle(blocks[n-1], l) && !r.isMasthead(blocks[n-1], page),
			n > 0 && i > last+1 && i <= last+between && besideSmall(lines[last:i+1]):
			blocks[n-1], last = append(blocks[n-1], l), i
		case size >= largeRatio*r.Doc.BodySize && letters(l.Text()) > 3:
			blocks, last = append(blocks, []layout.Line{l}), i
		}
	}
	return blocks
}

// besideSmall reports whether the last line continues the first, in the same font style, and the lines in between are
// much smaller.
func besideSmall(lines []layout.Line) bool {
	first, last := lines[0], lines[len(lines)-1]
	size, step := mainSize(first), last.Baseline-first.Baseline
	if abs(mainSize(last)-size) > 0.5 || step <= 0 || step > 1.6*size {
		return false
	}
	if first.Box.OverlapX(last.Box) <= 0 || printOf(first).font != printOf(last).font {
		return false
	}
	return !slices.ContainsFunc(lines[1:len(lines)-1], func(l layout.Line) bool { return mainSize(l) > 0.8*size })
}

// continuesTitle reports whether a line continues a title: in its size, or smaller after a colon, a hyphen or in the same font.
func (r *paperReader) continuesTitle(block []layout.Line, l layout.Line) bool {
	last := block[len(block)-1]
	size, above := mainSize(l), mainSize(last)
	maxLines := 2.2
	if len(r.Doc.Pages[0].Lines) < 20 {
		maxLines = 4 // a cover
	}
	if l.Baseline < last.Baseline-1 || l.Baseline-last.Baseline > maxLines*max(size, above) {
		return false
	}
	end, _ := utf8.DecodeLastRuneInString(last.Text())
	unfinished := strings.ContainsRune(":-–", end) && size >= largeRatio*r.Doc.BodySize
	subtitle := size >= subtitleRatio*r.Doc.BodySize && size > 0.75*above && printOf(l).font == printOf(last).font && !areNames(l.Text())
	return abs(size-above) < 0.5 && !r.farther(block, l) || size < above && (unfinished || subtitle)
}

// farther reports whether a line is farther from a title than its lines are from each other, or names the author.
func (r *paperReader) farther(block []layout.Line, l layout.Line) bool {
	last := block[len(block)-1]
	step := l.Baseline - last.Baseline
	if author := folded(r.Author); author != "" && len(folded(l.Text())) > 4 && strings.Contains(author, folded(l.Text())) {
		return true
	}
	if len(block) == 1 {
		return step > 2.2*last.Size && isName(last.Text())
	}
	return step > 1.5*(last.Baseline-block[len(block)-2].Baseline)
}

// areNames reports whether a line may be a list of persons with marks.
func areNames(text string) bool {
	names := 0
	between := func(r rune) bool { return strings.ContainsRune(",;&·", r) }
	for part := range strings.FieldsFuncSeq(strings.ReplaceAll(text, " and ", ","), between) {
		fields := strings.FieldsFunc(part, func(r rune) bool {
			return unicode.IsSpace(r) || unicode.IsDigit(r) || strings.ContainsRune("*∗†‡§¶", r)
		})
		for len(fields) > 0 && len(fields[len(fields)-1]) == 1 {
			fields = fields[:len(fields)-1]
		}
		if len(fields) == 0 {
			continue
		}
		if !isName(strings.Join(fields, " ")) {
			return false
		}
		names++
	}
	return names > 0
}

// isName reports whether a line may be the name of a person: two to four words with a capital, nothing else.
func isName(text string) bool {
	fields := strings.Fields(text)
	return len(fields) > 1 && len(fields) < 5 && !slices.ContainsFunc(fields, func(w string) bool {
		first, size := utf8.DecodeRuneInString(w)
		rest := strings.TrimRight(w[size:], ".,")
		other := func(r rune) bool { return !unicode.IsLetter(r) && !strings.ContainsRune("-.'", r) }
		return !unicode.IsUpper(first) || strings.ContainsFunc(rest, other)
	})
}

// bestBlock returns the block with the largest text. A word or two in a large size, such as a logo, lose against a
// longer title above. Of blocks of one size, one that is not a name wins.
func bestBlock(blocks [][]layout.Line) []layout.Line {
	var best []layout.Line
	for _, b := range blocks {
		logo := len(words(b)) <= 2 && len(words(best)) >= 4
		var larger bool
		if best != nil {
			larger = mainSize(b[0]) > mainSize(best[0])+0.5 || abs(mainSize(b[0])-mainSize(best[0])) <= 0.5 && len(best) == 1 &&
				isName(best[0].Text()) && len(words(b)) > 4
		}
		if best == nil || larger && !logo {
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
	const longestTitle = 250
	for len(lines) > 1 && r.isMasthead(lines[:1], &r.Doc.Pages[0]) {
		lines = lines[1:]
	}
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

var (
	// sentenceEnd matches the end of a sentence. A title has none, but may contain "vs. " or "1. ".
	sentenceEnd = lazyregexp.New(`\p{Ll}{3,}\.(\s+\p{Lu}|$)|[。！]`)
	// titleMarks matches footnote marks after a title.
	titleMarks = lazyregexp.New(`[\s∗*†‡§¶]+$`)
)

// cleanTitle joins the lines of a title. Of one that is printed twice, such as over a draft, it returns half.
func (r *paperReader) cleanTitle(lines []layout.Line) string {
	title := titleMarks.ReplaceAllString(r.Doc.Joined(lines), "")
	fields := strings.Fields(title)
	half := len(fields) / 2
	if half > 1 && len(fields)%2 == 0 && slices.Equal(fields[:half], fields[half:]) {
		return strings.Join(fields[:half], " ")
	}
	return title
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
