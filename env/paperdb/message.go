package paperdb

import (
	"errors"

	"github.com/fxamacker/cbor/v2"

	"airqa/qa"
)

var errMessage = errors.New("read a message: malformed")

// question is a request to a worker.
type question struct {
	_    struct{} `cbor:",toarray"`
	Text string
	Rows int
}

// reply is a result, or an error if it has a kind. Values have the types of [qa.Rows].
type reply struct {
	_    struct{} `cbor:",toarray"`
	Kind string
	Text string
	qa.Rows
}

// maxItems is the maximum length of a list in a reply. The frames of the worker protocol limit the size.
const maxItems = 64 << 20

var messages = func() cbor.DecMode {
	mode, err := cbor.DecOptions{
		MaxArrayElements: maxItems, IntDec: cbor.IntDecConvertSignedOrFail, UTF8: cbor.UTF8DecodeInvalid,
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

func encodeResult(r qa.Rows) ([]byte, error) { return cbor.Marshal(reply{Rows: r}) }

// decodeReply returns the result of a worker or its *QueryError.
func decodeReply(raw []byte) (qa.Rows, error) {
	var r reply
	if messages.Unmarshal(raw, &r) != nil {
		return qa.Rows{}, errMessage
	}
	if r.Kind != "" {
		return qa.Rows{}, &QueryError{Kind: r.Kind, Text: r.Text}
	}
	for _, row := range r.Values {
		for _, value := range row {
			switch value.(type) {
			case nil, bool, int64, float64, string:
			default:
				return qa.Rows{}, errMessage
			}
		}
	}
	return r.Rows, nil
}
