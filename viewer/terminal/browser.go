// Package terminal is the browser of recorded episodes on a terminal: a list with filters, one trajectory at a time, the
// comparison of two, and a queue in which the cause of each wrong answer is named with one key. Start from [Run].
//
// What it shows comes from trace and trace/text, its keys from viewer/keys; decisions and comments go to the notes of trace.
// It reads run directories that are still being written, and writes nothing else.
package terminal

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"

	"airqa/internal/terminal"
	"airqa/trace"
	"airqa/trace/cause"
)

// Config is what the browser shows, and where.
type Config struct {
	Library *trace.Library
	// Paths are the run directories as given, for the command that is shown.
	Paths  []string
	Filter trace.Filter
	// Author signs comments and decisions.
	Author string
	// Refresh is the time between looks at runs that are being written; 0 means a second.
	Refresh time.Duration

	In    io.Reader
	Out   io.Writer
	Style terminal.Style
	// Options are further options of the program: tests set the size of the screen.
	Options []tea.ProgramOption
}

// Run shows the browser until it is left. It needs a terminal as In and Out.
func Run(ctx context.Context, c Config) error {
	if c.Refresh == 0 {
		c.Refresh = time.Second
	}
	b := newBrowser(ctx, c)
	options := append([]tea.ProgramOption{
		tea.WithContext(ctx), tea.WithInput(c.In), tea.WithOutput(c.Out), tea.WithEnvironment(os.Environ()),
	}, c.Options...)
	_, err := tea.NewProgram(b, options...).Run()
	if errors.Is(err, tea.ErrInterrupted) {
		err = context.Canceled
	}
	return errors.Join(err, b.notes.Close())
}

// screen is what fills the terminal.
type screen int

const (
	listScreen screen = iota
	episodeScreen
	queueScreen
	diffScreen
	helpScreen
)

// browser is the model of the program. Only Update changes it.
type browser struct {
	Config
	library *library
	notes   *desk

	width, height int
	screen        screen
	// before is the screen under the help.
	before screen

	list  list
	view  view
	queue queue
	// compared is what the view shows on the screen of a comparison.
	compared comparison
	help     int // first line shown
	// prompt is a line that is being typed; nil if there is none.
	prompt *prompt
	find   find
	// message is the answer to the last key, until the next one.
	message string
}

func newBrowser(ctx context.Context, c Config) *browser {
	b := &browser{
		Config: c, library: &library{ctx: ctx, lib: c.Library}, notes: &desk{decisions: make(map[trace.Key]cause.Code)},
		width: 80, height: 24, list: list{filter: c.Filter},
	}
	b.notes.Config.Author = c.Author
	c.Library.Warn = b.library.warn
	return b
}

// Init loads the list and begins to watch the runs.
func (b *browser) Init() tea.Cmd { return tea.Batch(b.load(), b.watch()) }

// Update handles one message.
func (b *browser) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch m := msg.(type) {
	case tea.WindowSizeMsg:
		b.width, b.height = max(m.Width, 1), max(m.Height, 1)
		b.list.show(b.room())
		b.layout()
		return b, nil
	case tea.KeyPressMsg:
		return b, b.press(m)
	case tea.PasteMsg:
		return b, b.type_(m)
	case rowsMsg:
		return b, b.listed(m)
	case episodeMsg:
		b.opened(m)
		return b, nil
	case comparedMsg:
		return b, b.aligned(m)
	case hitsMsg:
		return b, b.found(m)
	case tickMsg:
		return b, b.library.refresh
	case refreshedMsg:
		return b, b.refreshed(m)
	case failedMsg:
		b.message = m.err.Error()
		return b, nil
	}
	return b, b.type_(msg)
}

// View draws the screen.
func (b *browser) View() tea.View {
	v := tea.NewView(b.draw())
	v.AltScreen = true
	v.WindowTitle = "airqa trace"
	if b.prompt != nil {
		if v.Cursor = b.prompt.input.Cursor(); v.Cursor != nil {
			v.Cursor.Y = b.height - 1
		}
	}
	return v
}
