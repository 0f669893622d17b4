package paperdb

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/fxamacker/cbor/v2"
)

// errMessage is returned for malformed messages.
var errMessage = errors.New("read a message: malformed")

// question is a request to a worker.
type question struct {
	_    struct{} `cbor:",toarray"`
	Text string
	Rows int
}

// reply is a result, or an error if it has a kind. Values have the types of [Result]. A time.Time is sent as the bytes
// of its MarshalBinary, since text loses years before 0; no other value is bytes.
type reply struct {
	_       struct{} `cbor:",toarray"`
	Kind    string
	Text    string
	Columns []string
	Values  [][]any
	More    bool
	Tables  []string
}

// The driver reads up to 10,000 levels of JSON; a reply adds its own. The frames of the worker protocol limit the size.
const (
	maxLevels = 10_010
	maxItems  = 64 << 20
)

var messages = func() cbor.DecMode {
	mode, err := cbor.DecOptions{
		MaxNestedLevels: maxLevels, MaxArrayElements: maxItems, MaxMapPairs: maxItems,
		IntDec: cbor.IntDecConvertSignedOrFail, UTF8: cbor.UTF8DecodeInvalid, DefaultMapType: reflect.TypeFor[map[string]any](),
		IndefLength: cbor.IndefLengthForbidden, TagsMd: cbor.TagsForbidden, ExtraReturnErrors: cbor.ExtraDecErrorUnknownField,
	}.DecMode()
	if err != nil {
		panic(err) // the options are constants
	}
	return mode
}()

func (q question) encode() []byte {
	raw, _ := cbor.Marshal(q) // a string and a number can be encoded
	return raw
}

func decodeQuestion(raw []byte) (q question, err error) {
	if messages.Unmarshal(raw, &q) != nil {
		return question{}, errMessage
	}
	return q, nil
}

func encodeFault(fault *QueryError) []byte {
	raw, _ := cbor.Marshal(reply{Kind: fault.Kind, Text: fault.Text}) // two strings can be encoded
	return raw
}

// encodeResult encodes a result in place. It returns a *QueryError for a value that cannot be encoded.
func encodeResult(result Result) (_ []byte, err error) {
	for _, row := range result.Values {
		if _, err := pack(row); err != nil {
			return nil, err
		}
	}
	return cbor.Marshal(reply{Columns: result.Columns, Values: result.Values, More: result.More, Tables: result.Tables})
}

// decodeReply returns the result of a worker or its *QueryError.
func decodeReply(raw []byte) (Result, error) {
	var r reply
	if messages.Unmarshal(raw, &r) != nil {
		return Result{}, errMessage
	}
	if r.Kind != "" {
		return Result{}, &QueryError{Kind: r.Kind, Text: r.Text}
	}
	for _, row := range r.Values {
		if _, err := unpack(row); err != nil {
			return Result{}, err
		}
	}
	return Result{Columns: r.Columns, Values: r.Values, More: r.More, Tables: r.Tables}, nil
}

// pack converts times to bytes and refuses types that could not be decoded.
func pack(value any) (any, error) {
	switch v := value.(type) {
	case nil, bool, int64, float64, string:
		return v, nil
	case time.Time:
		return v.MarshalBinary()
	case []any, map[string]any:
		return value, inside(v, pack)
	}
	text := fmt.Sprintf("A column holds values of type %T, which cannot be shown; cast it to VARCHAR.", value)
	return nil, &QueryError{Kind: KindRuntime, Text: text}
}

// unpack is the inverse of pack.
func unpack(value any) (any, error) {
	switch v := value.(type) {
	case nil, bool, int64, float64, string:
		return v, nil
	case []byte:
		var t time.Time
		if t.UnmarshalBinary(v) != nil {
			return nil, errMessage
		}
		return t, nil
	case []any, map[string]any:
		return value, inside(v, unpack)
	}
	return nil, errMessage
}

// inside changes the items of a list or a map in place.
func inside(value any, change func(any) (any, error)) (err error) {
	switch v := value.(type) {
	case []any:
		for i, item := range v {
			if v[i], err = change(item); err != nil {
				return err
			}
		}
	case map[string]any:
		for key, item := range v {
			if v[key], err = change(item); err != nil {
				return err
			}
		}
	}
	return nil
}
