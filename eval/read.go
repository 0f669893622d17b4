package eval

import "airqa/internal/pyliteral"

// asList reads an answer as a list. What is no list is the only element of one; read is false then. The
// authors evaluate the text as Python; here it must be a literal.
func asList(v pyliteral.Value) (items []pyliteral.Value, read bool) {
	if items, ok := elements(v); ok {
		return items, true
	}
	text, ok := sourceText(v)
	if !ok {
		return []pyliteral.Value{v}, false
	}
	if parsed, ok := pyliteral.Read(text); ok {
		if items, ok := elements(parsed); ok {
			return items, true
		}
	}
	return []pyliteral.Value{v}, false
}

func elements(v pyliteral.Value) ([]pyliteral.Value, bool) {
	switch x := v.(type) {
	case pyliteral.List:
		return x, true
	case pyliteral.Tuple:
		return x, true
	case pyliteral.Set:
		return x, true
	}
	return nil, false
}

// sourceText returns v if it is something that Python could evaluate.
func sourceText(v pyliteral.Value) (string, bool) {
	switch x := v.(type) {
	case string:
		return x, true
	case pyliteral.Bytes:
		return string(x), true
	}
	return "", false
}

// asDict reads an answer as a dictionary. A text that is JSON gives whatever the JSON is, which may be no
// dictionary (nil then); a text that cannot be read gives an empty one with read false.
func asDict(v pyliteral.Value) (d *pyliteral.Dict, read bool) {
	if d, ok := v.(*pyliteral.Dict); ok {
		return d, true
	}
	text, ok := sourceText(v)
	if !ok {
		return &pyliteral.Dict{}, false
	}
	if parsed, ok := pyliteral.ReadJSON(text); ok {
		d, _ := parsed.(*pyliteral.Dict)
		return d, true
	}
	if parsed, ok := pyliteral.Read(text); ok {
		if d, ok := parsed.(*pyliteral.Dict); ok {
			return d, true
		}
	}
	return &pyliteral.Dict{}, false
}
