package table

import (
	"fmt"
	"slices"
	"strings"
)

// Kind is a kind of type.
type Kind uint8

// Kinds.
const (
	Null Kind = iota
	Bool
	Int
	Float
	Time
	String
	List
	Struct
	Mixed // values of several kinds, kept as JSON
)

var kindNames = [...]string{"null", "boolean", "number", "number", "string", "string", "array", "object", "mixed"}

// Type is the type of a column or of a part of it.
type Type struct {
	Kind   Kind
	Elem   *Type   // of a list
	Fields []Field // of an object
}

// Field is a key of an object.
type Field struct {
	Name string
	Type *Type
}

// Field returns the type of a key.
func (t *Type) Field(name string) (*Type, bool) {
	if t.Kind == Struct {
		for _, f := range t.Fields {
			if f.Name == name {
				return f.Type, true
			}
		}
	}
	return nil, false
}

// String prints a type as Arrow does, such as list<item: string>.
func (t *Type) String() string {
	switch t.Kind {
	case List:
		return "list<item: " + t.Elem.String() + ">"
	case Struct:
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = f.Name + ": " + f.Type.String()
		}
		return "struct<" + strings.Join(parts, ", ") + ">"
	}
	return [...]string{"null", "bool", "int64", "double", "timestamp[s]", "string", "list", "struct", "json"}[t.Kind]
}

// maxDepth is the maximum nesting of a column's type.
const maxDepth = 63

// depth returns the nesting of a type, 1 for a scalar.
func (t *Type) depth() int {
	deepest := 0
	if t.Elem != nil {
		deepest = t.Elem.depth()
	}
	for _, f := range t.Fields {
		deepest = max(deepest, f.Type.depth())
	}
	return 1 + deepest
}

// castable returns the error with which values of a shape cannot be written into a column of type t.
func (t *Type) castable(s *shape) error {
	from := s.typ()
	switch {
	case from.Kind == Null, t.Kind == Mixed, t.Kind == String && from.Kind == Mixed:
		return nil
	case t.Kind == List && from.Kind == List:
		return inside("[]", t.Elem.castable(s.elem))
	case t.Kind == Struct && from.Kind == Struct:
		return t.castFields(s)
	case t.accepts(from.Kind, s):
		return nil
	}
	return &fault{text: fmt.Sprintf("Couldn't cast array of type %s to %s", from, t)}
}

// casts lists the kinds of scalars that can be cast into a kind, whatever the values.
var casts = map[Kind][]Kind{
	Bool: {Bool, Int, Float}, Int: {Bool, Int, Time}, Float: {Bool, Int, Float}, Time: {Time, Int},
	String: {Bool, Int, Float, Time, String},
}

// accepts reports whether scalars of a kind, with the facts of their shape, can be cast.
func (t *Type) accepts(from Kind, s *shape) bool {
	switch {
	case t.Kind == Int && from == Float:
		return !s.fraction
	case t.Kind == Int && from == String:
		return !s.notInt
	case t.Kind == Float && from == String:
		return !s.notFloat
	}
	return slices.Contains(casts[t.Kind], from)
}

func (t *Type) castFields(s *shape) error {
	for _, f := range s.list {
		mine, ok := t.Field(f.name)
		if !ok {
			return &fault{path: "/" + f.name, text: "Couldn't cast because column names don't match: no earlier row has this key"}
		}
		if err := inside(f.name, mine.castable(f)); err != nil {
			return err
		}
	}
	return nil
}
