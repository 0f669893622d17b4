package tools

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"airqa/agent/action"
	"airqa/internal/tokens"
	"airqa/qa"
)

// Maximum and default number of passages of one Retrieve (paper, Listing 4).
const (
	MaxHits     = 100
	DefaultHits = 5
)

// Retrieve searches the vector store: Retrieve(query, limit=5).
type Retrieve struct {
	From Retriever
	Limits
	Texts
}

// Spec describes Retrieve.
func (t Retrieve) Spec() action.Spec {
	name := "retrieve"
	if t.Everywhere {
		name = "retrieve_all"
	}
	return action.Spec{Name: "Retrieve", Text: t.of(name), Params: []action.Param{
		{Name: "query", Kind: action.Str, Required: true},
		{Name: "limit", Kind: action.Int, Default: int64(DefaultHits)},
	}}
}

// Call searches for the query.
func (t Retrieve) Call(ctx context.Context, a qa.Action) (qa.Observation, error) {
	query, _ := a.Args["query"].(string)
	limit, _ := a.Args["limit"].(int64)
	switch {
	case blank(query):
		return refuse("the query of Retrieve is empty: say what to look for."), nil
	case limit < 1:
		return refuse("the limit of Retrieve must be a positive integer."), nil
	}
	count, scope := int(min(limit, MaxHits)), t.Scope
	scope.Beyond = min(count, 20) // for the log
	hits, err := t.From.Retrieve(ctx, unquoted(query), count, scope)
	if err != nil {
		return failed(err)
	}
	if len(hits) == 0 {
		return qa.Observation{Status: qa.StatusEmpty, Text: "[Warning]: no passage matches the query. Try other words."}, nil
	}
	note, room := "", cmp.Or(max(t.MaxTokens, 0), MaxTokens)
	if read := PartRead(t.From, query); read > 0 {
		note = "; " + PartReadNote(read)
		room = max(1, room-tokens.Count(note))
	}
	titles := slices.ContainsFunc(hits, func(h Hit) bool { return h.Title != "" })
	r := qa.Rows{Columns: []string{"score", "text", "pdf_id", "page_number"}} // the text is the second, so it is truncated last
	if titles {
		r.Columns = slices.Insert(r.Columns, 3, "title")
	}
	for _, h := range hits[:min(count, len(hits))] {
		row := []any{rounded(h.Score), h.Text, h.PDFID, int64(h.PageNumber)}
		if titles {
			row = slices.Insert(row, 3, any(h.Title))
		}
		r.Values = append(r.Values, row)
	}
	o := show(r, room, t.MaxRows)
	o.Text = strings.TrimSuffix(o.Text, ")") + note + ")" // in the line below the rows
	for i, h := range hits {
		o.Hits = append(o.Hits, qa.Hit{Rank: i + 1, ID: h.ID, PaperID: h.PDFID, Page: h.PageNumber, Score: rounded(h.Score), Beyond: i >= count})
	}
	return o, nil
}

// PartRead is the number of tokens at the start of a query that a retriever with a method PartRead searches for; 0 for all of
// them, and for a retriever that does not know.
func PartRead(from Retriever, query string) int {
	if r, ok := from.(interface{ PartRead(query string) int }); ok {
		return r.PartRead(query)
	}
	return 0
}

// PartReadNote says that a query was cut.
func PartReadNote(read int) string {
	return fmt.Sprintf("the query is too long for the embedding model: only its first %d tokens were used", read)
}

// rounded is a score to four decimals.
func rounded(score float64) float64 { return math.Round(score*1e4) / 1e4 }
