package table

import (
	"math"
	"strconv"
	"strings"

	"airqa/internal/python"
)

// Cell is a value with the type of its column: a key that the row lacks but another row has is null.
type Cell struct {
	Value python.Value
	Type  *Type
}

// Moment is the value of a text that was read as a timestamp.
type Moment string

// Get returns a key of an object; ok is false if no row has it.
func (c Cell) Get(name string) (Cell, bool) {
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

// Items returns the items of a list.
func (c Cell) Items() []Cell {
	list, _ := c.Value.(python.List)
	items := make([]Cell, len(list))
	for i, v := range list {
		items[i] = Cell{v, c.Type.Elem}
	}
	return items
}

// Python returns the value as the trainer gets it: with all keys of its type, whole numbers as floats beside floats.
func (c Cell) Python() python.Value {
	if c.Value == nil || c.Type.Kind == Null {
		return nil
	}
	switch c.Type.Kind {
	case List:
		list := python.List{}
		for _, item := range c.Items() {
			list = append(list, item.Python())
		}
		return list
	case Struct:
		d := &python.Dict{}
		for _, f := range c.Type.Fields {
			v, _ := c.Get(f.Name)
			d.Set(f.Name, v.Python())
		}
		return d
	}
	return c.scalar()
}

func (c Cell) scalar() python.Value {
	switch c.Type.Kind {
	case Float:
		if i, ok := c.Value.(int64); ok {
			return float64(i)
		}
	case Int:
		return toInt(c.Value)
	case String:
		return toText(c.Value)
	case Time:
		if s, ok := c.Value.(string); ok {
			return Moment(s)
		}
	}
	return c.Value
}

func toInt(v python.Value) python.Value {
	switch x := v.(type) {
	case float64:
		return int64(x)
	case string:
		if i, ok := python.SmallInt(x); ok {
			return i
		}
	}
	return v
}

func toText(v python.Value) python.Value {
	switch x := v.(type) {
	case string:
		return x
	case bool:
		if x {
			return "true"
		}
		return "false"
	case float64:
		if x == math.Trunc(x) && math.Abs(x) < 1e15 {
			return strconv.FormatFloat(x, 'f', -1, 64)
		}
	}
	return python.Str(v)
}

// withoutSurrogates drops lone surrogates, as pandas does.
func withoutSurrogates(v python.Value) python.Value {
	switch x := v.(type) {
	case string:
		return strings.ToValidUTF8(x, "")
	case python.List:
		for i := range x {
			x[i] = withoutSurrogates(x[i])
		}
	case *python.Dict:
		for key, item := range x.All() {
			x.Set(key, withoutSurrogates(item))
		}
	}
	return v
}

// plainText returns the text of a string as written between its quotes.
func plainText(body []byte) string {
	v, err := python.FromJSON([]byte(`"` + string(body) + `"`))
	if err != nil {
		return string(body)
	}
	s, _ := v.(string)
	return s
}
