package env

import (
	"context"
	"fmt"
	"strings"

	"airqa/env/vectors"
	"airqa/env/vectors/bm25"
	"airqa/qa"
	"airqa/tools"
)

// The cells that are searched.
const (
	searchTable  = "chunks"
	searchColumn = "text_content"
)

// Retrieve implements tools.Retriever: BM25 over the passages of all papers, or of those in scope. Equal scores
// are ordered by passage id. A query without a word that any passage holds finds nothing.
func (e *Env) Retrieve(ctx context.Context, query string, limit int, scope tools.Scope) ([]tools.Hit, error) {
	if limit < 1 {
		return nil, &tools.Fault{Kind: "limit", Text: fmt.Sprintf("The limit must be at least 1, not %d.", limit)}
	}
	filter := vectors.Filter{Papers: known(scope.Papers), Table: searchTable, Column: searchColumn}
	if len(scope.Papers) > 0 && len(filter.Papers) == 0 {
		return nil, nil
	}
	q := vectors.Query{
		Vector: vectors.Vector{Sparse: e.stats.Query(query)},
		K:      min(limit, vectors.MaxK), Filter: filter,
	}
	hits, err := e.store.Search(ctx, bm25.Name, q)
	if err != nil {
		return nil, fmt.Errorf("retrieve: %w", err)
	}
	return e.withText(ctx, hits)
}

// known leaves out what is no uuid: nothing is stored under it, and an empty list would mean every paper.
func known(papers []string) []string {
	var ids []string
	for _, id := range papers {
		if qa.IsUUID(id) {
			ids = append(ids, strings.ToLower(id))
		}
	}
	return ids
}

// withText reads the texts of hits from the database, where they are kept.
func (e *Env) withText(ctx context.Context, hits []vectors.Hit) ([]tools.Hit, error) {
	if len(hits) == 0 {
		return nil, nil
	}
	ids := make([]string, len(hits))
	for i, h := range hits {
		ids[i] = h.Key
	}
	texts, err := e.db.ChunkText(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("retrieve: %w", err)
	}
	found := make([]tools.Hit, len(hits))
	for i, h := range hits {
		text, ok := texts[h.Key]
		if !ok {
			return nil, fmt.Errorf("retrieve: passage %s is in the search index and not in the database", h.Key)
		}
		found[i] = tools.Hit{
			PDFID: h.PaperID, PageNumber: h.Page, TableName: h.Table, ColumnName: h.Column, Text: text, Score: h.Score,
		}
	}
	return found, nil
}
