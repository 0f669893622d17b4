package eval

import "airqa/internal/python"

// asList reads an answer as a list. Anything else becomes a list of one element, with read false. The authors evaluate
// the text as Python; here it must be a literal.
func asList(v python.Value) (items []python.Value, read bool) {
	return listBy(v, func(v python.Value) (python.Value, bool) {
		text, ok := sourceText(v)
		if !ok {
			return nil, false
		}
		return python.Read(text)
	})
}

// listBy reads an answer as a list, if need be with parse.
func listBy(v python.Value, parse func(python.Value) (python.Value, bool)) (items []python.Value, read bool) {
	if items, ok := python.Elements(v); ok {
		return items, true
	}
	if parsed, ok := parse(v); ok {
		if items, ok := python.Elements(parsed); ok {
			return items, true
		}
	}
	return []python.Value{v}, false
}

// sourceText returns v if Python could evaluate it.
func sourceText(v python.Value) (string, bool) {
	switch x := v.(type) {
	case string:
		return x, true
	case python.Bytes:
		return string(x), true
	}
	return "", false
}

// asDict reads an answer as a dictionary. A JSON text may hold another type (nil then); an unreadable text gives an
// empty dictionary with read false.
func asDict(v python.Value) (d *python.Dict, read bool) {
	if d, ok := v.(*python.Dict); ok {
		return d, true
	}
	text, ok := sourceText(v)
	if !ok {
		return &python.Dict{}, false
	}
	if parsed, ok := python.ReadJSON(text); ok {
		d, _ := parsed.(*python.Dict)
		return d, true
	}
	if parsed, ok := python.Read(text); ok {
		if d, ok := parsed.(*python.Dict); ok {
			return d, true
		}
	}
	return &python.Dict{}, false
}
