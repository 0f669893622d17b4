package action

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"airqa/internal/python"
	"airqa/qa"
)

// parsed is a call in a reply: the action or its parse error, and the end of its text as far as it is known.
type parsed struct {
	action *qa.Action
	fault  *qa.ParseError
	end    int
	// blank is true for a call with "..." in the place of a value.
	blank bool
}

// candidate is where a call may begin. among is true if it stands among words.
type candidate struct {
	at    int
	among bool
}

// after finds the call that follows an action label: immediately, at the start of a line or a fence, or as the only
// call among words.
func (g Grammar) after(text string, from, limit int) (candidate, bool) {
	i := pass(text[:limit], from, " \t\r\n>*")
	if strings.HasPrefix(text[i:limit], "```") {
		i = pass(text[:limit], skipLanguage(text, i+3, limit), " \t\r\n")
	}
	i = pass(text[:limit], i, "`")
	if g.Format.orPython() == Python && called(text[i:limit]) || g.opens(text, i, limit) {
		return candidate{at: i}, true
	}
	if i, ok := g.begins(text, from, limit); ok {
		return candidate{at: i}, true
	}
	i, ok := g.only(text, from, limit)
	return candidate{i, true}, ok
}

// called reports whether a text begins with a name and a parenthesis.
func called(text string) bool {
	n := identEnd(text, 0)
	return n > 0 && (text[0] < '0' || text[0] > '9') && strings.HasPrefix(strings.TrimLeft(text[n:], " \t"), "(")
}

// only finds the call of a known tool among words if there is exactly one. In the other formats, it finds the first
// object or element.
func (g Grammar) only(text string, from, limit int) (int, bool) {
	at, n := 0, 0
	for i := from; i < limit && g.Format != YAML; i++ {
		if i > from && identByte(text[i-1]) || !g.opens(text, i, limit) {
			continue
		}
		if n++; n > 1 {
			return 0, false
		}
		if at = i; g.Format.orPython() != Python {
			break
		}
	}
	return at, n == 1
}

// callAt skips what may precede a call: indentation, Markdown quotation marks, and single backquotes.
func callAt(text string, at int) int {
	at = pass(text, at, " \t>")
	if strings.HasPrefix(text[at:], "```") {
		return at
	}
	return pass(text, at, "`")
}

// begins finds the call of a known tool at the start of a line or a fence: the first call of the last fence that has
// one, or else the first such line.
func (g Grammar) begins(text string, from, limit int) (int, bool) {
	fenced, line := -1, -1
	inside, fresh := false, false // in a fence, and whether it may still contain its first call
	for start := from; start < limit; {
		content, _, _ := strings.Cut(text[start:limit], "\n")
		end := min(start+len(content)+1, limit)
		for at := start; ; {
			call := callAt(text[:end], at)
			switch {
			case !g.opens(text, call, limit):
			case inside && fresh:
				fenced, fresh = call, false
			case !inside && line < 0 && at == start:
				line = call
			}
			fence := strings.Index(text[at:end], "```")
			if fence < 0 {
				break
			}
			inside = !inside
			fresh = inside
			if at += fence + 3; inside {
				at = skipLanguage(text, at, end)
			}
		}
		start = end
	}
	if fenced >= 0 {
		return fenced, true
	}
	return line, line >= 0
}

