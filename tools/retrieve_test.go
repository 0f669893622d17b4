package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"airqa/internal/tokens"
	"airqa/tools"
)

// shortSighted is a retriever that reads 7 characters of a query.
type shortSighted struct{ capped }

func (shortSighted) PartRead(query string) int {
	if len(query) <= 7 {
		return 0
	}
	return 7
}

// The line below the passages says that a query was cut, and the result keeps its limit of tokens.
func TestCutQuery(t *testing.T) {
	const note = "; the query is too long for the embedding model: only its first 7 tokens were used)"
	passage := tools.Hit{PDFID: "p1", Text: strings.Repeat("word ", 40)}
	from := shortSighted{capped{hits: []tools.Hit{passage, passage, passage}}}
	for query, want := range map[string]bool{"short": false, "rather long": true} {
		for _, limit := range []int{0, 120, 60} {
			tool := tools.Retrieve{From: from, Limits: tools.Limits{MaxTokens: limit}}
			o := act(t, tools.Set{tool}, fmt.Sprintf("Retrieve(query=%q)", query))
			last := o.Text[strings.LastIndex(o.Text, "\n")+1:]
			if strings.HasSuffix(last, note) != want || !strings.HasPrefix(last, "(") {
				t.Errorf("%q at %d: %s", query, limit, o.Text)
			}
			plain := act(t, tools.Set{tools.Retrieve{From: from.capped, Limits: tools.Limits{MaxTokens: limit}}}, "Retrieve(query='x')")
			if n := tokens.Count(o.Text); limit > 0 && n > max(limit, tokens.Count(plain.Text)) {
				t.Errorf("%q: %d tokens, the limit is %d", query, n, limit)
			}
			if line, _, _ := strings.Cut(o.Text, "\n"); !json.Valid([]byte(line)) {
				t.Errorf("the first line is %s", line)
			}
		}
	}
}
