package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// schema is the type of a JSON value as tables have it. Readers take it from the card, so that it does not depend on
// which rows they read first.
type schema struct {
	// dtype is the type of a scalar: "string", "int64", "float64" or "bool"; empty for lists, objects and unknown types.
	dtype string
	// item is the type of the items of a list.
	item *schema
	// names are the keys of an object in the order of their appearance.
	names  []string
	fields map[string]*schema
}

// add extends the type so that it includes the value of a line.
func (s *schema) add(line []byte) error {
	in := json.NewDecoder(bytes.NewReader(line))
	in.UseNumber()
	return s.value(in)
}

func (s *schema) value(in *json.Decoder) error {
	token, err := in.Token()
	if err != nil {
		return err
	}
	switch v := token.(type) {
	case json.Delim:
		return s.members(in, v)
	case string:
		s.dtype = "string"
	case bool:
		s.dtype = "bool"
	case json.Number:
		s.dtype = "int64"
		if strings.ContainsAny(v.String(), ".eE") {
			s.dtype = "float64"
		}
	}
	return nil
}

// members reads what follows the bracket of a list or an object.
func (s *schema) members(in *json.Decoder, bracket json.Delim) (err error) {
	if bracket == '[' && s.item == nil {
		s.item = new(schema)
	}
	if bracket == '{' && s.fields == nil {
		s.fields = make(map[string]*schema)
	}
	for in.More() {
		of := s.item
		if bracket == '{' {
			if of, err = s.field(in); err != nil {
				return err
			}
		}
		if err := of.value(in); err != nil {
			return err
		}
	}
	_, err = in.Token()
	return err
}

// field reads a key and returns its type.
func (s *schema) field(in *json.Decoder) (*schema, error) {
	key, err := in.Token()
	name := fmt.Sprint(key)
	if s.fields[name] == nil && err == nil {
		s.fields[name] = new(schema)
		s.names = append(s.names, name)
	}
	return s.fields[name], err
}

// write writes the fields of an object as YAML, as cards describe features.
func (s *schema) write(w io.Writer, indent string) {
	for _, name := range s.names {
		quoted, err := encode(name)
		if err != nil {
			panic("export: a text is no JSON: " + err.Error()) // texts always are
		}
		_, _ = fmt.Fprintf(w, "%s- name: %s\n", indent, quoted)
		field, indent := s.fields[name], indent+"  "
		switch {
		case field.fields != nil:
			field.writeFields(w, indent, "struct")
		case field.item != nil && field.item.fields != nil:
			field.item.writeFields(w, indent, "list")
		case field.item != nil:
			_, _ = fmt.Fprintf(w, "%slist: %s\n", indent, field.item.scalar())
		default:
			_, _ = fmt.Fprintf(w, "%sdtype: %s\n", indent, field.scalar())
		}
	}
}

func (s *schema) writeFields(w io.Writer, indent, kind string) {
	if len(s.names) == 0 {
		_, _ = fmt.Fprintf(w, "%s%s: []\n", indent, kind)
		return
	}
	_, _ = fmt.Fprintf(w, "%s%s:\n", indent, kind)
	s.write(w, indent)
}

// scalar is the name of a type; a text if no row has a value.
func (s *schema) scalar() string {
	if s.dtype == "" {
		return "string"
	}
	return s.dtype
}
