package terminal

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"airqa/internal/terminal"
	"airqa/viewer/keys"
)

// keysOf is the place where the keys of a screen are looked up.
func (b *browser) keysOf(s screen) keys.Place {
	return map[screen]keys.Place{
		listScreen: keys.List, episodeScreen: keys.Episode, queueScreen: keys.Queue, diffScreen: keys.Comparison, helpScreen: keys.Everywhere,
	}[s]
}

// press handles a key.
func (b *browser) press(key tea.KeyPressMsg) tea.Cmd {
	b.message = ""
	if b.prompt != nil {
		return b.typed(key)
	}
	a := keys.Find(b.keysOf(b.screen), key.String())
	switch {
	case a == keys.Quit:
		return tea.Quit
	case b.screen == helpScreen:
		b.helpKey(a, key.String())
		return nil
	case a == keys.ShowHelp:
		b.before, b.screen, b.help = b.screen, helpScreen, 0
		return nil
	}
	switch b.screen {
	case listScreen:
		return b.listKey(a)
	case queueScreen:
		return b.queueKey(a, key.String())
	case diffScreen:
		return b.comparisonKey(a)
	}
	return b.episodeKey(a)
}

// helpKey scrolls the help; Esc and "?" close it.
func (b *browser) helpKey(a keys.Action, key string) {
	if a == keys.Back || a == keys.ShowHelp {
		b.screen = b.before
		return
	}
	b.help += linesMoved(keys.Find(keys.Episode, key), b.room())
	b.help = max(0, min(b.help, len(b.helpLines())-b.room()))
}

// linesMoved is the number of lines that a key scrolls a screen with room lines; 0 for other keys.
func linesMoved(a keys.Action, room int) int {
	return map[keys.Action]int{keys.Down: 1, keys.Up: -1, keys.PageDown: room, keys.PageUp: -room}[a]
}

// helpLines are the keys of the screen under the help, and the problems of the runs.
func (b *browser) helpLines() []string {
	var lines []string
	for _, s := range keys.Help(b.keysOf(b.before)) {
		lines = append(lines, b.Style.Bold(s.Title))
		for _, l := range s.Lines {
			lines = append(lines, b.helpLine(l)...)
		}
		lines = append(lines, "")
	}
	if len(b.list.notices) > 0 {
		lines = append(lines, b.Style.Bold("Problems"))
	}
	for _, n := range b.list.notices {
		for _, part := range terminal.Hard(n, max(b.width-2, 12)) {
			lines = append(lines, "  "+part)
		}
	}
	return lines
}

// helpLine puts the help behind its keys, or below them on a narrow terminal.
func (b *browser) helpLine(l keys.Line) []string {
	const column = 21
	room := b.width - column
	head := terminal.Pad("  "+l.Keys, column, false)
	if room < column {
		room = b.width - 4
		return append([]string{"  " + l.Keys}, indent(4, terminal.Hard(l.Help, room))...)
	}
	lines := indent(column, terminal.Hard(l.Help, room))
	lines[0] = head + lines[0][column:]
	return lines
}

func indent(n int, lines []string) []string {
	for i := range lines {
		lines[i] = strings.Repeat(" ", n) + lines[i]
	}
	return lines
}

// leastWidth and leastHeight are the size below which nothing can be read.
const (
	leastWidth  = 24
	leastHeight = 6
)

// draw returns the whole screen: the body, and on the last line a prompt, a message or the equivalent command.
func (b *browser) draw() string {
	if b.width < leastWidth || b.height < leastHeight {
		return terminal.Clip("terminal too small", b.width)
	}
	var lines []string
	switch b.screen {
	case listScreen:
		lines = b.drawList()
	case helpScreen:
		lines = b.helpLines()[min(b.help, len(b.helpLines())):]
	default:
		lines = b.drawEpisode()
	}
	var foot []string
	if b.screen == queueScreen {
		foot = b.causes()
		for i := range foot {
			foot[i] = b.Style.Paint("36", terminal.Clip(foot[i], b.width))
		}
	}
	if b.prompt != nil && b.message != "" {
		foot = append(foot, b.Style.Paint("31", terminal.Clip(b.message, b.width)))
	}
	foot = append(foot, b.lastLine())
	foot = foot[max(len(foot)-b.height, 0):]
	body := b.height - len(foot)
	lines = lines[:min(len(lines), body)]
	for len(lines) < body {
		lines = append(lines, "")
	}
	return strings.Join(append(lines, foot...), "\n")
}

func (b *browser) lastLine() string {
	switch {
	case b.prompt != nil:
		return b.prompt.input.View()
	case b.message != "":
		return b.Style.Paint("33", terminal.Clip(b.message, b.width))
	case b.screen == helpScreen:
		return b.Style.Paint("2", "Esc closes the help")
	}
	text, hint := terminal.Clip(b.command(), b.width), "  ? help"
	if terminal.Width(text+hint) <= b.width {
		text += hint
	}
	return b.Style.Paint("2", text)
}
