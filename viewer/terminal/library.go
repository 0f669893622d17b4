package terminal

import (
	"context"
	"slices"
	"sync"
	"time"

	"airqa/trace"

	tea "charm.land/bubbletea/v2"
)

// library reads in the background. A refresh waits for readers, and readers for a refresh.
type library struct {
	ctx context.Context //nolint:containedctx // a command of bubbletea takes no context
	mu  sync.RWMutex
	lib *trace.Library
	// selection counts the selections, so that one that was overtaken by another is dropped.
	selection, opening, search int

	warned   sync.Mutex
	warnings []string
}

// The messages of work in the background.
type (
	rowsMsg struct {
		number int
		rows   []trace.Row
		total  int
		of     int
		// notices are the problems of the runs; writing reports whether one of them is being written.
		notices []string
		writing bool
	}
	episodeMsg struct {
		number  int
		episode trace.Episode
		err     error
	}
	hitsMsg struct {
		number int
		text   string
		hits   map[trace.Key]hit
		total  int
		err    error
	}
	refreshedMsg struct {
		changed bool
		err     error
	}
	failedMsg struct{ err error }
	tickMsg   struct{}
)

// selected lists the rows of a filter.
func (l *library) selected(f trace.Filter) tea.Cmd {
	l.selection++
	number := l.selection
	return func() tea.Msg {
		l.mu.RLock()
		defer l.mu.RUnlock()
		rows, total, err := l.lib.Select(l.ctx, f)
		if err != nil {
			return failedMsg{err}
		}
		m := rowsMsg{number: number, rows: rows, total: total, of: len(l.lib.Rows()), notices: l.unread()}
		for _, r := range l.lib.Runs {
			m.writing = m.writing || r.Writing
			for _, n := range r.Notices {
				m.notices = append(m.notices, r.Name+": "+n)
			}
		}
		return m
	}
}

// warn keeps what a search could not read. Searches may overlap.
func (l *library) warn(err error) {
	l.warned.Lock()
	defer l.warned.Unlock()
	if text := err.Error() + " (not searched)"; !slices.Contains(l.warnings, text) {
		l.warnings = append(l.warnings, text)
	}
}

func (l *library) unread() []string {
	l.warned.Lock()
	defer l.warned.Unlock()
	return slices.Clone(l.warnings)
}

// open reads one episode.
func (l *library) open(e trace.Key) tea.Cmd {
	l.opening++
	number := l.opening
	return func() tea.Msg {
		l.mu.RLock()
		defer l.mu.RUnlock()
		episode, err := l.lib.Episode(l.ctx, e.Run, e.Episode)
		return episodeMsg{number, episode, err}
	}
}

// mostHits is the number of hits after which a search of all episodes stops.
const mostHits = 100_000

// grep searches all episodes.
func (l *library) grep(text string) tea.Cmd {
	l.search++
	number := l.search
	return func() tea.Msg {
		l.mu.RLock()
		defer l.mu.RUnlock()
		m := hitsMsg{number: number, text: text, hits: make(map[trace.Key]hit)}
		for found, err := range l.lib.Grep(l.ctx, text) {
			if err != nil {
				m.err = err
				if trace.Unread(err) {
					continue
				}
				break
			}
			e := trace.Key{Run: found.Run, Episode: found.Episode}
			h := m.hits[e]
			if h.count == 0 {
				h.step = found.Step
			}
			h.count += 1 + found.More
			m.hits[e] = h
			if m.total += 1 + found.More; m.total >= mostHits {
				break
			}
		}
		return m
	}
}

func (l *library) refresh() tea.Msg {
	l.mu.Lock()
	defer l.mu.Unlock()
	changed, err := l.lib.Refresh(l.ctx)
	return refreshedMsg{changed, err}
}

// watch waits for the next look at the runs.
func (b *browser) watch() tea.Cmd {
	return tea.Tick(b.Refresh, func(time.Time) tea.Msg { return tickMsg{} })
}

// refreshed reads the list and the open episode or comparison again if a run has changed. Both keep their position.
func (b *browser) refreshed(m refreshedMsg) tea.Cmd {
	if m.err != nil {
		b.message = m.err.Error()
	}
	if !m.changed {
		return b.watch()
	}
	cmds := []tea.Cmd{b.watch(), b.load()}
	switch {
	case b.view.page == nil:
	case b.comparing():
		cmds = append(cmds, b.library.compare(b.view.id, b.compared.other))
	default:
		cmds = append(cmds, b.library.open(b.view.id))
	}
	return tea.Batch(cmds...)
}
