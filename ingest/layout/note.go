package layout

import (
	"cmp"
	"slices"

	"airqa/internal/lazyregexp"
)

var (
	// noteMark matches the start of a footnote to a title or an author.
	noteMark = lazyregexp.New(`^[∗*⁎†‡§¶⋆★♣♠♦♥✉]+\s*\p{L}`)
	// authorNote matches the start of such a footnote without a mark.
	authorNote = lazyregexp.New(`^(?i:equal contribution|equally contribut|these authors contributed|correspondence|corresponding author|contact:|work (was )?(done|performed|conducted) |permission to make digital|preprint\.)`)
	// numberedNote matches the start of a footnote to the text.
	numberedNote = lazyregexp.New(`^\d{1,3}\s*\p{L}`)
)

// markUnruledNotes marks small text at the bottom of a column that begins with a footnote mark but has no rule above.
func markUnruledNotes(p *Page, bodySize float64) {
	for _, column := range []int{Span, 0, 1} {
		var lines []*Line // from top to bottom
		for i := range p.Lines {
			if l := &p.Lines[i]; l.Column == column && (l.Role == Body || l.Role == Caption) {
				lines = append(lines, l)
			}
		}
		slices.SortStableFunc(lines, func(a, b *Line) int { return cmp.Compare(a.Baseline, b.Baseline) })
		first := len(lines)
		for first > 0 && lines[first-1].Role == Body && lines[first-1].Size < 0.96*bodySize {
			first--
		}
		if first == 0 {
			continue // everything is small
		}
		if at := slices.IndexFunc(lines[first:], func(l *Line) bool { return noteMark.MatchString(l.Text()) }); at >= 0 {
			for _, l := range lines[first+at:] {
				l.Role = Footnote
			}
		}
	}
}

// markAuthorNotes separates the notes on authors from the other footnotes of a page.
func markAuthorNotes(p *Page) {
	inside := false
	for i := range p.Lines {
		l := &p.Lines[i]
		if l.Role != Footnote {
			continue
		}
		text := l.Text()
		inside = noteMark.MatchString(text) || authorNote.MatchString(text) || inside && !numberedNote.MatchString(text)
		if inside {
			l.Role = AuthorNote
		}
	}
}
