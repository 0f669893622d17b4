package structure

import (
	"slices"
	"strings"

	"airqa/ingest/layout"
	"airqa/internal/lazyregexp"
)

// genres and institutions are folded words of title pages.
var (
	genres       = titleSet(layout.GenreTerm)
	institutions = titleSet(layout.InstitutionTerm)
)

var (
	// masthead matches the start of a line above a title that names a journal, a site or an identifier.
	masthead = lazyregexp.New(`(?i)^(the\s+)?(international\s+|european\s+|american\s+)?(journal of|proceedings of|proc\. |` +
		`transactions on|annals of|procedia|lecture notes in|bulletin of|archives? of|advances in .{0,40}\d{4}|acta\b|revista|zeitschrift|` +
		`contents lists|available online|see discussions|` +
		`www\.|https?:|doi\b|issn|vol(\.|ume)\s*\d|no\.\s*\d|arxiv:|pii:|cite this|` +
		`received|published|accepted|copyright|©|submitted to|to appear in|page \d)`)
	// issue matches the volume, the year and the pages of a journal.
	issue = lazyregexp.New(`(?i)\b(volume|vol\.?)\s*\d+|\d+\s*\((19|20)\d\d\)|\b(19|20)\d\d\)?[,;:]\s*\d+|` +
		`journal homepage|\bissn\b|\bissue\s*\d`)
)

func (r *paperReader) isMasthead(block []layout.Line, page *layout.Page) bool {
	const longest = 10 // words of a name
	text := r.Doc.Joined(block)
	if n := len(strings.Fields(text)); n > longest {
		return false
	}
	name := folded(text)
	if genres[name] || layout.IsState(text) || masthead.MatchString(text) {
		return true
	}
	institution := func(w string) bool { // the word begins the name of a university, a school or a department
		w = folded(w)
		for name := range institutions {
			if strings.HasPrefix(w, name) || layout.IsHan(name) && strings.Contains(w, name) {
				return true
			}
		}
		return false
	}
	return r.isCover(page) && slices.ContainsFunc(strings.Fields(text), institution) || r.isSeries(block, name, page)
}

// isSeries reports whether a name is that of a journal: its volume or homepage is on the next line, or on a line with the
// same name.
func (r *paperReader) isSeries(block []layout.Line, name string, page *layout.Page) bool {
	last := block[len(block)-1]
	if slices.ContainsFunc(strings.Split(page.Dropped, "\n"), func(text string) bool { return isIssueOf(text, name) }) {
		return true
	}
	return slices.ContainsFunc(page.Lines, func(l layout.Line) bool {
		text := l.Text()
		step := l.Baseline - last.Baseline
		below := step > 0 && step < 2.5*last.Size && l.Box.OverlapX(last.Box) > 0
		return isIssueOf(text, name) || below && issue.MatchString(text)
	})
}

func isIssueOf(text, name string) bool {
	return issue.MatchString(text) && strings.Contains(folded(text), name)
}

var (
	// fileName matches titles that programs make from the name of a file, and placeholders.
	fileName = lazyregexp.New(`(?i)\.(dvi|tex|docx?|pdf|e?ps|indd|rtf|odt|pages|qxd|fm|` +
		`wpd|pptx?|xlsx?|tmp|txt|html?|mif|p65|lwp|sxw|key|cdr|ai)\b|^microsoft (word|powerpoint)|` +
		`^(untitled|title|no title|document|dokument|layout|slide|paper|main|template|manuscript|` +
		`presentation|powerpoint presentation|article|final|draft|print)[\s_\-]*\d*$|` +
		`^(pii|doi|arxiv)\s*:|^10\.\d{4,}/|^\S*[\d_]\S*$|<[a-z/]+>`)
	latexSource = lazyregexp.New(`\\[a-zA-Z]+|[{}$]`)
)
