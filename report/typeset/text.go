package typeset

import (
	"strings"

	"airqa/internal/terminal"
	"airqa/report"
)

// textTables prints a table, or several with some of its columns each where it is too wide. Columns of a group stay
// together when they fit.
func textTables(t sheet, width int) string {
	flat := t.flat()
	if width == 0 || t.fits(0, len(t.Heads), width, flat) {
		return newGrid(t, flat).render()
	}
	// A column for the sections costs more room than lines between them.
	flat = flat && t.fits(0, 1, width, flat)
	var parts []string
	for at := 0; at < len(t.Heads); {
		end := t.next(at, width, flat)
		parts = append(parts, newGrid(t.columns(numbers(at, end)), flat).render())
		at = end
	}
	return strings.Join(parts, "\n\n")
}

// next is the end of the columns from at on that fit together: as many groups as do, or else as much of the first group,
// and one column in any case.
func (t sheet) next(at, width int, flat bool) int {
	end := at
	for end < len(t.Heads) && t.fits(at, t.groupEnd(end), width, flat) {
		end = t.groupEnd(end)
	}
	if end > at {
		return end
	}
	end = at + 1
	for end < t.groupEnd(at) && t.fits(at, end+1, width, flat) {
		end++
	}
	return end
}

func (t sheet) fits(from, to, width int, flat bool) bool {
	return newGrid(t.columns(numbers(from, to)), flat).width() <= width
}

// groupEnd is the end of the group that begins at a column.
func (t sheet) groupEnd(at int) int {
	end := at + 1
	for end < len(t.Heads) && t.Heads[end].Group != "" && t.Heads[end].Group == t.Heads[at].Group {
		end++
	}
	return end
}

// numbers are those from one up to another.
func numbers(from, to int) []int {
	var list []int
	for i := from; i < to; i++ {
		list = append(list, i)
	}
	return list
}

// label shows by blanks that a line belongs to the one above it.
func label(l report.Line) string {
	if l.Minor {
		return "  " + terminal.Line(l.Label)
	}
	return terminal.Line(l.Label)
}

// grouped reports whether any column has a head above its own.
func (t sheet) grouped() bool {
	for _, h := range t.Heads {
		if h.Group != "" {
			return true
		}
	}
	return false
}

// eachSection visits the lines of each section.
func (t sheet) eachSection(visit func(name string, lines []report.Line)) {
	for at := 0; at < len(t.Lines); {
		name := t.Lines[at].Section
		end := at + 1
		for end < len(t.Lines) && t.Lines[end].Section == name {
			end++
		}
		visit(name, t.Lines[at:end])
		at = end
	}
}
