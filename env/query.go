package env

import (
	"context"
	"errors"

	"airqa/env/paperdb"
	"airqa/tools"
)

// Query runs one SELECT in the database sandbox, see paperdb.Reader.Query.
func (e *Env) Query(ctx context.Context, sql string) (tools.Rows, error) {
	result, err := e.db.Query(ctx, sql, e.limits)
	var wrong *paperdb.QueryError
	if errors.As(err, &wrong) {
		return tools.Rows{}, &tools.Fault{Kind: wrong.Kind, Text: wrong.Text}
	}
	if err != nil {
		return tools.Rows{}, err
	}
	return tools.Rows{Columns: result.Columns, Values: result.Values, More: result.More}, nil
}
