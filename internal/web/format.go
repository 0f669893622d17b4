package web

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"

	"airqa/internal/terminal"
)

// TemplateFuncs are the functions of templates. "line", "safe" and "clip" show control characters as escapes.
func TemplateFuncs() template.FuncMap {
	return template.FuncMap{
		"line": terminal.Line, "safe": terminal.Safe, "clip": terminal.Clip, "plural": terminal.Plural,
		"words": Words, "size": Size, "number": formatNumber, "seconds": formatSeconds, "usd": func(x *float64) string { return terminal.USD(*x) },
	}
}

// Words prints a name of the program, such as an outcome, as words.
func Words(name any) string { return strings.ReplaceAll(terminal.Line(fmt.Sprint(name)), "_", " ") }

func formatNumber(n any) string {
	switch n := n.(type) {
	case int:
		return Grouped(n)
	case *float64:
		if n == nil {
			return "–"
		}
		return strconv.FormatFloat(*n, 'f', -1, 64)
	case float64:
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return fmt.Sprint(n)
}

// Grouped prints an integer with thin spaces between thousands.
func Grouped(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "\u202f" + text[at:]
	}
	return text
}

func formatSeconds(s float64) string {
	switch {
	case s < 10:
		return strconv.FormatFloat(s, 'f', 1, 64) + " s"
	case s < 120:
		return strconv.FormatFloat(s, 'f', 0, 64) + " s"
	}
	return strconv.FormatFloat(s/60, 'f', 1, 64) + " min"
}

// Size prints a number of bytes.
func Size(n int) string {
	switch {
	case n < 1000:
		return terminal.Plural(n, "byte")
	case n < 1_000_000:
		return strconv.FormatFloat(float64(n)/1e3, 'f', 1, 64) + " KB"
	}
	return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + " MB"
}
