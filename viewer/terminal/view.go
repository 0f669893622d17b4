package terminal

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"airqa/internal/terminal"
	"airqa/trace"
	"airqa/trace/text"
	"airqa/viewer/keys"
)

// view is one trajectory, or two that are compared.
type view struct {
	// id is the episode that is shown or being read; page is nil until it was read.
	id      trace.Key
	episode trace.Episode
	page    *text.Page
	// top is the first line on the screen. It may be the last step's title, with nothing below the step.
	top int
	// want is the step at which the view opens, and the number of lines below its title.
	want, below int
	// first is set until the episode was shown once, to jump to the first match of a search.
	first bool
}

// open reads an episode and shows it from the beginning.
func (b *browser) open(e trace.Key) tea.Cmd {
	b.view = view{id: e, first: true}
	b.find.lines = nil
	return b.library.open(e)
}

// opened takes an episode: a new one, or the one on the screen as it is now.
func (b *browser) opened(m episodeMsg) {
	if m.number != b.library.opening {
		return
	}
	if m.err != nil {
		b.message = m.err.Error()
		return
	}
	b.remember()
	b.view.episode = m.episode
	b.place()
	if b.view.first && b.find.text != "" {
		b.match(true, true)
	}
	b.view.first = false
}

// remember notes the position as a step and lines below its title, which survive a new width and new steps.
func (b *browser) remember() {
	v := &b.view
	if v.page == nil {
		return
	}
	v.want, v.below = v.step(), v.top
	if v.want > 0 {
		v.below -= v.page.Steps[v.want-1]
	}
}

// layout lays out the open trajectory for the screen again.
func (b *browser) layout() {
	if b.view.page != nil {
		b.remember()
		b.place()
	}
}

// place lays out the trajectory, or the comparison, and restores the position.
func (b *browser) place() {
	v := &b.view
	if b.comparing() {
		v.page = b.comparisonPage()
	} else {
		v.page = text.NewPage(v.episode, text.PageOptions{Width: b.width, Style: b.Style, Notes: b.notes.of(v.id)})
	}
	v.top = v.below
	if v.want > 0 && v.want <= len(v.page.Steps) {
		v.top += v.page.Steps[v.want-1]
	}
	b.find.lines = b.find.matches(v.page)
	b.clamp()
}

// clamp keeps the last lines, or the title of the last step, on the screen.
func (b *browser) clamp() {
	v := &b.view
	last := len(v.page.Lines) - b.room()
	if n := len(v.page.Steps); n > 0 {
		last = max(last, v.page.Steps[n-1])
	}
	v.top = max(0, min(v.top, last))
}

// step is the number of the step at the top of the screen; 0 for the header.
func (v *view) step() int {
	n, found := slices.BinarySearch(v.page.Steps, v.top)
	if found {
		return n + 1
	}
	return n
}

// episodeKey handles a key of the episode screen and of the queue.
func (b *browser) episodeKey(a keys.Action) tea.Cmd {
	v := &b.view
	switch a {
	case keys.NextTrace, keys.PrevTrace:
		by := 1
		if a == keys.PrevTrace {
			by = -1
		}
		return b.neighbour(by)
	case keys.Back:
		return b.leave()
	}
	if v.page == nil {
		return nil
	}
	switch a {
	case keys.Diff:
		return b.compare()
	case keys.Copy:
		return b.copy()
	case keys.Comment:
		b.ask(askComment, "")
	case keys.Search:
		b.ask(askSearch, "")
	case keys.NextMatch, keys.PrevMatch:
		b.match(a == keys.NextMatch, false)
	case keys.Triage:
		return b.triage()
	default:
		b.scroll(a)
	}
	return nil
}

// scroll moves within the trajectory.
func (b *browser) scroll(a keys.Action) {
	v := &b.view
	v.top += linesMoved(a, b.room())
	switch a {
	case keys.NextStep:
		b.jump(v.step() + 1)
	case keys.PrevStep:
		b.jump(v.step() - 1)
	case keys.First:
		b.jump(min(1, len(v.page.Steps)))
	case keys.Last:
		b.jump(len(v.page.Steps))
	case keys.NextMark, keys.PrevMark:
		b.mark(a == keys.NextMark)
	}
	b.clamp()
}

// jump goes to a step; 0 is the header.
func (b *browser) jump(step int) {
	v := &b.view
	switch {
	case step < 1:
		v.top = 0
	case step > len(v.page.Steps):
		b.message = "this is the last step"
	default:
		v.top = v.page.Steps[step-1]
	}
}

// mark goes to the next step with a mark, or to the one before.
func (b *browser) mark(forward bool) {
	at, to := b.view.step(), 0
	for _, m := range b.view.episode.Marks {
		if forward && m.Step > at {
			to = m.Step
			break
		}
		if !forward && m.Step < at {
			to = m.Step
		}
	}
	if to == 0 {
		b.message = "no more marks"
		return
	}
	b.jump(to)
}

// neighbour opens the next episode of the list, or with -1 the one before. In the queue, decided ones are skipped.
func (b *browser) neighbour(by int) tea.Cmd {
	if b.screen == queueScreen {
		return b.nextUndecided(by)
	}
	l := &b.list
	l.move(b.view.id)
	to := l.cursor + by
	if to < 0 || to >= len(l.rows) {
		b.message = "no more episodes in the list"
		return nil
	}
	l.cursor = to
	return b.open(l.rows[to].Key())
}

// leave goes back to the list, or from a comparison to the episode; with a search, only the search ends.
func (b *browser) leave() tea.Cmd {
	if b.find.text != "" {
		b.find = find{}
		return nil
	}
	if b.comparing() {
		return b.uncompare()
	}
	b.list.move(b.view.id)
	b.view = view{}
	b.screen = listScreen
	b.list.show(b.room())
	return b.load()
}

// copy puts the trajectory on the clipboard, by way of the terminal.
func (b *browser) copy() tea.Cmd {
	var out strings.Builder
	if err := text.Markdown(&out, b.view.episode, b.notes.of(b.view.id)); err != nil {
		b.message = err.Error()
		return nil
	}
	b.message = fmt.Sprintf("copied as Markdown (%s bytes), if the terminal allows it", terminal.Compact(float64(out.Len())))
	return tea.SetClipboard(out.String())
}

// drawEpisode returns the lines of the trajectory or the comparison.
func (b *browser) drawEpisode() []string {
	v := &b.view
	if v.page == nil {
		return []string{"reading " + terminal.Clip(v.id.Episode, max(b.width-8, 1)) + " ..."}
	}
	title := fmt.Sprintf("%s, %s, step %d of %d", v.episode.Short, v.episode.Status, v.step(), len(v.page.Steps))
	if b.comparing() {
		title = b.comparisonTitle()
	}
	if b.find.text != "" {
		title += fmt.Sprintf("; %q on %s", b.find.text, terminal.Plural(len(b.find.lines), "line"))
	}
	lines := []string{b.Style.Paint("7", terminal.Pad(terminal.Clip(title, b.width), b.width, false))}
	for i := v.top; i < min(v.top+b.room(), len(v.page.Lines)); i++ {
		lines = append(lines, b.highlighted(i))
	}
	return lines
}
