package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// object is a JSON object of a companion benchmark whose members are read one by one: a wrong type costs that member, or
// what the reader names.
type object struct {
	at      string // place in the file
	members map[string]json.RawMessage
	report  func(text, costs string)
	lost    bool
}

// newObject reads the names of an object. If the value is something else, it reports that this costs the object.
func newObject(raw json.RawMessage, at, costs string, report func(text, costs string)) (*object, bool) {
	o := &object{at: at, report: report}
	if json.Unmarshal(raw, &o.members) != nil || o.members == nil {
		o.fault("", " is "+Kind(raw)+", not an object", costs)
		return o, false
	}
	return o, true
}

// fault reports a problem of a member. Only the first that costs something says so, since it is lost once.
func (o *object) fault(name, text, costs string) {
	switch {
	case name == "":
	case strings.HasSuffix(o.at, ":"):
		name = " " + name
	default:
		name = "." + name
	}
	text = o.at + name + text
	switch {
	case costs == "":
		text += "; it is left out"
	case o.lost:
		costs = ""
	default:
		o.lost = true
		text += "; the " + costs + " is skipped"
	}
	o.report(text, costs)
}

// member reads a member; a missing one and null are the zero value. A wrong type is a fault.
func member[T any](o *object, name, costs string) (v T) {
	raw := o.members[name]
	if len(raw) > 0 && json.Unmarshal(raw, &v) != nil {
		o.fault(name, " is "+Kind(raw)+", not "+typeName(reflect.TypeFor[T]()), costs)
		var none T
		return none
	}
	return v
}

// list reads a list. An element of a wrong type costs itself, or what costs names; a value that is not a list costs the
// same. places keeps the zero value in the place of a faulty element.
func list[T any](o *object, name, costs string, places bool) (values []T) {
	for i, raw := range member[[]json.RawMessage](o, name, costs) {
		var v T
		if _, later := any(v).(json.RawMessage); !later && string(raw) == "null" || json.Unmarshal(raw, &v) != nil {
			o.fault(name+"["+strconv.Itoa(i)+"]", " is "+Kind(raw)+", not "+typeName(reflect.TypeFor[T]()), costs)
			if !places {
				continue
			}
			v = *new(T)
		}
		values = append(values, v)
	}
	return values
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
	return "a number (" + short(raw) + ")"
}

// typeName names the JSON values of a type.
func typeName(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[decimal]():
		return "a number or a string"
	case t.Kind() == reflect.Pointer:
		return typeName(t.Elem())
	case t.Kind() == reflect.String:
		return "a string"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Int:
		return "a whole number"
	case t.Kind() == reflect.Slice && !t.Implements(reflect.TypeFor[keyed]()):
		return "a list"
	}
	return "an object"
}

// FieldError describes an error of encoding/json about a record in words: the field, its kind and the one that it should
// have.
func FieldError(err error) error {
	var e *json.UnmarshalTypeError
	if !errors.As(err, &e) {
		return err
	}
	kinds := map[string]string{"string": "a string", "number": "a number", "bool": "true or false", "array": "a list", "object": "an object"}
	kind, ok := kinds[e.Value]
	if !ok {
		kind = "a " + e.Value // such as "number 3.5"
	}
	if e.Field == "" {
		return fmt.Errorf("it is %s, not %s", kind, typeName(e.Type))
	}
	return fmt.Errorf("%s is %s, not %s", e.Field, kind, typeName(e.Type))
}

// wrongType is the error of a type that reads its JSON itself.
func wrongType[T any](raw []byte) error {
	kind := "object"
	if i := slices.Index([]byte(`"[tfn`), raw[0]); i >= 0 {
		kind = []string{"string", "array", "bool", "bool", "null"}[i]
	} else if raw[0] != '{' {
		kind = "number"
	}
	return &json.UnmarshalTypeError{Value: kind, Type: reflect.TypeFor[T]()}
}
