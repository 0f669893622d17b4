package dorismae

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"airqa/bench"
	"airqa/qa/dataset"
)

// ReadRankings reads a file of rankings by query, best first: the authors' pickles as JSON, with the query that theirs have by
// position. A faulty line, or id of a line, is left out and the others are read. Of several rankings of a query the last
// counts. A file without any ranking is an error.
func ReadRankings(path string) (map[string][]string, []*dataset.Fault, error) {
	rankings := make(map[string][]string)
	faults, err := bench.ReadPredictions(path, func(raw []byte, fault func(id, text string, loaded bool)) {
		var l struct {
			Query *string            `json:"query_id"`
			Rank  *[]json.RawMessage `json:"index_rank"`
		}
		switch err := json.Unmarshal(raw, &l); {
		case err != nil:
			fault(clean(l.Query), "not a ranking: "+dataset.FieldError(err).Error(), false)
			return
		case l.Query == nil || l.Rank == nil:
			fault(clean(l.Query), "a line needs query_id and index_rank (a list)", false)
			return
		}
		if _, twice := rankings[*l.Query]; twice {
			fault(*l.Query, "the query has a ranking already; this one counts", true)
		}
		ids := []string{}
		for i, raw := range *l.Rank {
			id := strings.Trim(string(raw), `"`)
			if kind := bench.Kind(raw); raw[0] != '"' && !strings.HasPrefix(kind, "a number") {
				fault(*l.Query, fmt.Sprintf("index_rank[%d] is %s, not a number or a string; it is left out", i, kind), true)
				continue
			}
			ids = append(ids, id)
		}
		rankings[*l.Query] = ids
	})
	return rankings, faults, err
}

// clean returns a text that may be missing.
func clean(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// WriteRankings writes the rankings of items, in their order.
func WriteRankings(w io.Writer, items []bench.Item, rankings map[string][]string) error {
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
