package table

import (
	"errors"
	"fmt"
)

// shape is the inferred form of a column: of one block while it is parsed, then of all blocks of a part of the file.
type shape struct {
	name string
	kind Kind // Int stands for any number and String for any text until all is read
	elem *shape
	list []*shape // fields of an object, in order of appearance
	seen int      // number of the last object that had this field

	notInt, notFloat bool // of numbers and texts: some value is not a whole or any number
	notTime          bool // of texts: some value is no timestamp
	fraction         bool // of numbers: some value has a fraction
}

// field returns the field of an object by name; at is the position where it is expected.
func (s *shape) field(name []byte, at int) *shape {
	if at < len(s.list) && s.list[at].name == string(name) {
		return s.list[at]
	}
	for _, f := range s.list {
		if f.name == string(name) {
			return f
		}
	}
	f := &shape{name: string(name)}
	s.list = append(s.list, f)
	return f
}

// errRetry is returned by merge for blocks that must be read together: the reader doubles their size.
var errRetry = errors.New("a nested value after nulls only")

// fault is an error at a place in a row.
type fault struct {
	path string // such as /conversations/[]/value
	text string
	free bool // the text does not need the path
}

func (f *fault) Error() string {
	if f.free {
		return f.text
	}
	return "Column(" + f.path + ") " + f.text
}

// conflict is a change of type within a column.
func conflict(from, to Kind) error {
	return &fault{text: fmt.Sprintf("changed from %s to %s", kindNames[from], kindNames[to])}
}

// merge adds the shape of the next block, as the reader's converters do: a type may widen, but only texts accept another
// kind, numbers.
func (s *shape) merge(b *shape) error {
	switch {
	case b.kind == Null:
		return nil
	case s.kind == Null:
		return s.start(b)
	case s.kind == Struct:
		return s.mergeFields(b)
	case s.kind == String && b.kind == Int:
		s.notTime = true
	case s.kind != b.kind:
		return conflict(s.kind, b.kind)
	case s.kind == List:
		return inside("[]", s.elem.merge(b.elem))
	}
	s.notInt, s.notFloat, s.notTime = s.notInt || b.notInt, s.notFloat || b.notFloat, s.notTime || b.notTime
	s.fraction = s.fraction || b.fraction
	return nil
}

// start gives a column that was null its kind.
func (s *shape) start(b *shape) error {
	if b.kind == List || b.kind == Struct {
		return errRetry
	}
	name := s.name
	*s = *b
	s.name = name
	return nil
}

// mergeFields adds an object. A scalar in its place leaves every field null, without an error.
func (s *shape) mergeFields(b *shape) error {
	if b.kind == List {
		return conflict(Struct, List)
	}
	for i, f := range b.list {
		known := len(s.list)
		mine := s.field([]byte(f.name), i)
		if len(s.list) > known {
			*mine = *f
			continue
		}
		if err := inside(f.name, mine.merge(f)); err != nil {
			return err
		}
	}
	return nil
}

// inside adds a part of the path to an error of a nested value.
func inside(name string, err error) error {
	if f, ok := err.(*fault); ok { //nolint:errorlint // never wrapped
		f.path = "/" + name + f.path
	}
	return err
}

// typ returns the type of a column.
func (s *shape) typ() *Type {
	switch s.kind {
	case Int:
		if s.notInt {
			return &Type{Kind: Float}
		}
	case String:
		if !s.notTime {
			return &Type{Kind: Time}
		}
	case List:
		return &Type{Kind: List, Elem: s.elem.typ()}
	case Struct:
		t := &Type{Kind: Struct}
		for _, f := range s.list {
			t.Fields = append(t.Fields, Field{f.name, f.typ()})
		}
		return t
	}
	return &Type{Kind: s.kind}
}
