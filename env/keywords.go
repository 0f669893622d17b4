package env

import (
	"encoding/json"
	"fmt"
	"sync"

	"airqa/env/paperdb"
	"airqa/env/vectors"
	"airqa/env/vectors/bm25"
)

// keywords turns texts into vectors of a BM25 collection: bags of words where the store keeps the statistics, weighted
// positions where they are saved with the collection, as on a server and in directories of early versions.
type keywords struct {
	stats   *bm25.Stats // nil for bags of words
	mu      *sync.Mutex // guards counter
	counter *bm25.Counter
}

func keywordsOf(c vectors.Collection) (keywords, error) {
	k := keywords{mu: new(sync.Mutex), counter: bm25.NewCounter()}
	if c.Kind == vectors.Words {
		return k, nil
	}
	k.stats = new(bm25.Stats)
	if err := json.Unmarshal(c.Encoder, k.stats); err != nil {
		return keywords{}, fmt.Errorf("read statistics of collection %s: %w", c.Name, err)
	}
	return k, nil
}

// query returns the vector of a question.
func (k keywords) query(text string) vectors.Vector {
	if k.stats != nil {
		return vectors.Vector{Sparse: k.stats.Query(k.words(text))}
	}
	return vectors.Vector{Words: k.words(text)}
}

// drift returns how far scores may be from those of new statistics, see bm25.Stats.
func (k keywords) drift() float64 {
	if k.stats != nil {
		return k.stats.Drift()
	}
	return 0
}

// indexes reports whether a cell has a record.
func (k keywords) indexes(c paperdb.Cell) bool {
	if k.stats != nil {
		return len(k.stats.Document(k.words(c.Text))) > 0
	}
	return indexesWords(c, k.words(c.Text))
}

// indexesWords reports whether a cell has a bag of words: a passage always, since it counts as a document, other cells
// only if a query can match them.
func indexesWords(c paperdb.Cell, bag []vectors.Word) bool {
	return len(bag) > 0 || isPassage(c)
}

func (k keywords) words(text string) []vectors.Word {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.counter.Words(text)
}
