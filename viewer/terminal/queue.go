package terminal

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"airqa/internal/terminal"
	"airqa/trace"
	"airqa/trace/cause"
	"airqa/viewer/keys"
)

// queue is the triage of wrong answers: those of the list, in its order.
type queue struct {
	wrong []trace.Key
	// done are the decisions of this visit, for undo.
	done []trace.Key
}

// take sets the wrong answers of the list.
func (q *queue) take(rows []trace.Row) {
	q.wrong = nil
	for _, w := range rows {
		if w.Status == trace.Wrong {
			q.wrong = append(q.wrong, w.Key())
		}
	}
}

// triage opens the first wrong answer without a decision, or the open one.
func (b *browser) triage() tea.Cmd {
	if len(b.queue.wrong) == 0 {
		b.message = "the list has no wrong answer"
		return nil
	}
	if err := b.notes.read(b.queue.wrong); err != nil {
		b.message = err.Error()
		return nil
	}
	if b.screen == episodeScreen && b.view.episode.Status == trace.Wrong {
		b.screen = queueScreen
		b.layout()
		return nil
	}
	return b.nextUndecided(-1, 1)
}

// nextUndecided opens the next answer without a decision after a place in the queue, in either direction.
func (b *browser) nextUndecided(from, by int) tea.Cmd {
	q := &b.queue
	n := len(q.wrong)
	for i := 1; i <= n; i++ {
		e := q.wrong[((from+i*by)%n+n)%n]
		if _, decided := b.notes.decided(e); !decided && (e != b.view.id || b.screen != queueScreen) {
			b.screen = queueScreen
			return b.open(e)
		}
	}
	if decided := b.decidedCount(); decided < n {
		b.message = "this is the last undecided answer"
		return nil
	}
	b.message = fmt.Sprintf("all %s decided", terminal.Plural(n, "wrong answer"))
	b.screen = listScreen
	b.view = view{}
	b.list.show(b.room())
	return nil
}

func (b *browser) skip(forward bool) tea.Cmd {
	by := 1
	if !forward {
		by = -1
	}
	return b.nextUndecided(b.turn(), by)
}

// turn is the place of the open episode in the queue; -1 if it is not there.
func (b *browser) turn() int {
	for i, e := range b.queue.wrong {
		if e == b.view.id {
			return i
		}
	}
	return -1
}

func (b *browser) decidedCount() int {
	n := 0
	for _, e := range b.queue.wrong {
		if _, ok := b.notes.decided(e); ok {
			n++
		}
	}
	return n
}

// queueKey handles a key of the queue.
func (b *browser) queueKey(a keys.Action, key string) tea.Cmd {
	switch a {
	case keys.Accept:
		if b.view.page == nil {
			return nil
		}
		return b.decide(b.view.episode.Why.Code)
	case keys.SetCause:
		if b.view.page == nil {
			return nil
		}
		return b.decide(cause.Codes()[key[0]-'1'])
	case keys.Undo:
		return b.undo()
	}
	return b.episodeKey(a)
}

func (b *browser) decide(c cause.Code) tea.Cmd {
	if c == "" {
		b.message = "the rules name no cause; press a number"
		return nil
	}
	e := b.view.id
	if err := b.notes.decide(e, c); err != nil {
		b.message = err.Error()
		return nil
	}
	b.queue.done = append(b.queue.done, e)
	b.message = b.view.episode.Short + ": " + named(c)
	message := b.message
	cmd := b.nextUndecided(b.turn(), 1)
	if b.screen == queueScreen {
		b.message = message
	}
	return cmd
}

// undo removes the last decision of this visit and shows its episode again.
func (b *browser) undo() tea.Cmd {
	n := len(b.queue.done)
	if n == 0 {
		b.message = "nothing to undo"
		return nil
	}
	e := b.queue.done[n-1]
	if err := b.notes.undecide(e); err != nil {
		b.message = err.Error()
		return nil
	}
	b.queue.done = b.queue.done[:n-1]
	b.message = "the decision is undone"
	b.screen = queueScreen
	return b.open(e)
}

func named(c cause.Code) string { return strings.ReplaceAll(string(c), "_", " ") }

// causes are the lines below the trajectory in the queue: the guess, and the causes by number.
func (b *browser) causes() []string {
	guess := "no guess"
	if code := b.view.episode.Why.Code; b.view.page != nil && code != "" {
		guess = "Enter: " + named(code)
	}
	text := fmt.Sprintf("%d of %d decided; %s", b.decidedCount(), len(b.queue.wrong), guess)
	if c, ok := b.notes.decided(b.view.id); ok {
		text += " (decided: " + named(c) + ")"
	}
	lines := []string{text}
	line := ""
	for i, c := range cause.Codes() {
		item := fmt.Sprintf("%d %s", i+1, named(c))
		if line != "" && terminal.Width(line+", "+item) > b.width {
			lines, line = append(lines, line), ""
		}
		line += map[bool]string{true: ", "}[line != ""] + item
	}
	return append(lines, line)
}
