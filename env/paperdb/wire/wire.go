// Package wire writes values as bytes and reads them back: the values of a result on their way between two processes.
// Start from [Append] and [Read]. JSON knows no NaN and no dates, and gob takes five times as long over a thousand rows.
//
// It knows no database and sends nothing.
package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"
)

// A value is a byte that names the type, then the value. Lengths and integers are varints.
const (
	tagNull  = 'n'
	tagTrue  = 't'
	tagFalse = 'f'
	tagInt   = 'i'
	tagFloat = 'd' // 8 bytes
	tagText  = 's' // length, bytes
	tagTime  = 'T' // as text, of time.Time.MarshalBinary
	tagList  = 'l' // length, values
	tagMap   = 'm' // length, keys as text and values in turn
)

// maxDepth is how deep values may nest: the 10,000 levels of JSON that the driver reads, and those of a reply.
const maxDepth = 10_010

// ErrBytes is what comes of bytes that are no value.
var ErrBytes = errors.New("read a value: the bytes are no value")

// TypeError is a value of a type that cannot be written.
type TypeError struct{ Value any }

// Error implements error.
func (e *TypeError) Error() string {
	return fmt.Sprintf("A column holds values of type %T, which cannot be shown; cast it to VARCHAR.", e.Value)
}

// Append adds a value to out: nil, bool, int64, float64, string, time.Time, []any and map[string]any. Another type is a
// [*TypeError].
func Append(out []byte, value any) ([]byte, error) {
	switch v := value.(type) {
	case nil:
		return append(out, tagNull), nil
	case bool:
		if v {
			return append(out, tagTrue), nil
		}
		return append(out, tagFalse), nil
	case int64:
		return binary.AppendVarint(append(out, tagInt), v), nil
	case float64:
		return binary.BigEndian.AppendUint64(append(out, tagFloat), math.Float64bits(v)), nil
	case string:
		return appendText(append(out, tagText), v), nil
	case time.Time:
		return appendTime(out, v)
	case []any:
		return appendList(out, v)
	case map[string]any:
		return appendMap(out, v)
	}
	return nil, &TypeError{value}
}

func appendText(out []byte, text string) []byte {
	return append(binary.AppendUvarint(out, uint64(len(text))), text...)
}

func appendTime(out []byte, t time.Time) ([]byte, error) {
	raw, err := t.MarshalBinary()
	return appendText(append(out, tagTime), string(raw)), err
}

func appendList(out []byte, list []any) (_ []byte, err error) {
	out = binary.AppendUvarint(append(out, tagList), uint64(len(list)))
	for _, item := range list {
		if out, err = Append(out, item); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func appendMap(out []byte, m map[string]any) (_ []byte, err error) {
	out = binary.AppendUvarint(append(out, tagMap), uint64(len(m)))
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if out, err = Append(appendText(out, key), m[key]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Read reads one value and nothing else.
func Read(raw []byte) (any, error) {
	c := cursor{rest: raw}
	value, err := c.value(0)
	if err == nil && len(c.rest) > 0 {
		err = ErrBytes
	}
	return value, err
}

// cursor reads values one after the other.
type cursor struct{ rest []byte }

func (c *cursor) value(depth int) (any, error) {
	if len(c.rest) == 0 || depth > maxDepth {
		return nil, ErrBytes
	}
	tag := c.rest[0]
	c.rest = c.rest[1:]
	switch tag {
	case tagNull:
		return nil, nil
	case tagTrue, tagFalse:
		return tag == tagTrue, nil
	case tagInt:
		return c.integer()
	case tagFloat:
		return c.float()
	case tagText:
		return c.text()
	case tagTime:
		return c.time()
	case tagList:
		return c.list(depth)
	case tagMap:
		return c.object(depth)
	}
	return nil, ErrBytes
}

func (c *cursor) integer() (any, error) {
	v, n := binary.Varint(c.rest)
	if n <= 0 {
		return nil, ErrBytes
	}
	c.rest = c.rest[n:]
	return v, nil
}

func (c *cursor) float() (any, error) {
	if len(c.rest) < 8 {
		return nil, ErrBytes
	}
	v := math.Float64frombits(binary.BigEndian.Uint64(c.rest))
	c.rest = c.rest[8:]
	return v, nil
}

// length reads how many bytes or values follow; each takes at least a byte.
func (c *cursor) length() (int, error) {
	v, n := binary.Uvarint(c.rest)
	if n <= 0 || v > uint64(len(c.rest)-n) {
		return 0, ErrBytes
	}
	c.rest = c.rest[n:]
	return int(v), nil
}

func (c *cursor) text() (string, error) {
	n, err := c.length()
	if err != nil {
		return "", err
	}
	text := string(c.rest[:n])
	c.rest = c.rest[n:]
	return text, nil
}

func (c *cursor) time() (any, error) {
	raw, err := c.text()
	if err != nil {
		return nil, err
	}
	var t time.Time
	if t.UnmarshalBinary([]byte(raw)) != nil {
		return nil, ErrBytes
	}
	return t, nil
}

func (c *cursor) list(depth int) (any, error) {
	n, err := c.length()
	if err != nil {
		return nil, err
	}
	list := make([]any, n)
	for i := range list {
		if list[i], err = c.value(depth + 1); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (c *cursor) object(depth int) (any, error) {
	n, err := c.length()
	if err != nil {
		return nil, err
	}
	m := make(map[string]any)
	for range n {
		key, err := c.text()
		if err != nil {
			return nil, err
		}
		if m[key], err = c.value(depth + 1); err != nil {
			return nil, err
		}
	}
	return m, nil
}
