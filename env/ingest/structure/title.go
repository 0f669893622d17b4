package structure

import (
	"regexp"
	"strings"
	"unicode"

	"airqa/env/ingest/layout"
)

// title is the largest print in the upper part of page 1, else the title of the file's metadata.
func (r *paperReader) title() string {
	if len(r.Doc.Pages) == 0 {
		return r.Title
	}
	lines := r.firstPage()
	largest := 0.0
	for _, l := range lines {
		if letters(l.Text()) > 3 {
			largest = max(largest, l.Size)
		}
	}
	if largest < 1.12*r.Doc.BodySize {
		if r.Title != "" {
			return strings.TrimSpace(r.Title)
		}
	}
	var title []layout.Line
	for _, l := range lines {
		switch same := abs(l.Size-largest) < 0.5; {
		case same && (len(title) == 0 || follows(title[len(title)-1], l)):
			title = append(title, l)
		case len(title) > 0 && l.Size < largest-0.5:
			return r.cleanTitle(title)
		}
	}
	return r.cleanTitle(title)
}

// firstPage is what could hold the title: lines of page 1 above the middle that are no figure's.
func (r *paperReader) firstPage() []layout.Line {
	var out []layout.Line
	page := r.Doc.Pages[0]
	for _, l := range page.Lines {
		if l.Role == layout.Body && l.Baseline < 0.6*page.Height && !r.inRegion(l) {
			out = append(out, l)
		}
	}
	return out
}

func follows(above, l layout.Line) bool {
	return l.Page == above.Page && l.Baseline-above.Baseline < 2.2*l.Size && l.Baseline >= above.Baseline
}

// titleMarks are the marks of footnotes after a title.
var titleMarks = regexp.MustCompile(`[\s∗*†‡§¶]+$`)

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
