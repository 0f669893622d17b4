package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"airqa/internal/files"
	"airqa/internal/terminal"
	"airqa/qa/dataset"
)

// EachMember calls f for each member of the JSON object in a file, in order. f decodes the value. The file is read as
// a stream.
func EachMember(path string, f func(name string, dec *json.Decoder) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	dec := NewDecoder(file)
	err = Members(dec, func(name string) error { return f(name, dec) })
	if err == nil || errors.As(err, new(*os.PathError)) { // which names the file
		return err
	}
	return fmt.Errorf("read %s: %w", path, SyntaxError(err))
}

// NewDecoder reads the JSON of a text that a person or a program of theirs wrote: see [files.TextReader].
func NewDecoder(r io.Reader) *json.Decoder {
	return json.NewDecoder(bufio.NewReaderSize(files.TextReader(r), 1<<20))
}

// Members reads an object. f has to read each value.
func Members(dec *json.Decoder, f func(name string) error) error {
	if err := open(dec, '{'); err != nil {
		return err
	}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return err
		}
		if err := f(t.(string)); err != nil { // names are strings, or Token fails
			return err
		}
	}
	_, err := dec.Token()
	return err
}

// Elements reads an array. f has to read each value.
func Elements(dec *json.Decoder, f func(dec *json.Decoder, i int) error) error {
	if err := open(dec, '['); err != nil {
		return err
	}
	for i := 0; dec.More(); i++ {
		if err := f(dec, i); err != nil {
			return fmt.Errorf("element %d: %w", i, err)
		}
	}
	_, err := dec.Token()
	return err
}

// ErrBeginning means that a value is of another kind.
var ErrBeginning = errors.New("this begins with")

func open(dec *json.Decoder, want json.Delim) error {
	t, err := dec.Token()
	if err == nil && t != want {
		err = fmt.Errorf("%w %.20q instead of %q", ErrBeginning, fmt.Sprint(t), want.String())
	}
	return err
}

// SyntaxError adds the position to an error of the decoder.
func SyntaxError(err error) error {
	var e *json.SyntaxError
	switch {
	case errors.As(err, &e):
		return fmt.Errorf("not JSON at byte %d: %w", e.Offset, err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the file ends in the middle of a value; download it again: %w", io.ErrUnexpectedEOF)
	}
	return err
}

// Object is a JSON object of a benchmark whose members are read one by one: a wrong type costs that member, or what the
// reader names, and the rest still loads.
type Object struct {
	// At is the place in the file, Report takes the faults.
	At      string
	Members map[string]json.RawMessage
	Report  func(text, costs string)
	// Lost means that a fault cost the object.
	Lost bool
}

// NewObject reads the names of an object. If the value is something else, it reports that this costs the object: it is lost
// and has no members.
func NewObject(raw json.RawMessage, at, costs string, report func(text, costs string)) *Object {
	o := &Object{At: at, Report: report}
	if json.Unmarshal(raw, &o.Members) != nil || o.Members == nil {
		o.Fault("", " is "+Kind(raw)+", not an object", costs)
	}
	return o
}

// Fault reports a problem of a member. Only the first that costs something says so, since it is lost once.
func (o *Object) Fault(name, text, costs string) {
	switch {
	case name == "":
	case strings.HasSuffix(o.At, ":"):
		name = " " + name
	default:
		name = "." + name
	}
	text = o.At + name + text
	switch {
	case costs == "":
		text += "; it is left out"
	case o.Lost:
		costs = ""
	default:
		o.Lost = true
		text += "; the " + costs + " is skipped"
	}
	o.Report(text, costs)
}

// Member reads a member; a missing one and null are the zero value. A wrong type is a fault.
func Member[T any](o *Object, name, costs string) (v T) {
	raw := o.Members[name]
	if len(raw) > 0 && json.Unmarshal(raw, &v) != nil {
		o.Fault(name, " is "+Kind(raw)+", not "+typeName(reflect.TypeFor[T]()), costs)
		return *new(T)
	}
	return v
}

// Expect reports members that are missing or null, at what cost.
func (o *Object) Expect(costs string, names ...string) {
	for _, name := range names {
		switch raw := o.Members[name]; {
		case len(raw) > 0 && raw[0] != 'n':
		case costs != "":
			o.Fault(name, " is "+Kind(raw), costs)
		default:
			o.Report(o.At+" "+name+" is "+Kind(raw), "")
		}
	}
}

// Costs is what faults of a list cost: a value that is not a list, and an element of a wrong type; empty for themselves.
type Costs struct {
	List, Element string
	// Places keeps the zero value in the place of a faulty element.
	Places bool
}

// List reads a list.
func List[T any](o *Object, name string, c Costs) (values []T) {
	for i, raw := range Member[[]json.RawMessage](o, name, c.List) {
		var v T
		if _, later := any(v).(json.RawMessage); !later && string(raw) == "null" || json.Unmarshal(raw, &v) != nil {
			o.Fault(name+"["+strconv.Itoa(i)+"]", " is "+Kind(raw)+", not "+typeName(reflect.TypeFor[T]()), c.Element)
			if !c.Places {
				continue
			}
			v = *new(T)
		}
		values = append(values, v)
	}
	return values
}

// Lists reads an object of lists. A faulty element costs itself.
func Lists[T any](o *Object, name, costs string) (lists Ordered[[]T]) {
	for _, m := range Member[Ordered[json.RawMessage]](o, name, costs) {
		inner := &Object{At: o.At + "." + name, Members: map[string]json.RawMessage{m.Name: m.Value}, Report: o.Report}
		lists = append(lists, Entry[[]T]{m.Name, List[T](inner, m.Name, Costs{})})
	}
	return lists
}

// Kind names the kind of a JSON value, such as "a list".
func Kind(raw json.RawMessage) string {
	switch {
	case len(raw) == 0:
		return "missing"
	case raw[0] == '"':
		return "a string"
	case raw[0] == '[':
		return "a list"
	case raw[0] == '{':
		return "an object"
	case raw[0] == 'n':
		return "null"
	case raw[0] == 't', raw[0] == 'f':
		return string(raw)
	}
	return "a number (" + terminal.Clip(string(raw), 40) + ")"
}

func typeName(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[Decimal]():
		return "a number or a string"
	case t.Kind() == reflect.Pointer:
		return typeName(t.Elem())
	case t.Implements(reflect.TypeFor[keyed]()):
		return "an object"
	}
	return dataset.TypeName(t)
}

// Ordered is an object whose members keep their order.
type Ordered[T any] []Entry[T]

// Entry is a member of an [Ordered] object.
type Entry[T any] struct {
	Name  string
	Value T
}

// keyed is implemented by lists that are objects in JSON.
type keyed interface{ keyed() }

func (Ordered[T]) keyed() {}

// UnmarshalJSON keeps the last of several values of a name at the place of the first, as Python does.
func (o *Ordered[T]) UnmarshalJSON(raw []byte) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	return Members(dec, func(name string) error {
		m := Entry[T]{Name: name}
		if err := dec.Decode(&m.Value); err != nil {
			return err
		}
		if i := slices.IndexFunc(*o, func(e Entry[T]) bool { return e.Name == name }); i >= 0 {
			(*o)[i] = m
			return nil
		}
		*o = append(*o, m)
		return nil
	})
}

// Decimal is a number written as a string or as a number.
type Decimal string

// UnmarshalJSON keeps the digits.
func (d *Decimal) UnmarshalJSON(raw []byte) error {
	if raw[0] != '"' && raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return errors.New("it is not a number or a string")
	}
	*d = Decimal(bytes.Trim(raw, `"`))
	return nil
}
