package dataset

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// eachMember calls f for each member of the JSON object in a file, in order. f decodes the value. The file is read as
// a stream.
func eachMember(path string, f func(name string, dec *json.Decoder) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	in := bufio.NewReaderSize(file, 1<<20)
	if mark, _ := in.Peek(len(byteOrderMark)); bytes.Equal(mark, byteOrderMark) {
		_, _ = in.Discard(len(mark))
	}
	dec := json.NewDecoder(in)
	err = members(dec, func(name string) error { return f(name, dec) })
	var of *os.PathError
	switch {
	case errors.As(err, &of): // it names the file
		return err
	case err != nil:
		return fmt.Errorf("read %s: %w", path, syntaxError(err))
	}
	return nil
}

// members reads an object. f has to read each value.
func members(dec *json.Decoder, f func(name string) error) error {
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

// elements reads an array. f has to read each value.
func elements(dec *json.Decoder, f func(i int) error) error {
	if err := open(dec, '['); err != nil {
		return err
	}
	for i := 0; dec.More(); i++ {
		if err := f(i); err != nil {
			return fmt.Errorf("element %d: %w", i, err)
		}
	}
	_, err := dec.Token()
	return err
}

// errBeginning means that a value is of another kind.
var errBeginning = errors.New("this begins with")

func open(dec *json.Decoder, want json.Delim) error {
	t, err := dec.Token()
	if err == nil && t != want {
		err = fmt.Errorf("%w %.20q instead of %q", errBeginning, fmt.Sprint(t), want.String())
	}
	return err
}

func isObject(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '{' }

func isList(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '[' }

// syntaxError adds the position to an error of the decoder.
func syntaxError(err error) error {
	var e *json.SyntaxError
	switch {
	case errors.As(err, &e):
		return fmt.Errorf("not JSON at byte %d: %w", e.Offset, err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the file ends in the middle of a value; download it again: %w", io.ErrUnexpectedEOF)
	}
	return err
}

// ordered is an object whose members keep their order.
type ordered[T any] []entry[T]

type entry[T any] struct {
	name  string
	value T
}

// keyed is implemented by lists that are objects in JSON.
type keyed interface{ keyed() }

func (ordered[T]) keyed() {}

// UnmarshalJSON keeps the last of several values of a name at the place of the first, as Python does.
func (o *ordered[T]) UnmarshalJSON(raw []byte) error {
	if !isObject(raw) {
		return wrongType[ordered[T]](raw)
	}
	at := make(map[string]int)
	dec := json.NewDecoder(bytes.NewReader(raw))
	return members(dec, func(name string) error {
		m := entry[T]{name: name}
		if err := dec.Decode(&m.value); err != nil {
			return err
		}
		if i, twice := at[name]; twice {
			(*o)[i] = m
			return nil
		}
		at[name] = len(*o)
		*o = append(*o, m)
		return nil
	})
}

// decimal is a number written as a string or as a number.
type decimal string

// UnmarshalJSON keeps the digits.
func (d *decimal) UnmarshalJSON(raw []byte) error {
	if raw[0] != '"' && raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return wrongType[decimal](raw)
	}
	*d = decimal(bytes.Trim(raw, `"`))
	return nil
}
