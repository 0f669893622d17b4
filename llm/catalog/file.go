package catalog

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"sync"

	"airqa/internal/lazyregexp"
)

// BuiltinFile names the list that ships with the program, in [Model.File].
const BuiltinFile = "built in"

//go:embed models.json
var builtin []byte

// Builtin returns the list that ships with the program.
func Builtin() *Catalog { return shipped() }

// shipped parses the list on first use. A test parses it too, so errors cannot reach users.
var shipped = sync.OnceValue(func() *Catalog {
	c := &Catalog{models: map[string]Model{}, names: map[string]string{}}
	if err := c.add(BuiltinFile, builtin); err != nil {
		panic(err)
	}
	return c
})

// Open returns the built-in list extended by the user's file at path; an empty path means only the built-in list. An
// entry with the name of a listed model overrides the fields it has and keeps the others; a price is one field, and
// null makes it unknown. An unknown field is an error with the line number.
func Open(path string) (*Catalog, error) {
	if path == "" {
		return Builtin(), nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the models: %w", err)
	}
	base := Builtin()
	c := &Catalog{models: maps.Clone(base.models), names: maps.Clone(base.names)}
	if err := c.add(path, data); err != nil {
		return nil, err
	}
	return c, nil
}

// file is the form of a list.
type file struct {
	Format  int     `json:"format"`
	Dated   string  `json:"dated"`
	Comment string  `json:"comment"`
	Models  []entry `json:"models"`
}

// entry keeps the raw JSON, to find its line in the file.
type entry struct{ raw json.RawMessage }

// UnmarshalJSON copies the bytes.
func (e *entry) UnmarshalJSON(data []byte) error {
	e.raw = bytes.Clone(data)
	return nil
}

func (c *Catalog) add(path string, data []byte) error {
	var f file
	if err := strict(data, &f); err != nil {
		return located(path, data, 0, err)
	}
	if f.Format != 1 {
		return fmt.Errorf("%s: format %d: want 1", path, f.Format)
	}
	from := 0
	for _, e := range f.Models {
		at := from + max(bytes.Index(data[from:], e.raw), 0)
		if err := c.addEntry(path, e.raw); err != nil {
			return located(path, data, at, err)
		}
		from = at + len(e.raw)
	}
	return nil
}

func (c *Catalog) addEntry(path string, raw json.RawMessage) error {
	var named struct {
		Name  string          `json:"name"`
		Price json.RawMessage `json:"price"`
	}
	if err := json.Unmarshal(raw, &named); err != nil {
		return err
	}
	model := c.models[named.Name]
	if named.Price != nil {
		model.Price = nil // a price is replaced as a whole
	}
	if err := strict(raw, &model); err != nil {
		return err
	}
	if err := model.check(); err != nil {
		return err
	}
	model.File = path
	c.models[model.Name] = model
	provider, _, _ := strings.Cut(model.Name, ":")
	c.names[model.Name] = model.Name
	for _, also := range model.Also {
		c.names[provider+":"+also] = model.Name
	}
	return nil
}

func (m Model) check() error {
	provider, name, ok := strings.Cut(m.Name, ":")
	switch {
	case !ok || provider == "" || name == "":
		return fmt.Errorf("name %q: want PROVIDER:MODEL", m.Name)
	case m.Context < 0 || m.Output < 0:
		return fmt.Errorf("%s: a limit below 0", m.Name)
	case m.Price != nil && (m.Price.Input < 0 || m.Price.Output < 0 || m.Price.Cached != nil && *m.Price.Cached < 0):
		return fmt.Errorf("%s: a price below 0", m.Name)
	}
	return nil
}

func strict(data []byte, v any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(v); err != nil {
		return err
	}
	if decoder.More() {
		return errors.New("more than one object")
	}
	return nil
}

var unknownField = lazyregexp.New(`^json: unknown field ("(?:.*)")$`)

// located adds the file and line to an error in the part of data that begins at an offset. encoding/json does not
// report the position of an unknown field: it is the first of that name there.
func located(path string, data []byte, at int, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	text := strings.TrimPrefix(err.Error(), "json: ")
	field := unknownField.FindStringSubmatch(err.Error())
	switch {
	case errors.As(err, &syntax):
		at += int(syntax.Offset)
	case errors.As(err, &kind):
		at += int(kind.Offset)
	case field != nil:
		at += max(bytes.Index(data[at:], []byte(field[1])), 0)
	}
	line := 1 + bytes.Count(data[:min(at, len(data))], []byte("\n"))
	return fmt.Errorf("%s:%d: %s", path, line, text)
}
