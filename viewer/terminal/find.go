package terminal

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"airqa/internal/terminal"
	"airqa/trace"
	"airqa/trace/text"
)

// find is a search.
type find struct {
	text string
	// lines are the lines of the open trajectory in which a match begins.
	lines []int
	// hits are those of a search of all episodes.
	hits map[trace.Key]hit
}

// hit is what a search found in an episode: the number of hits, and the step of the first one.
type hit struct{ count, step int }

// fold removes the case of a text, unless the search has an upper-case letter, as --grep does.
func (f find) fold(text string) string {
	if strings.ContainsFunc(f.text, unicode.IsUpper) {
		return text
	}
	return strings.ToLower(text)
}

// search begins a search: of all episodes in the list, otherwise of the open one.
func (b *browser) search(text string) tea.Cmd {
	b.find = find{text: text}
	switch {
	case text == "":
		return nil
	case b.screen == listScreen:
		b.message = "searching ..."
		return b.library.grep(text)
	case b.view.page != nil:
		b.find.lines = b.find.matches(b.view.page)
		b.match(true, true)
	}
	return nil
}

// found takes the hits of a search of all episodes and selects the first one.
func (b *browser) found(m hitsMsg) tea.Cmd {
	if m.number != b.library.search || m.text != b.find.text {
		return nil
	}
	b.find.hits = m.hits
	message := fmt.Sprintf("%d hits in %s; n selects the next one", m.total, terminal.Plural(len(m.hits), "episode"))
	switch {
	case m.err != nil:
		message = m.err.Error()
	case m.total == 0:
		message = "no episode contains this text"
	case m.total >= mostHits:
		message = fmt.Sprintf("%d hits or more; the first %s with one are marked", mostHits, terminal.Plural(len(m.hits), "episode"))
	}
	if w, ok := b.list.current(); m.total > 0 && ok && m.hits[w.Key()].count == 0 && !b.nextHit(true) {
		return nil // the message is that no row has a hit
	}
	b.message = message
	b.list.show(b.room())
	return nil
}

// match goes to the next match in the trajectory, or to the one before. With here, one on the first line counts, too.
func (b *browser) match(forward, here bool) {
	v, lines := &b.view, b.find.lines
	if b.find.text == "" {
		b.message = "no search; press / to start one"
		return
	}
	if len(lines) == 0 {
		b.unmatched(here)
		return
	}
	at := sort.SearchInts(lines, v.top+1)
	switch {
	case forward && here && at > 0 && lines[at-1] == v.top:
		at--
	case !forward:
		at = sort.SearchInts(lines, v.top) - 1
	}
	if at < 0 || at >= len(lines) {
		b.message = "search wrapped around"
	}
	v.top = lines[(at+len(lines))%len(lines)]
	// Unlike [browser.clamp], a match at the end may be the first line of the screen: the next search continues from there.
	v.top = max(0, min(v.top, len(v.page.Lines)-1))
}

// unmatched says that nothing shown matches. With here, it goes to the step of an episode in which a search of all found
// the text.
func (b *browser) unmatched(here bool) {
	if b.comparing() {
		b.message = "no match in this comparison"
		return
	}
	b.message = "no match in the visible part of this episode"
	if h := b.find.hits[b.view.id]; here && h.step > 0 {
		b.jump(h.step)
		b.message += "; step " + fmt.Sprint(h.step) + " has one"
	}
}

// matches returns the lines in which a match begins. Line breaks do not matter.
func (f find) matches(p *text.Page) []int {
	want := strings.Join(strings.Fields(f.fold(f.text)), " ")
	if want == "" {
		return nil
	}
	whole, starts := f.flat(p)
	var lines []int
	for from := 0; ; {
		i := strings.Index(whole[from:], want)
		if i < 0 {
			return slices.Compact(lines)
		}
		from += i
		lines = append(lines, sort.SearchInts(starts, from+1)-1)
		from += len(want)
	}
}

// flat joins the lines of a page to one text with single spaces, and returns where each line begins.
func (f find) flat(p *text.Page) (whole string, starts []int) {
	var b strings.Builder
	for _, l := range p.Lines {
		if !l.Joined && b.Len() > 0 {
			b.WriteByte(' ')
		}
		starts = append(starts, b.Len())
		b.WriteString(strings.Join(strings.Fields(f.fold(l.Plain)), " "))
	}
	return b.String(), starts
}

// highlighted returns a line with its match in reverse: the match itself if the line has all of it, otherwise the line.
func (b *browser) highlighted(i int) string {
	line := b.view.page.Lines[i]
	if _, found := slices.BinarySearch(b.find.lines, i); !found {
		return line.Text
	}
	lower, want := b.find.fold(line.Plain), b.find.fold(b.find.text)
	if at := strings.Index(lower, want); at >= 0 && len(lower) == len(line.Plain) {
		return line.Plain[:at] + b.Style.Paint("7", line.Plain[at:at+len(want)]) + line.Plain[at+len(want):]
	}
	return b.Style.Paint("7", line.Plain)
}
