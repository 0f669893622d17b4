package action

import (
	"cmp"
	"fmt"
	"strings"

	"airqa/internal/lazyregexp"
	"airqa/internal/python"
	"airqa/qa"
)

// native reads a call in the markup of a model's own tool calls, whatever the markup is called: the tag m names a tool, or the
// name of a tool follows it and then its arguments, or an object or a list of a call does. It returns false if it is no call.
// Markup that names a tool and has no arguments that can be read is a call with an error.
func (s *scanner) native(m mark) (parsed, bool) {
	if !s.mayCall(m) {
		return parsed{}, false
	}
	i := pass(s.reply, m.end, " \t\r\n[")
	path := pathAt(s.reply, i)
	if path > i && strings.HasPrefix(s.reply[path:], ":") && pathAt(s.reply, path+1) > path+1 {
		i, path = path+1, pathAt(s.reply, path+1) // "call:Retrieve"
	}
	spec := s.toolIn(s.reply[i:path])
	if spec == nil {
		if of := s.toolIn(s.reply[m.start:m.end]); of != nil {
			return s.arguments(*of, m.end), true
		}
		if strings.HasPrefix(s.reply[i:], "{") {
			return s.object(i)
		}
		return parsed{}, false
	}
	after := pass(s.reply, path, space)
	switch {
	case after == len(s.reply):
		return parsed{}, false
	case s.reply[path] == '(' && (m.kind == plainTag || s.reply[i-1] == '['):
		return Grammar{s.Specs, Python}.parse(s.reply, i, s.limit(i)), true
	}
	return s.arguments(*spec, path), strings.IndexByte("{<[:`", s.reply[after]) >= 0
}

// mayCall reports whether a tag may carry a call. Thinking may if it is addressed: to=functions.Retrieve. In the format JSON, an
// object behind an unknown tag may be an action as it was asked for.
func (s *scanner) mayCall(m mark) bool {
	if m.kind == hiddenChannel {
		return strings.Contains(s.reply[m.start:m.end], "=")
	}
	return (m.kind == plainTag || m.kind == otherTag && s.Format != JSON) && !m.tag.closing
}

// toolIn finds the tool that a tag names: <function=Retrieve>, to=functions.Retrieve.
func (g Grammar) toolIn(tag string) *Spec {
	for i := 0; i < len(tag); i++ {
		if end := pathAt(tag, i); end > i {
			if spec := g.tool(tag[i:end]); spec != nil && strings.Contains(tag[i:end], spec.Name) {
				return spec // a parameter may be called "query"
			}
			i = end - 1
		}
	}
	return nil
}

// object reads a JSON object that is a call: a text in it names a tool, and another member has the arguments.
func (s *scanner) object(i int) (parsed, bool) {
	g := Grammar{s.Specs, JSON}
	call, latex, err := g.variants(s.reply, i, func(o python.Options) (python.Call, error) { return g.read(s.reply, i, len(s.reply), o) })
	if call.End == 0 {
		if spec := s.toolIn(s.reply[i:lineEnd(s.reply, i)]); spec != nil {
			return s.unreadable(*spec, i), true
		}
		return parsed{}, false
	}
	if spec := s.tool(call.Name); spec != nil && err == nil {
		return g.bound(s.reply, *spec, call, latex), true
	}
	return parsed{}, false
}

// between is the markup between the name of a tool and its arguments: the index of a call, tags, a fence.
var between = lazyregexp.New("^(?:\\s|:\\d+|json\\b|```\\w*|<[^<>\\n]*>|\\[[A-Z_]+\\])*")

// arguments reads the arguments of a tool at byte i: an object, or an element for each parameter, whose tag names it or which
// follows an element with its name.
func (s *scanner) arguments(spec Spec, i int) parsed {
	call := python.Call{Name: spec.Name, NameStart: i, End: i}
	for param := ""; ; {
		tag, attributes, body, end := element(s.reply, call.End)
		named, key := spec.paramIn(tag+attributes), spec.param(strings.TrimSpace(body))
		switch {
		case end < 0, cmp.Or(param, named, key) == "":
			if len(call.Keywords) > 0 {
				return s.bound(s.reply, spec, call, call)
			}
			at := i + len(between.FindString(s.reply[i:]))
			if call, latex, err := s.objectArguments(spec, s.reply, at); err == nil {
				return s.bound(s.reply, spec, call, latex)
			}
			return s.unreadable(spec, i)
		case cmp.Or(param, named) == "":
			param = key
		default:
			text := strings.TrimSuffix(strings.TrimPrefix(strings.ReplaceAll(body, "\r\n", "\n"), "\n"), "\n")
			call.Keywords = append(call.Keywords, python.Keyword{Name: cmp.Or(param, named), Value: text, Offset: call.End})
			param = ""
		}
		call.End = end
	}
}

func (s *scanner) unreadable(spec Spec, i int) parsed {
	reason := fmt.Sprintf("the markup calls %s, but its arguments cannot be read. Write \"[Action]:\" and %s.", spec.Name, s.wanted())
	return parsed{fault: at(s.reply, i, qa.ErrSyntax, reason), end: i}
}
