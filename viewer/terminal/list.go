package terminal

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"airqa/internal/terminal"
	"airqa/trace"
	"airqa/viewer/keys"
)

// list is the list of episodes.
type list struct {
	filter trace.Filter
	rows   []trace.Row
	// total is the number of rows without --limit, of that of all episodes.
	total, of int
	notices   []string
	writing   bool
	loaded    bool
	// cursor is the selected row, top the first one on the screen.
	cursor, top int
}

// load reads the list again.
func (b *browser) load() tea.Cmd { return b.library.selected(b.list.filter) }

// listed takes rows. The cursor stays on its episode.
func (b *browser) listed(m rowsMsg) tea.Cmd {
	if m.number != b.library.selection {
		return nil
	}
	l := &b.list
	current, ok := l.current()
	l.rows, l.total, l.of, l.notices, l.writing, l.loaded = m.rows, m.total, m.of, m.notices, m.writing, true
	if ok {
		l.move(current.Key())
	}
	l.show(b.room())
	b.queue.take(m.rows)
	if err := b.notes.read(b.queue.wrong); err != nil {
		b.message = err.Error()
	}
	return nil
}

// current is the selected row.
func (l *list) current() (trace.Row, bool) {
	if l.cursor >= len(l.rows) {
		return trace.Row{}, false
	}
	return l.rows[l.cursor], true
}

// move selects an episode, if it is in the list.
func (l *list) move(e trace.Key) {
	if i := slices.IndexFunc(l.rows, func(w trace.Row) bool { return w.Key() == e }); i >= 0 {
		l.cursor = i
	}
}

// show keeps the cursor on the screen.
func (l *list) show(room int) {
	l.cursor = max(0, min(l.cursor, len(l.rows)-1))
	l.top = max(l.cursor-room+1, min(l.top, l.cursor), 0)
}

// room is the number of lines between head and foot.
func (b *browser) room() int {
	room := b.height - 2
	switch b.screen {
	case listScreen:
		room--
	case queueScreen:
		room -= len(b.causes())
	}
	return max(room, 1)
}

// listKey handles a key of the list.
func (b *browser) listKey(a keys.Action) tea.Cmd {
	l := &b.list
	l.cursor += linesMoved(a, b.room())
	l.show(b.room())
	switch a {
	case keys.First:
		l.cursor = 0
	case keys.Last:
		l.cursor = len(l.rows) - 1
	case keys.NextMatch, keys.PrevMatch:
		b.nextHit(a == keys.NextMatch)
	case keys.Open:
		return b.openCurrent()
	case keys.Filter:
		b.ask(askFilter, strings.Join(quoted(l.filter.Flags()), " "))
	case keys.Sort:
		return b.sort()
	case keys.Triage:
		return b.triage()
	case keys.Search:
		b.ask(askSearch, "")
	case keys.Back:
		b.find = find{}
	}
	l.show(b.room())
	return nil
}

func (b *browser) openCurrent() tea.Cmd {
	w, ok := b.list.current()
	if !ok {
		return nil
	}
	b.screen = episodeScreen
	return b.open(w.Key())
}

// orders are the sort keys in turn: the order of the log, then the largest or worst first.
var orders = []string{"", "status", "-tokens", "-cost", "-turns", "-seconds", "lost-at", "cause", "question"}

func (b *browser) sort() tea.Cmd {
	f := &b.list.filter
	f.Sort = orders[(slices.Index(orders, f.Sort)+1)%len(orders)]
	b.message = "order of the log"
	if f.Sort != "" {
		b.message = "sorted by " + f.Sort
	}
	return b.load()
}

// nextHit selects the next row with a hit of the search, or the one before; false if there is none.
func (b *browser) nextHit(forward bool) bool {
	l, n := &b.list, len(b.list.rows)
	if len(b.find.hits) == 0 {
		b.message = "no search; press / to start one"
		return false
	}
	for i := 1; i <= n; i++ {
		at := (l.cursor + i) % n
		if !forward {
			at = (l.cursor - i + n) % n
		}
		if b.find.hits[l.rows[at].Key()].count > 0 {
			l.cursor = at
			return true
		}
	}
	b.message = "the hits are in episodes that the filter hides"
	return false
}

// column is a column of the list.
type column struct {
	name string
	// width is the number of columns; wide ones share what is left, this much at least.
	width int
	wide  bool
	right bool
	value func(w trace.Row, width int) string
}

// columns are in the order of their importance: on a narrow screen the last ones are left out.
var columns = []column{
	{name: "id", width: 8, value: func(w trace.Row, _ int) string { return w.Short }},
	{name: "status", width: 10, value: func(w trace.Row, _ int) string { return string(w.Status) }},
	{name: "run", width: 12, value: func(w trace.Row, _ int) string { return filepath.Base(w.Run) }},
	{name: "answer → gold", width: 13, wide: true, value: answer},
	{name: "lost at", width: 7, value: func(w trace.Row, _ int) string { return w.LostAt.Label(w.LostAtWeak) }},
	{name: "cause", width: 17},
	{name: "turns", width: 5, right: true, value: func(w trace.Row, _ int) string { return fmt.Sprint(w.Turns) }},
	{name: "tokens", width: 6, right: true, value: func(w trace.Row, _ int) string { return terminal.Compact(float64(w.Tokens())) }},
	{name: "question", width: 20, wide: true, value: func(w trace.Row, _ int) string { return w.Question }},
	{name: "cost", width: 8, right: true, value: func(w trace.Row, _ int) string { return terminal.Cost(w.CostUSD, "") }},
}

