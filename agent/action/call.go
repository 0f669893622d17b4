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

// opens reports whether an action may begin at byte i: the name of a tool before its parenthesis, or the equivalent in
// the other formats.
func (g Grammar) opens(text string, i, limit int) bool {
	rest := text[i:limit]
	switch g.Format {
	case JSON:
		return strings.HasPrefix(rest, "{") && strings.IndexAny(strings.TrimLeft(rest[1:], " \t\r\n"), `"'`) == 0
	case XML:
		return strings.HasPrefix(rest, "<action>")
	case YAML:
		return yamlKey(rest)
	}
	end := pathAt(text, i)
	if end == i || end >= limit || text[end] != '(' {
		return false
	}
	return g.tool(text[i+strings.LastIndexByte(text[i:end], '.')+1:end]) != nil
}

// parse reads the call at byte i of a text; limit is the end of an action without an end marker.
func (g Grammar) parse(text string, i, limit int) parsed {
	failure := "the action cannot be read as " + strings.ToUpper(string(g.Format))
	read := func(o python.Options) (python.Call, error) { return g.read(text, i, limit, o) }
	if g.Format.orPython() == Python {
		path := text[i:pathAt(text, i)]
		start := i + strings.LastIndexByte(path, '.') + 1
		spec := g.tool(text[start : i+len(path)])
		if spec == nil {
			return parsed{fault: g.unknown(text, i, path), end: i}
		}
		failure = "the call of " + spec.Name + " cannot be read"
		read = func(o python.Options) (python.Call, error) { return readPython(text, start, limit, o) }
	}
	call, latex, err := g.variants(text, i, read)
	if bad := (*python.Error)(nil); errors.As(err, &bad) {
		reason := fmt.Sprintf("%s: %s.", failure, strings.TrimRight(bad.Reason, "."))
		return parsed{fault: at(text, bad.Offset, qa.ErrSyntax, reason), end: max(i, bad.Offset, call.End)}
	}
	spec := g.tool(call.Name)
	if spec == nil {
		return parsed{fault: g.unknown(text, i, call.Name), end: call.End}
	}
	return g.bound(text, *spec, call, latex)
}

// variants reads the call at byte i of a text as it is, and with LaTeX commands unchanged. Escapes of control characters are kept
// as written if no argument can be an answer, which may be LaTeX: they are always mistakes then. The end of the call is 0 if
// nothing could be read.
func (g Grammar) variants(text string, i int, read func(python.Options) (python.Call, error)) (call, latex python.Call, err error) {
	call, err = read(python.Options{})
	if err == nil && !strings.Contains(text[i:call.End], `\`) {
		return call, call, nil
	}
	o := python.Options{LaTeX: true}
	if spec := g.tool(call.Name); spec != nil && spec.verbatim() {
		o = python.Options{KeepControls: true}
	}
	other, refused := read(o)
	switch {
	case refused != nil:
		return call, call, err
	case err != nil || o.KeepControls:
		return other, other, nil // \xi is LaTeX, although Python reads it as an escape
	}
	return call, other, nil
}

// verbatim reports whether no argument is an answer.
func (s Spec) verbatim() bool {
	return !slices.ContainsFunc(s.Params, func(p Param) bool { return p.Kind == Any })
}

// readPython reads the call at byte i of a text. A line break in a string is accepted if the call ends before limit.
func readPython(text string, i, limit int, o python.Options) (python.Call, error) {
	o.JSONConstants, o.Apart = true, true
	call, err := python.ParseCall(text, i, o)
	if err != nil {
		o.Lines = true
		if long, refused := python.ParseCall(text[:limit], i, o); refused == nil {
			return long, nil
		}
	}
	return call, err
}

// bound makes the action of a call. latex is the same call with LaTeX commands unchanged.
func (g Grammar) bound(text string, spec Spec, call, latex python.Call) parsed {
	args, bad := g.Format.orPython().bind(spec, call)
	placeholder := blank(spec, args)
	if placeholder != "" {
		bad = invalid(0, "parameter %q of %s has a placeholder, not a value.", placeholder, spec.Name)
	}
	if bad != nil {
		return parsed{fault: at(text, cmp.Or(bad.Offset, call.NameStart), qa.ErrParameter, bad.Reason), end: call.End, blank: placeholder != ""}
	}
	a := action(spec, args, latex)
	a.Start, a.End = call.NameStart, call.End
	return parsed{action: a, end: call.End}
}

// action builds the action of bound arguments.
func action(spec Spec, args bound, latex python.Call) *qa.Action {
	a := &qa.Action{Name: spec.Name, Args: make(map[string]any, len(args)), Text: render(spec, args)}
	for name, v := range args {
		a.Args[name] = python.ToGo(v)
	}
	if spec.verbatim() {
		return a
	}
	if kept, bad := Python.bind(spec, latex); bad == nil {
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
// characters than letters: functions.Retrieve, proxy_Retrieve, retrieve. It returns nil if there is none.
func (g Grammar) tool(name string) *Spec {
	if i := slices.IndexFunc(g.Specs, func(s Spec) bool { return s.Name == name }); i >= 0 {
		return &g.Specs[i]
	}
	var found []*Spec
	for i, s := range g.Specs {
		if occursAlone(name, s.Name) {
			found = append(found, &g.Specs[i])
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// occursAlone reports whether a word occurs in a text between other characters than letters.
func occursAlone(text, word string) bool {
	text, word = strings.ToLower(text), strings.ToLower(word)
	spaced := func(s string) string {
		words := strings.FieldsFunc(s, func(r rune) bool { return r < utf8.RuneSelf && (r < 'a' || r > 'z') })
		return " " + strings.Join(words, " ") + " "
	}
	return strings.Contains(text, word) && strings.Contains(spaced(text), spaced(word))
}

// blank returns the name of an argument that has nothing but "..." in it, as in the prompt's description, or "".
func blank(spec Spec, args bound) string {
	for _, p := range spec.Params {
		leaves := slices.Collect(python.Leaves(args[p.Name]))
		if len(leaves) > 0 && !slices.ContainsFunc(leaves, func(leaf python.Value) bool {
			text, isText := leaf.(string)
			return leaf != (python.Ellipsis{}) && (!isText || !slices.Contains([]string{"...", "…", "<...>"}, strings.TrimSpace(text)))
		}) {
			return p.Name
		}
	}
	return ""
}
