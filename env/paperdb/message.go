package paperdb

import (
	"errors"
	"fmt"

	"airqa/env/paperdb/wire"
)

// question is what a worker is asked, on its way a list of both fields.
type question struct {
	text string
	rows int
}

func (q question) encode() []byte {
	raw, _ := wire.Append(nil, []any{q.text, int64(q.rows)}) // both can be written
	return raw
}

func decodeQuestion(raw []byte) (question, error) {
	value, err := wire.Read(raw)
	list, _ := value.([]any)
	if err != nil || len(list) != 2 {
		return question{}, wire.ErrBytes
	}
	text, isText := list[0].(string)
	rows, isInt := list[1].(int64)
	if !isText || !isInt {
		return question{}, wire.ErrBytes
	}
	return question{text, int(rows)}, nil
}

// encodeFault is a reply that is no result: a list of kind and text.
func encodeFault(fault *QueryError) []byte {
	raw, _ := wire.Append(nil, []any{fault.Kind, fault.Text}) // both can be written
	return raw
}

// encodeResult is a list of the column names, the rows, and whether there are more. A value that cannot be written is a
// *QueryError.
func encodeResult(result Result) ([]byte, error) {
	columns := make([]any, len(result.Columns))
	for i, name := range result.Columns {
		columns[i] = name
	}
	rows := make([]any, len(result.Values))
	for i, row := range result.Values {
		rows[i] = row
	}
	raw, err := wire.Append(nil, []any{columns, rows, result.More})
	var unknown *wire.TypeError
	if errors.As(err, &unknown) {
		return nil, &QueryError{Kind: KindRuntime, Text: unknown.Error()}
	}
	return raw, err
}

// decodeReply returns what a worker was told to send: a result, or a *QueryError.
func decodeReply(raw []byte) (Result, error) {
	value, err := wire.Read(raw)
	if err != nil {
		return Result{}, err
	}
	list, _ := value.([]any)
	switch len(list) {
	case 2:
		return Result{}, &QueryError{Kind: fmt.Sprint(list[0]), Text: fmt.Sprint(list[1])}
	case 3:
		return decodeResult(list)
	}
	return Result{}, wire.ErrBytes
}

func decodeResult(list []any) (Result, error) {
	columns, isList := list[0].([]any)
	rows, areRows := list[1].([]any)
	more, isBool := list[2].(bool)
	if !isList || !areRows || !isBool {
		return Result{}, wire.ErrBytes
	}
	result := Result{More: more}
	for _, name := range columns {
		result.Columns = append(result.Columns, fmt.Sprint(name))
	}
	for _, row := range rows {
		values, isRow := row.([]any)
		if !isRow {
			return Result{}, wire.ErrBytes
		}
		result.Values = append(result.Values, values)
	}
	return result, nil
}
