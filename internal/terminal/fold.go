package terminal

import "strings"

// Fold makes a line safe and breaks it between words, and inside one that is too long, to at most width characters, 20 at
// least; what follows is indented by four. A width of 0 breaks nothing.
func Fold(line string, width int) string {
	if width <= 0 {
		return Safe(line)
	}
	width = max(width, 20)
	var out []string
	now := []rune(line[:len(line)-len(strings.TrimLeft(line, " "))])
	empty := true
	for word := range strings.FieldsSeq(Safe(line)) {
		if !empty && len(now)+1+len([]rune(word)) > width {
			out, now, empty = append(out, string(now)), []rune("    "), true
		}
		if !empty {
			now = append(now, ' ')
		}
		now, empty = append(now, []rune(word)...), false
		for len(now) > width {
			out, now = append(out, string(now[:width])), append([]rune("    "), now[width:]...)
		}
	}
	return strings.Join(append(out, string(now)), "\n")
}
