package terminal

import (
	"fmt"
	"slices"
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
	return b.nextUndecided(1)
}

// nextUndecided opens the next answer without a decision after the open one, or the first; by is 1, or -1 to go backwards.
func (b *browser) nextUndecided(by int) tea.Cmd {
	q := &b.queue
	n, from := len(q.wrong), slices.Index(q.wrong, b.view.id)
	for i := 1; i <= n; i++ {
		e := q.wrong[((from+i*by)%n+n)%n]
		if _, decided := b.notes.decisions[e]; !decided && (e != b.view.id || b.screen != queueScreen) {
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

func (b *browser) decidedCount() int {
	n := 0
	for _, e := range b.queue.wrong {
		if _, ok := b.notes.decisions[e]; ok {
			n++
		}
	}
	return n
}

// queueKey handles a key of the queue.
func (b *browser) queueKey(a keys.Action, key string) tea.Cmd {
	switch {
	case a == keys.Undo:
		return b.undo()
	case a != keys.Accept && a != keys.SetCause:
		return b.episodeKey(a)
	case b.view.page == nil:
		return nil
	case a == keys.Accept:
		return b.decide(b.view.episode.Why.Code)
	}
	return b.decide(cause.Codes()[key[0]-'1'])
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
	cmd := b.nextUndecided(1)
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
	if c, ok := b.notes.decisions[b.view.id]; ok {
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

// desk has the notes of the runs: comments and decisions. Files are opened when they are needed.
type desk struct {
	trace.NoteFiles
	// decisions are those on episodes of the runs whose notes are open.
	decisions map[trace.Key]cause.Code
}

// read reads the decisions on episodes again.
func (d *desk) read(list []trace.Key) error {
	decided, err := trace.Decisions(list, d.Open)
	if err != nil {
		return err
	}
	for _, e := range list {
		delete(d.decisions, e)
		if n, ok := decided[e]; ok {
			d.decisions[e] = n.Cause
		}
	}
	return nil
}

// of returns the notes of an episode; those that cannot be read are left out.
func (d *desk) of(e trace.Key) []trace.Note {
	f, err := d.Open(e.Run)
	if err != nil {
		return nil
	}
	return f.Of(e.Episode)
}

func (d *desk) decide(e trace.Key, c cause.Code) error {
	f, err := d.Open(e.Run)
	if err != nil {
		return err
	}
	if _, err := f.Decide(e.Episode, c); err != nil {
		return err
	}
	d.decisions[e] = c
	return nil
}

// undecide removes the decision that counts; the one before it counts again.
func (d *desk) undecide(e trace.Key) error {
	f, err := d.Open(e.Run)
	if err != nil {
		return err
	}
	if _, err := f.Undecide(e.Episode); err != nil {
		return err
	}
	delete(d.decisions, e)
	if n, ok := f.Decided(e.Episode); ok {
		d.decisions[e] = n.Cause
	}
	return nil
}

func (d *desk) comment(e trace.Key, step int, text string) error {
	f, err := d.Open(e.Run)
	if err != nil {
		return err
	}
	_, err = f.Add(trace.Note{Episode: e.Episode, Step: step, Text: text})
	return err
}
