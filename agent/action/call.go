package action

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

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

// called reports whether a text begins with a name and a parenthesis.
func called(text string) bool {
	n := pathAt(text, 0)
	return n > 0 && strings.HasPrefix(strings.TrimLeft(text[n:], " \t"), "(")
}

// pathAt returns the end of the name at byte i, with the names and dots before it: functions.Retrieve.
func pathAt(text string, i int) int {
	if i >= len(text) || !identByte(text[i]) || '0' <= text[i] && text[i] <= '9' || i > 0 && (identByte(text[i-1]) || text[i-1] == '.') {
		return i
	}
	for i < len(text) && (identByte(text[i]) || text[i] == '.') {
		i++
	}
	return i
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
	end := pathAt(text, i)
	if end == i || end >= limit || text[end] != '(' {
		return false
	}
	_, ok := g.tool(text[i:end])
	return ok
}

// parse reads the call at byte i of a text; limit is the end of an action without an end marker.
func (g Grammar) parse(text string, i, limit int) parsed {
	if g.Format.orPython() == Python {
		return g.parsePython(text, i, limit)
	}
	w, fault := g.read(text, i, limit, python.Options{})
	latex, latexFault := g.read(text, i, limit, python.Options{LaTeX: true})
	if fault != nil && latexFault == nil {
		w, fault = latex, nil
	}
	end := max(i, w.end)
	if fault != nil {
		return parsed{fault: at(text, fault.Offset, qa.ErrSyntax, fmt.Sprintf("the action cannot be read as %s: %s.",
			strings.ToUpper(string(g.Format)), strings.TrimRight(fault.Reason, "."))), end: max(end, fault.Offset)}
	}
	spec, known := g.tool(w.name)
	if !known {
		return parsed{fault: g.unknown(text, i, w.name), end: end}
	}
	if spec.verbatim() {
		if kept, fault := g.read(text, i, limit, python.Options{KeepControls: true}); fault == nil {
			w, latex = kept, kept
		}
	}
	return g.bound(text, spec, w.call(i), latex.call(i))
}

// verbatim reports whether no argument is an answer, which may be LaTeX: control characters in texts are always mistakes.
func (s Spec) verbatim() bool {
	return !slices.ContainsFunc(s.Params, func(p Param) bool { return p.Kind == Any })
}

// parsePython reads the call at byte i of a text. A line break in a string is accepted if the call ends before limit.
func (g Grammar) parsePython(text string, i, limit int) parsed {
	name := text[i:pathAt(text, i)]
	spec, known := g.tool(name)
	if !known {
		return parsed{fault: g.unknown(text, i, name), end: i}
	}
	start := i + strings.LastIndexByte(name, '.') + 1
	o := python.Options{JSONConstants: true, KeepControls: spec.verbatim(), Apart: true}
	call, err := python.ParseCall(text, start, o)
	if err != nil {
		o.Lines = true
		if long, again := python.ParseCall(text[:limit], start, o); again == nil {
			call, err = long, nil
		} else {
			o.Lines = false
		}
	}
	latex := call
	o.LaTeX = !o.KeepControls
	if o.LaTeX && (err != nil || strings.Contains(text[start:call.End], `\`)) {
		var refused error
		latex, refused = python.ParseCall(text, start, o)
		if err != nil && refused == nil {
			call, err = latex, nil // \xi is LaTeX, although Python reads it as an escape
		}
	}
	if lit := (*python.Error)(nil); errors.As(err, &lit) {
		reason := fmt.Sprintf("the call of %s cannot be read: %s.", spec.Name, strings.TrimRight(lit.Reason, "."))
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
	if spec.verbatim() {
		return a
	}
	if kept, bad := (wording{}).bind(spec, latex); bad == nil {
		if text := render(spec, kept); text != a.Text {
			a.LaTeX = text
		}
	}
	return a
}

func identByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// tool finds the tool that a name means: its own, or else the only one that occurs in it, letter case ignored, between other
// characters than letters: functions.Retrieve, proxy_Retrieve, retrieve.
func (g Grammar) tool(name string) (Spec, bool) {
	if spec, ok := g.spec(name); ok || name == "" {
		return spec, ok
	}
	var found []Spec
	for _, s := range g.Specs {
		if occursAlone(name, s.Name) {
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		return Spec{}, false
	}
	return found[0], true
}

// occursAlone reports whether a word occurs in a text between other characters than letters.
func occursAlone(text, word string) bool {
	text, word = strings.ToLower(text), strings.ToLower(word)
	isLetter := func(c byte) bool { return 'a' <= c && c <= 'z' || c >= utf8.RuneSelf }
	for from := 0; ; {
		n := strings.Index(text[from:], word)
		if n < 0 {
			return false
		}
		start, end := from+n, from+n+len(word)
		if (start == 0 || !isLetter(text[start-1])) && (end == len(text) || !isLetter(text[end])) {
			return true
		}
		from = end
	}
}

func (g Grammar) spec(name string) (Spec, bool) {
	if i := slices.IndexFunc(g.Specs, func(s Spec) bool { return s.Name == name }); i >= 0 {
		return g.Specs[i], true
	}
	return Spec{}, false
}

// blank returns the name of an argument that is "..." as in the prompt's description, or "".
func blank(spec Spec, args bound) string {
	for _, p := range spec.Params {
		if isBlank(args[p.Name]) {
			return p.Name
		}
	}
	return ""
}

func isBlank(v python.Value) bool {
	all := func(items []python.Value) bool {
		return len(items) > 0 && !slices.ContainsFunc(items, func(item python.Value) bool { return !isBlank(item) })
	}
	switch x := v.(type) {
	case python.Ellipsis:
		return true
	case string:
		s := strings.TrimSpace(x)
		return s == "..." || s == "…" || s == "<...>"
	case python.List:
		return all(x)
	case python.Tuple:
		return all(x)
	}
	return false
}
