package index

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"airqa/env/paperdb"
	"airqa/env/vectors"
	"airqa/env/vectors/bm25"
	"airqa/env/vectors/milvus"
)

// Keywords turns texts into vectors of a BM25 collection: bags of words in the files, weighted positions on a server.
type Keywords struct {
	stats   *bm25.Stats   // nil for bags of words
	server  *milvus.Store // has the terms of stats
	mu      *sync.Mutex   // guards counter
	counter *bm25.Counter
}

// KeywordsOf returns what turns texts into vectors of a BM25 collection of a store.
func KeywordsOf(c vectors.Collection, store vectors.Store) (Keywords, error) {
	k := Keywords{mu: new(sync.Mutex), counter: bm25.NewCounter()}
	if c.Kind == vectors.Words {
		return k, nil
	}
	k.stats = new(bm25.Stats)
	if err := json.Unmarshal(c.Encoder, k.stats); err != nil {
		return Keywords{}, fmt.Errorf("read statistics of collection %s: %w; airqa store vectors --rebuild makes it again", c.Name, err)
	}
	k.server, _ = store.(*milvus.Store)
	return k, nil
}

// Query returns the vector of a question. From a server, it reads the terms of the question.
func (k Keywords) Query(ctx context.Context, text string) (vectors.Vector, error) {
	words := k.words(text)
	if k.stats == nil {
		return vectors.Vector{Words: words}, nil
	}
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.Text
	}
	terms, err := k.server.Terms(ctx, bm25.Name, texts)
	if err != nil {
		return vectors.Vector{}, err
	}
	return vectors.Vector{Sparse: k.stats.With(terms).Query(words)}, nil
}

// Indexes reports whether a cell has a record.
func (k Keywords) Indexes(c paperdb.Cell) bool {
	if k.stats != nil {
		return len(k.words(c.Text)) > 0 // all words of all texts are known
	}
	return IndexesWords(c, k.words(c.Text))
}

// IndexesWords reports whether a cell has a bag of words: a passage always, since it counts as a document, other cells
// only if a query can match them.
func IndexesWords(c paperdb.Cell, bag []vectors.Word) bool {
	return len(bag) > 0 || IsPassage(c)
}

func (k Keywords) words(text string) []vectors.Word {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.counter.Words(text)
}
