package tools

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"airqa/agent/action"
	"airqa/internal/lazyregexp"
	"airqa/qa"
)

// Query runs a SELECT on the paper database: Query(sql).
type Query struct {
	From Querier
	Limits
	Texts
}

// Spec describes Query.
func (t Query) Spec() action.Spec {
	return action.Spec{Name: "Query", Text: t.of("query"), Plain: t.of("query_plain"), Params: []action.Param{
		{Name: "sql", Kind: action.Str, Required: true},
	}}
}

// Call runs the statement.
func (t Query) Call(ctx context.Context, a qa.Action) (qa.Observation, error) {
	sql, _ := a.Args["sql"].(string)
	if blank(sql) {
		return refuse("the sql of Query is empty: write one SELECT statement."), nil
	}
	rows, err := t.From.Query(ctx, sql)
	if f, ok := errors.AsType[*Fault](err); ok && f.Kind == "timeout" && t.Retrieves {
		return refuse(f.Text + " To search the texts of all papers, use Retrieve."), nil
	}
	if err != nil {
		return failed(err)
	}
	o := qa.Observation{
		Status: qa.StatusEmpty,
		Text:   "[Warning]: the query ran and returned no rows. Check its conditions: spelling, case, and whether the value is in that column.",
	}
	if len(rows.Values) > 0 {
		o = show(rows, cmp.Or(max(t.MaxTokens, 0), MaxTokens), t.MaxRows)
	}
	if m := escaped.FindString(sql); m != "" {
		o.Text += "\nNote: backslashes in the SQL are kept as they were written, for example " + m + "."
	}
	o.Touched = touched(sql, rows)
	return o, nil
}

// escaped matches what Python would read as a control character: the grammar keeps it as it is written.
var escaped = lazyregexp.New(`\\[abfv0-7x]`)

func blank(s string) bool { return strings.TrimSpace(s) == "" }
