package terminal

import "fmt"

// Level is the severity of a [Notice].
type Level int

// The levels.
const (
	Info Level = iota
	Note
	Warning
)

// Notice is a message for the user in addition to the result.
type Notice struct {
	Level Level
	Text  string
}

// String prefixes the text with the level.
func (n Notice) String() string {
	return [...]string{"", "note: ", "warning: "}[n.Level] + n.Text
}

// Notify receives notices during the work. It may be nil. Calls may overlap.
type Notify func(Notice)

// Infof sends a notice.
func (f Notify) Infof(format string, args ...any) { f.send(Info, format, args) }

// Notef sends a notice marked as a note.
func (f Notify) Notef(format string, args ...any) { f.send(Note, format, args) }

// Warnf sends a notice marked as a warning.
func (f Notify) Warnf(format string, args ...any) { f.send(Warning, format, args) }

func (f Notify) send(l Level, format string, args []any) {
	if f != nil {
		f(Notice{l, fmt.Sprintf(format, args...)})
	}
}