// skipLanguage skips the language name after a fence.
func skipLanguage(text string, i, limit int) int {
	end := pass(text[:limit], i, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-")
	if end < limit && strings.IndexByte(" \t\r\n{<", text[end]) >= 0 {
		return pass(text[:limit], end, " \t")
	}
	return i
}

// opens reports whether an action may begin at byte i: the name of a tool before its parenthesis, or the equivalent in
// the other formats.
func (g Grammar) opens(text string, i, limit int) bool {
	rest := text[i:limit]
	switch g.Format {
	case JSON:
		return strings.HasPrefix(rest, "{") && strings.HasPrefix(strings.TrimLeft(rest[1:], " \t\r\n"), `"`)
	case XML:
		return strings.HasPrefix(rest, "<action>")
	case YAML:
		return yamlKey(rest)
	}
	return slices.ContainsFunc(g.Specs, func(s Spec) bool {
		return len(rest) > len(s.Name) && rest[len(s.Name)] == '(' && strings.HasPrefix(rest, s.Name)
	})
}

// parse reads the call at byte i of a text; limit is the end of an action without an end marker.
func (g Grammar) parse(text string, i, limit int) parsed {
	if g.Format.orPython() == Python {
		return g.parsePython(text, i)
	}
	w, fault := g.Format.read(text, i, limit, false)
	latex, latexFault := g.Format.read(text, i, limit, true)
	if fault != nil && latexFault == nil {
		w, fault = latex, nil
	}
	end := max(i, w.end)
	if fault != nil {
		return parsed{fault: at(text, fault.Offset, qa.ErrSyntax, fmt.Sprintf("the action cannot be read as %s: %s.",
			strings.ToUpper(string(g.Format)), strings.TrimRight(fault.Reason, "."))), end: max(end, fault.Offset)}
	}
	spec, known := g.spec(w.name)
	if !known {
		return parsed{fault: g.unknown(text, i, w.name), end: end}
	}
	return g.bound(text, spec, w.call(i), latex.call(i))
}

func (g Grammar) parsePython(text string, i int) parsed {
	name := text[i:identEnd(text, i)]
	spec, known := g.spec(name)
	if !known {
		return parsed{fault: g.unknown(text, i, name), end: i}
	}
	call, err := python.ParseCall(text, i, python.Options{JSONConstants: true})
	latex := call
	if err != nil || strings.Contains(text[i:call.End], `\`) {
		var refused error
		latex, refused = python.ParseCall(text, i, python.Options{JSONConstants: true, LaTeX: true})
		if err != nil && refused == nil {
			call, err = latex, nil // \xi is LaTeX, although Python reads it as an escape
		}
	}
	if lit := (*python.Error)(nil); errors.As(err, &lit) {
		reason := fmt.Sprintf("the call of %s cannot be read: %s.", name, strings.TrimRight(lit.Reason, "."))
		return parsed{fault: at(text, lit.Offset, qa.ErrSyntax, reason), end: lit.Offset}
	}
	return g.bound(text, spec, call, latex)
}

// bound makes the action of a call. latex is the same call with LaTeX commands unchanged.
func (g Grammar) bound(text string, spec Spec, call, latex python.Call) parsed {
	w := wording{json: g.Format.orPython() != Python}
	args, bad := w.bind(spec, call)
	if name := blank(spec, args); bad == nil && name != "" {
		bad = &fault{reason: fmt.Sprintf("parameter %q of %s has a placeholder, not a value.", name, spec.Name)}
		return parsed{fault: at(text, call.NameStart, qa.ErrParameter, bad.reason), end: call.End, blank: true}
	}
	if bad != nil {
		return parsed{fault: at(text, cmp.Or(bad.at, call.NameStart), qa.ErrParameter, bad.reason), end: call.End}
	}
	a := action(spec, args, latex)
	a.Start, a.End = call.NameStart, call.End
	return parsed{action: a, end: call.End}
}

// action builds the action of bound arguments.
func action(spec Spec, args bound, latex python.Call) *qa.Action {
	a := &qa.Action{Name: spec.Name, Args: plain(args), Text: render(spec, args)}
	if !slices.ContainsFunc(spec.Params, func(p Param) bool { return p.Kind == Any }) {
		return a
	}
	if kept, bad := (wording{}).bind(spec, latex); bad == nil {
		if text := render(spec, kept); text != a.Text {
			a.LaTeX = text
		}
	}
	return a
}

func identEnd(text string, i int) int {
	for i < len(text) && identByte(text[i]) {
		i++
	}
	return i
}

func identByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

func (g Grammar) spec(name string) (Spec, bool) {
	if i := slices.IndexFunc(g.Specs, func(s Spec) bool { return s.Name == name }); i >= 0 {
		return g.Specs[i], true
	}
	return Spec{}, false
}
