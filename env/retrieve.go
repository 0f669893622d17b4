package env

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"airqa/env/embed"
	"airqa/env/index"
	"airqa/env/vectors"
	"airqa/env/vectors/bm25"
	"airqa/env/vectors/milvus"
	"airqa/qa"
	"airqa/tools"
)

// Mode selects the search method.
type Mode string

// Search modes. The paper uses dense vectors (Section 4.1); the others are for comparison.
const (
	Dense  Mode = "dense"
	BM25   Mode = "bm25"
	Hybrid Mode = "hybrid" // reciprocal rank fusion of both
)

// Reciprocal rank fusion (Cormack, Clarke and Buettcher 2009): a passage scores the sum of 1/(60+rank) over both lists,
// each at least fusionDepth hits long.
const (
	fusionConstant = 60
	fusionDepth    = 50
)

// Retrieve returns the passages nearest to query, from all papers or those in scope, by the mode of the directory.
// Equal scores are ordered by passage id. With BM25, a query finds nothing if no passage contains any of its words.
// Hits beyond the limit have no text, and do not change the others.
func (e *Env) Retrieve(ctx context.Context, query string, limit int, scope tools.Scope) ([]tools.Hit, error) {
	if limit < 1 {
		return nil, &tools.Fault{Kind: "limit", Text: fmt.Sprintf("The limit must be at least 1, not %d.", limit)}
	}
	filter := vectors.Filter{Table: index.PassageTable, Column: index.PassageColumn}
	for _, id := range scope.Papers { // an id that is not a UUID matches no paper
		if qa.IsUUID(id) {
			filter.Papers = append(filter.Papers, strings.ToLower(id))
		}
	}
	if (scope.Bounded || len(scope.Papers) > 0) && len(filter.Papers) == 0 {
		return nil, nil // an empty filter would match all papers
	}
	limit = min(limit, vectors.MaxK)
	hits, err := e.search(ctx, query, limit, scope.Beyond, filter)
	if err != nil {
		return nil, fmt.Errorf("retrieve: %w", err)
	}
	return e.withText(ctx, hits, limit)
}

// PartRead is the number of tokens at the start of a query that the embedding model reads; 0 for all of them, and if keywords
// alone are searched for.
func (e *Env) PartRead(query string) int {
	if e.mode == BM25 {
		return 0
	}
	return embed.PartRead(e.embedder, query)
}

// search returns up to k hits, and after them up to beyond more. The depth of the fused lists depends on k alone, since
// deeper lists would change the order of the first k.
func (e *Env) search(ctx context.Context, query string, k, beyond int, filter vectors.Filter) ([]vectors.Hit, error) {
	all := min(k+beyond, vectors.MaxK)
	if e.store == nil {
		return nil, errors.New("the directory was opened without its vectors")
	}
	switch e.mode {
	case BM25:
		return e.searchSparse(ctx, query, all, filter)
	case Hybrid:
		deep := max(k, fusionDepth)
		sparse, errSparse := e.searchSparse(ctx, query, deep, filter)
		dense, errDense := e.searchDense(ctx, query, deep, filter)
		if err := cmp.Or(errSparse, errDense); err != nil {
			return nil, err
		}
		fused := fuse(sparse, dense)
		return fused[:min(all, len(fused))], nil
	default:
		return e.searchDense(ctx, query, all, filter)
	}
}

func (e *Env) searchSparse(ctx context.Context, query string, k int, filter vectors.Filter) ([]vectors.Hit, error) {
	v, err := e.keywords.Query(ctx, query)
	if err != nil {
		return nil, err
	}
	q := vectors.Query{Vector: v, K: k, Filter: filter}
	return e.store.Search(ctx, bm25.Name, q)
}

func (e *Env) searchDense(ctx context.Context, query string, k int, filter vectors.Filter) ([]vectors.Hit, error) {
	v, err := e.embedder.Embed(ctx, []string{query})
	if err != nil {
		return nil, fmt.Errorf("embed the query: %w", err)
	}
	q := vectors.Query{Vector: vectors.Vector{Dense: v[0]}, K: k, Filter: filter}
	return e.store.Search(ctx, index.CollectionOf(e.embedder.Info()), q)
}

// fuse merges ranked lists by reciprocal rank.
func fuse(lists ...[]vectors.Hit) []vectors.Hit {
	at := make(map[vectors.Origin]int)
	var fused []vectors.Hit
	for _, list := range lists {
		for rank, h := range list {
			i, ok := at[h.Origin]
			if !ok {
				i = len(fused)
				at[h.Origin] = i
				fused = append(fused, vectors.Hit{Origin: h.Origin})
			}
			fused[i].Score += 1 / float64(fusionConstant+rank+1)
		}
	}
	slices.SortFunc(fused, vectors.Compare)
	return fused
}

// withText adds the texts of the first limit hits from the database.
func (e *Env) withText(ctx context.Context, hits []vectors.Hit, limit int) ([]tools.Hit, error) {
	if len(hits) == 0 {
		return nil, nil
	}
	ids := make([]string, min(limit, len(hits)))
	for i := range ids {
		ids[i] = hits[i].Key
	}
	texts, err := e.texts.get(ctx, ids, func(ctx context.Context, missing []string) (map[string]string, error) {
		var papers []string
		for _, h := range hits[:len(ids)] {
			if slices.Contains(missing, h.Key) {
				papers = append(papers, h.PaperID)
			}
		}
		return e.db.ChunkText(ctx, papers, missing)
	})
	if err != nil {
		return nil, fmt.Errorf("retrieve: %w", err)
	}
	_, remote := e.store.(*milvus.Store)
	found := make([]tools.Hit, 0, len(hits))
	for i, h := range hits {
		text, ok := texts[h.Key]
		if !ok && i < limit {
			if remote { // an ingest has changed the collection since the directory was opened
				continue
			}
			return nil, fmt.Errorf("retrieve: passage %s is in the search index but not in the database", h.Key)
		}
		found = append(found, tools.Hit{
			ID: h.Key, PDFID: h.PaperID, PageNumber: h.Page, TableName: h.Table, ColumnName: h.Column, Text: text, Score: h.Score,
		})
	}
	return found, nil
}
