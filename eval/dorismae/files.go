package dorismae

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"airqa/qa/dataset"
)

// line is a line of a file of rankings: the authors' pickles as JSON, with the query that theirs have by position.
type line struct {
	Query *string    `json:"query_id"`
	Rank  *[]numeral `json:"index_rank"`
}

// numeral is an id as a number or a text.
type numeral string

// UnmarshalJSON accepts both forms.
func (n *numeral) UnmarshalJSON(raw []byte) error {
	*n = numeral(bytes.Trim(raw, `"`))
	return nil
}

// Read reads a file of rankings by query, best first. A query that occurs again is an error.
func Read(path string) (map[string][]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	rankings, number := make(map[string][]string), 0
	for raw := range bytes.Lines(text) {
		number++
		if len(bytes.TrimSpace(raw)) == 0 {
			continue
		}
		var l line
		if err := json.Unmarshal(raw, &l); err != nil {
			return nil, fmt.Errorf("%s:%d: read ranking: %w", path, number, err)
		}
		if l.Query == nil || l.Rank == nil {
			return nil, fmt.Errorf("%s:%d: read ranking: a line needs query_id and index_rank (a list)", path, number)
		}
		if _, twice := rankings[*l.Query]; twice {
			return nil, fmt.Errorf("%s:%d: read ranking: query %s has a ranking already", path, number, *l.Query)
		}
		ids := []string{}
		for _, id := range *l.Rank {
			ids = append(ids, string(id))
		}
		rankings[*l.Query] = ids
	}
	return rankings, nil
}

// Write writes the rankings of items, in their order.
func Write(w io.Writer, items []dataset.Item, rankings map[string][]string) error {
	for _, it := range items {
		r, ok := rankings[it.UUID]
		if !ok {
			continue
		}
		if _, err := fmt.Fprintf(w, "{\"query_id\":%q,\"index_rank\":[%s]}\n", it.UUID, strings.Join(r, ",")); err != nil {
			return err
		}
	}
	return nil
}
