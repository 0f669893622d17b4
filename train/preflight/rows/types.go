package rows

import (
	"math/bits"
	"slices"

	"airqa/internal/lazyregexp"
	"airqa/internal/python"
)

// Kinds is the set of the kinds of JSON values that a column or a key has in a file. Null is none.
type Kinds uint8

// Kinds of values.
const (
	Bool Kinds = 1 << iota
	Int
	Fraction
	Text
	List
	Object
)

var kindNames = map[Kinds]string{Bool: "boolean", Int: "number", Fraction: "number", Text: "string", List: "array", Object: "object"}

// String returns the name of the kind, of a set the first one.
func (k Kinds) String() string { return kindNames[k&-k] }

// mixed reports whether there are values of several types. Whole numbers and fractions are one.
func (k Kinds) mixed() bool {
	if k&Fraction != 0 {
		k = k&^Fraction | Int
	}
	return bits.OnesCount8(uint8(k)) > 1
}

// Type is what a file has in a column, or in a key of its objects: the trainer gives every row the keys of all rows.
type Type struct {
	Kinds  Kinds
	Elem   *Type   // of the items of lists
	Fields []Field // of objects, in the order of their appearance
	// other reports that some text is not a date.
	other bool
}

// Field is a key of an object.
type Field struct {
	Name string
	Type *Type
}

// Field returns the type of a key.
func (t *Type) Field(name string) (*Type, bool) {
	i := slices.IndexFunc(t.Fields, func(f Field) bool { return f.Name == name })
	if i < 0 {
		return nil, false
	}
	return t.Fields[i].Type, true
}

// datePattern is the beginning of the texts that the trainer's reader may take for timestamps.
var datePattern = lazyregexp.New(`^\d{4}-\d\d-\d\d([ T]|$)`)

// dates reports whether every text is a date.
func (t *Type) dates() bool { return t.Kinds&Text != 0 && !t.other }

// Cell is a value with the type of its column: a key that the row lacks but another row has is null.
type Cell struct {
	Value python.Value
	Type  *Type
}

// Date is the value of a text in a column of dates alone.
type Date string

// Get returns a key of an object; ok is false if no row has it.
func (c Cell) Get(name string) (value Cell, ok bool) {
	t, ok := c.Type.Field(name)
	if !ok {
		return Cell{}, false
	}
	d, isDict := c.Value.(*python.Dict)
	if !isDict {
		return Cell{nil, t}, true
	}
	v, _ := d.Get(name)
	return Cell{v, t}, true
}

// IsList reports whether the value is a list.
func (c Cell) IsList() bool {
	_, ok := c.Value.(python.List)
	return ok
}

// IsObject reports whether the value is an object.
func (c Cell) IsObject() bool {
	_, ok := c.Value.(*python.Dict)
	return ok
}

// Items returns the items of a list.
func (c Cell) Items() []Cell {
	list, _ := c.Value.(python.List)
	items := make([]Cell, len(list))
	for i, v := range list {
		items[i] = Cell{v, c.Type.Elem}
	}
	return items
}

// Python returns the value as the trainer gets it: with the keys of all rows, whole numbers as floats beside floats.
func (c Cell) Python() python.Value {
	switch v := c.Value.(type) {
	case python.List:
		list := make(python.List, 0, len(v))
		for _, item := range c.Items() {
			list = append(list, item.Python())
		}
		return list
	case *python.Dict:
		d := &python.Dict{}
		for _, f := range c.Type.Fields {
			value, _ := c.Get(f.Name)
			d.Set(f.Name, value.Python())
		}
		return d
	case int64:
		if c.Type.Kinds&Fraction != 0 {
			return float64(v)
		}
	case string:
		if c.Type.dates() {
			return Date(v)
		}
	}
	return c.Value
}
