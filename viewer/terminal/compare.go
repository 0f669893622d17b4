package terminal

import (
	"fmt"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/report/render"
	"airqa/trace"
	"airqa/trace/diff"
	"airqa/trace/text"
	"airqa/viewer/keys"
)

// comparison is the open episode aligned with the same question in another run or repeat.
type comparison struct {
	// other is the second episode; none while nothing is compared.
	other    trace.Key
	question diff.Question
	// beneath is the view of the open episode, and under its screen.
	beneath view
	under   screen
}

type comparedMsg struct {
	number   int
	question diff.Question
	err      error
}

// compare reads two episodes and aligns them. The runs of a library stay the same.
func (l *library) compare(first, second trace.Key) tea.Cmd {
	l.opening++
	number := l.opening
	return func() tea.Msg {
		l.mu.RLock()
		defer l.mu.RUnlock()
		choice := l.lib.Choice
		source := func(e trace.Key) diff.Source {
			r := l.lib.Run(e.Run)
			uuid, _ := qa.SplitEpisodeID(e.Episode)
			s := diff.Source{Run: r.Log, Mode: choice.Scoring, Judge: choice.Judge}
			if ex, err := r.Example(uuid); err == nil && ex.UUID != "" {
				s.Examples = []qa.Example{ex}
			}
			return s
		}
		q, err := diff.OfEpisodes(source(first), source(second), first.Episode, second.Episode)
		return comparedMsg{number, q, err}
	}
}

func (b *browser) comparing() bool { return b.compared.other != trace.Key{} }

// compare aligns the open episode with the same question in the next run or repeat; again, with the one after.
func (b *browser) compare() tea.Cmd {
	other, ok := b.partner()
	if !ok {
		b.message = "no other episode of this question; name several runs"
		return nil
	}
	if !b.comparing() {
		b.remember()
		b.compared.beneath, b.compared.under = b.view, b.screen
		b.screen = diffScreen
	}
	b.compared.other = other
	b.view = view{id: b.view.id, episode: b.view.episode}
	b.find.lines = nil
	return b.library.compare(b.view.id, other)
}

// partner is the episode of the question after the one that it is compared with, in all runs; false if there is none.
func (b *browser) partner() (trace.Key, bool) {
	b.library.mu.RLock()
	defer b.library.mu.RUnlock()
	current, uuid := b.view.id, b.view.episode.UUID
	if b.comparing() {
		current = b.compared.other
	}
	for _, w := range b.Library.SameQuestion(uuid, current) {
		if w.Key() != b.view.id {
			return w.Key(), true
		}
	}
	return trace.Key{}, false
}

// aligned takes a comparison: a new one, or the one on the screen as it is now.
func (b *browser) aligned(m comparedMsg) tea.Cmd {
	if m.number != b.library.opening {
		return nil
	}
	if m.err != nil {
		b.message = m.err.Error()
		return b.uncompare()
	}
	b.remember()
	b.compared.question = m.question
	b.place()
	return nil
}

// uncompare goes back to the episode, at its place.
func (b *browser) uncompare() tea.Cmd {
	c := b.compared
	b.compared, b.view = comparison{}, c.beneath
	if b.screen == helpScreen {
		b.before = c.under
	} else {
		b.screen = c.under
	}
	b.place()
	return b.library.open(b.view.id)
}

// comparisonKey handles a key of the comparison; most are those of an episode.
func (b *browser) comparisonKey(a keys.Action) tea.Cmd {
	if a != keys.Open {
		return b.episodeKey(a)
	}
	other, step := b.compared.other, b.compared.beneath.want
	b.compared, b.screen = comparison{}, episodeScreen
	cmd := b.open(other)
	b.view.want = step
	return cmd
}

// comparisonTitle names both episodes by run and repeat.
func (b *browser) comparisonTitle() string {
	v := &b.view
	name := func(e trace.Key) string {
		_, repeat := qa.SplitEpisodeID(e.Episode)
		return fmt.Sprintf("%s #%d", filepath.Base(e.Run), repeat)
	}
	return fmt.Sprintf("%s, part %d of %d: A %s, B %s", v.episode.Short, v.step(), len(v.page.Steps), name(v.id), name(b.compared.other))
}

// comparisonCommand is the call of airqa that prints the comparison.
func (b *browser) comparisonCommand() []string {
	first, second, choice := b.view.id, b.compared.other, b.Library.Choice
	words := []string{"airqa", "diff", first.Run, second.Run, first.Episode}
	if second.Episode != first.Episode {
		words = append(words, second.Episode)
	}
	if choice.Scoring != "" {
		words = append(words, "--scoring="+choice.Scoring)
	}
	if choice.Judge != "" {
		words = append(words, "--judge="+choice.Judge)
	}
	return words
}

// comparisonPage is the text of airqa diff as a page. Its steps are the pairs that differ and the runs of equal ones.
func (b *browser) comparisonPage() *text.Page {
	plain, painted := b.comparisonText(terminal.Style{}), b.comparisonText(b.Style)
	p := &text.Page{}
	for i, line := range plain {
		if strings.HasPrefix(line, text.PairMark) {
			p.Steps = append(p.Steps, len(p.Lines))
		}
		if terminal.Width(line) <= b.width {
			p.Lines = append(p.Lines, text.Line{Plain: line, Text: painted[i]})
			continue
		}
		for _, part := range terminal.Hard(line, b.width) { // a word that is wider than the screen
			p.Lines = append(p.Lines, text.Line{Plain: part, Text: part})
		}
	}
	return p
}

// comparisonText returns the lines of the comparison; a style does not change their number.
func (b *browser) comparisonText(style terminal.Style) []string {
	var out strings.Builder
	if err := text.Diff(&out, b.compared.question, render.Options{Width: b.width, Style: style}); err != nil {
		return []string{terminal.Line(err.Error())}
	}
	return strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
}
