package rows

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// scanner notes the kinds of all values of a file, and where its rows are.
type scanner struct {
	*File
	dec  *jsontext.Decoder
	skip int64 // bytes before the JSON text
	// late is set after the part of the file from which the trainer's reader takes the types.
	late bool
	// path is the place in the current row, which begins at rowStart.
	path     []string
	rowStart int64
}

func newScanner(f *File, r io.Reader, skip int64) *scanner {
	return &scanner{File: f, dec: jsontext.NewDecoder(r), skip: skip}
}

// file reads an array of rows, or rows in a sequence.
func (s *scanner) file() error {
	s.array = s.dec.PeekKind() == '['
	if s.array {
		if _, err := s.dec.ReadToken(); err != nil {
			return s.failure(err)
		}
	}
	for {
		if more, err := s.more(); err != nil || !more {
			return err
		}
		if err := s.row(); err != nil {
			return s.failure(err)
		}
	}
}

// more reports whether a row comes next. If the file ends, it reads the end.
func (s *scanner) more() (bool, error) {
	switch kind := s.dec.PeekKind(); {
	case s.array && kind == ']':
		return false, s.arrayEnd()
	case kind == '{':
		return true, nil
	case kind == 0:
		if _, err := s.dec.ReadToken(); !errors.Is(err, io.EOF) || s.array {
			return false, s.failure(err)
		}
		return false, nil
	case s.array:
		return false, NotChecked(fmt.Sprintf("item %d of the array is not an object", s.Len))
	default:
		return false, fmt.Errorf("DatasetGenerationError: ArrowInvalid: JSON parse error: row %d is not an object", s.Len)
	}
}

// arrayEnd reads the end of an array, after which nothing may follow.
func (s *scanner) arrayEnd() error {
	if _, err := s.dec.ReadToken(); err != nil {
		return s.failure(err)
	}
	if _, err := s.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return errors.New("DatasetGenerationError: ValueError: text follows the array")
	}
	return nil
}

// row reads one object.
func (s *scanner) row() error {
	s.path = s.path[:0]
	if err := s.object(s.Schema); err != nil {
		return err
	}
	end := s.skip + s.dec.InputOffset()
	s.spans = append(s.spans, span{s.rowStart, end})
	s.Len++
	return nil
}

// failure returns the error of broken JSON in the trainer's words. What its reader may accept is [NotChecked].
func (s *scanner) failure(err error) error {
	broken := (*jsontext.SyntacticError)(nil)
	if !errors.As(err, &broken) {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("DatasetGenerationError: ArrowInvalid: JSON parse error: the text ends within a value in row %d", s.Len)
		}
		return err
	}
	text := broken.Err.Error()
	switch {
	case strings.Contains(text, "'N'") || strings.Contains(text, "'I'"):
		return NotChecked(fmt.Sprintf("row %d has NaN or Infinity, which JSON does not have", s.Len))
	case errors.Is(broken, jsontext.ErrDuplicateName):
		text = fmt.Sprintf("Column(%s) was specified twice", broken.JSONPointer)
	case text == "invalid UTF-8":
		return fmt.Errorf("UnicodeDecodeError: %s in row %d", text, s.Len)
	}
	if s.array && (strings.Contains(text, "in string") || strings.Contains(text, "twice")) {
		return NotChecked(fmt.Sprintf("%s in row %d: some readers accept that in an array", text, s.Len))
	}
	return fmt.Errorf("DatasetGenerationError: ArrowInvalid: JSON parse error: %s in row %d", text, s.Len)
}

// doubt notes why it is not known whether the file loads.
func (s *scanner) doubt(format string, args ...any) {
	if s.Doubt == nil {
		what := "/" + strings.Join(s.path, "/") + fmt.Sprintf(format, args...)
		s.Doubt = NotChecked(fmt.Sprintf("%s in row %d: whether that loads depends on the version of datasets", what, s.Len))
	}
}

// note adds a kind to a type.
func (s *scanner) note(t *Type, k Kinds) {
	if t.Kinds&k != 0 {
		return
	}
	was := t.Kinds
	t.Kinds |= k
	switch {
	case t.Kinds.mixed():
		s.doubt(" changed from %s to %s", was, k)
	case s.late && k == Int && was == Fraction: // whole numbers are fractions then
	case s.late:
		s.doubt(" is %s for the first time, after more than 10 MB,", k)
	}
}

// value reads one value.
func (s *scanner) value(t *Type) error {
	switch s.dec.PeekKind() {
	case '{':
		return s.object(t)
	case '[':
		return s.list(t)
	}
	raw, err := s.dec.ReadValue()
	if err != nil {
		return err
	}
	switch raw.Kind() {
	case '"':
		s.note(t, Text)
		if !t.other {
			t.other = s.array || !datePattern.Match(raw[1:len(raw)-1])
		}
	case 't', 'f':
		s.note(t, Bool)
	case '0':
		s.number(t, raw)
	}
	return nil
}

// number notes a number. A whole number that does not fit into 64 bits becomes a float, if it is read at all.
func (s *scanner) number(t *Type, raw []byte) {
	if bytes.ContainsAny(raw, ".eE") {
		s.note(t, Fraction)
		return
	}
	if _, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		s.note(t, Int)
		return
	}
	s.note(t, Fraction)
	if s.array {
		s.doubt(" is a number of more than 64 bits")
	}
}

func (s *scanner) list(t *Type) error {
	s.note(t, List)
	if t.Elem == nil {
		t.Elem = &Type{}
	}
	if _, err := s.dec.ReadToken(); err != nil {
		return err
	}
	s.path = append(s.path, "[]")
	for s.dec.PeekKind() != ']' {
		if err := s.value(t.Elem); err != nil {
			return err
		}
	}
	s.path = s.path[:len(s.path)-1]
	_, err := s.dec.ReadToken()
	return err
}

// maxDepth is the nesting that the trainer's reader certainly accepts.
const maxDepth = 60

func (s *scanner) object(t *Type) error {
	s.note(t, Object)
	if _, err := s.dec.ReadToken(); err != nil {
		return err
	}
	if len(s.path) == 0 {
		s.rowStart = s.skip + s.dec.InputOffset() - 1
		s.late = !s.array && s.rowStart >= partSize
	}
	if len(s.path) == maxDepth {
		s.doubt(" is nested deeply")
	}
	for i := 0; s.dec.PeekKind() != '}'; i++ {
		name, err := s.dec.ReadValue()
		if err != nil {
			return err
		}
		field, err := s.field(t, name, i)
		if err != nil {
			return err
		}
		s.path = append(s.path, field.Name)
		if err := s.value(field.Type); err != nil {
			return err
		}
		s.path = s.path[:len(s.path)-1]
	}
	_, err := s.dec.ReadToken()
	return err
}

// field returns the field of an object by its name in JSON; at is the position where it is expected.
func (s *scanner) field(t *Type, quoted []byte, at int) (Field, error) {
	name := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		var err error
		if name, err = jsontext.AppendUnquote(nil, quoted); err != nil {
			return Field{}, err
		}
	}
	if at < len(t.Fields) && t.Fields[at].Name == string(name) {
		return t.Fields[at], nil
	}
	if known, ok := t.Field(string(name)); ok {
		return Field{string(name), known}, nil
	}
	f := Field{string(name), &Type{}}
	t.Fields = append(t.Fields, f)
	if s.late {
		s.path = append(s.path, f.Name)
		s.doubt(" is a new key after more than 10 MB")
		s.path = s.path[:len(s.path)-1]
	}
	return f, nil
}