// places is the order of columns on the screen.
var places = []string{"id", "run", "status", "turns", "tokens", "cost", "answer → gold", "lost at", "cause", "question"}

// cause is the cause that a person decided on, marked, or that of the rules.
func (b *browser) cause(w trace.Row, _ int) string {
	if c, ok := b.notes.decisions[w.Key()]; ok {
		return "✓ " + named(c)
	}
	return named(w.Cause)
}

// answer shows the beginnings of both answers, if there is not enough room for all.
func answer(w trace.Row, width int) string {
	const arrow = " → "
	text := "(none)"
	if w.Given {
		text = w.Answer
	}
	if w.Gold == "" {
		return text
	}
	room := width - terminal.Width(arrow)
	text = terminal.Clip(text, max(room-terminal.Width(terminal.Line(w.Gold)), room/2))
	return text + arrow + w.Gold
}

// fitted are the columns that fit a screen, in their places.
func (b *browser) fitted() []column {
	const marker, gap = 2, 2
	used := marker - gap
	var list []column
	wide := 0
	for _, c := range columns {
		if c.name == "run" && len(b.Library.Runs) < 2 {
			continue
		}
		if used += c.width + gap; used > b.width && len(list) > 1 {
			used -= c.width + gap
			break
		}
		if c.wide {
			wide++
		}
		if c.name == "cause" {
			c.value = b.cause
		}
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b column) int { return slices.Index(places, a.name) - slices.Index(places, b.name) })
	left := max(b.width-used, 0)
	for i := range list {
		if list[i].wide {
			list[i].width += left / wide
			left, wide = left-left/wide, wide-1
		}
	}
	return list
}

// drawList returns the lines of the list.
func (b *browser) drawList() []string {
	l := &b.list
	fitted := b.fitted()
	lines := []string{b.Style.Bold(terminal.Clip(b.listTitle(), b.width))}
	if empty := b.empty(); empty != "" {
		return append(lines, terminal.Hard(empty, b.width)...)
	}
	head := func(c column) string { return c.name }
	lines = append(lines, b.Style.Paint("2", "  "+cells(fitted, head, nil)))
	for i := l.top; i < min(l.top+b.room(), len(l.rows)); i++ {
		lines = append(lines, b.row(fitted, i))
	}
	return lines
}

func (b *browser) row(fitted []column, i int) string {
	w := b.list.rows[i]
	marker := " "
	if b.find.hits[w.Key()].count > 0 {
		marker = "*"
	}
	value := func(c column) string { return c.value(w, c.width) }
	if i == b.list.cursor {
		return b.Style.Paint("7", ">"+marker+cells(fitted, value, nil))
	}
	return " " + marker + cells(fitted, value, func(c column, text string) string {
		if c.name != "status" {
			return text
		}
		return b.Style.Paint(statusColours[w.Status], text)
	})
}

var statusColours = map[trace.Status]string{
	trace.Right: "32", trace.Wrong: "31", trace.Failed: "35", trace.Damaged: "35", trace.Unfinished: "33", trace.Unscored: "33",
}

func cells(list []column, value func(column) string, paint func(column, string) string) string {
	parts := make([]string, len(list))
	for i, c := range list {
		parts[i] = terminal.Pad(terminal.Clip(value(c), c.width), c.width, c.right)
		if paint != nil {
			parts[i] = paint(c, parts[i])
		}
	}
	return strings.Join(parts, "  ")
}

// listTitle counts the episodes.
func (b *browser) listTitle() string {
	l := &b.list
	text := fmt.Sprintf("%d of %s", len(l.rows), terminal.Plural(l.of, "episode"))
	if l.total != len(l.rows) {
		text += fmt.Sprintf(" (%d match)", l.total)
	}
	if len(b.Library.Runs) > 1 {
		text += fmt.Sprintf(" in %d runs", len(b.Library.Runs))
	}
	if l.writing {
		text += ", being written"
	}
	if n := len(l.notices); n > 0 {
		text += "; " + terminal.Plural(n, "problem") + " (? lists them)"
	}
	return text
}

// empty explains a list without rows: nothing is there, or the filter selects nothing.
func (b *browser) empty() string {
	l := &b.list
	switch {
	case !l.loaded:
		return "reading ..."
	case len(l.rows) > 0:
		return ""
	case l.of == 0:
		return "No episode has been recorded yet. The list refreshes every second."
	}
	return fmt.Sprintf("No episode matches the filter; there are %d. Press f to change it.", l.of)
}
