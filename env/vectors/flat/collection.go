package flat

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync/atomic"

	"airqa/env/vectors"
)

// collection is one version of a collection. Its memory is released by the last holder.
type collection struct {
	manifest manifest
	parts    []*part
	holders  atomic.Int32
}

// openCollection opens a collection for one holder. An error wraps fs.ErrNotExist if the folder has no collection.
func openCollection(dir string, generation int) (*collection, error) {
	m, err := readManifest(dir, generation)
	if err != nil {
		return nil, err
	}
	c := &collection{manifest: m}
	c.holders.Store(1)
	for _, s := range m.Segments {
		p, err := openPart(dir, s, m.Collection.Kind)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("read collection %s: %w", m.Collection.Name, err), c.release())
		}
		c.parts = append(c.parts, p)
	}
	return c, nil
}

func (c *collection) hold() { c.holders.Add(1) }

func (c *collection) release() error {
	if c.holders.Add(-1) > 0 {
		return nil
	}
	var err error
	for _, p := range c.parts {
		err = errors.Join(err, p.release())
	}
	return err
}

func (c *collection) count(f vectors.Filter) (n int, err error) {
	for _, p := range c.parts {
		all, err := p.origins.candidates(f)
		if err != nil {
			return 0, fmt.Errorf("count collection %s: %w", c.manifest.Collection.Name, err)
		}
		n += all.size()
	}
	return n, nil
}

// search returns the best hits of all segments.
func (c *collection) search(ctx context.Context, e engine, q vectors.Query) ([]vectors.Hit, error) {
	select {
	case e.gate <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer e.gate.leave()
	var w wording
	if c.manifest.Collection.Kind == vectors.Words {
		w.weights = c.manifest.Corpus.Weights()
		for _, word := range q.Words {
			if n := frequency(c.parts, word.Text); n > 0 {
				w.query = append(w.query, wanted{text: word.Text, weight: float64(w.weights.Query(word.Count, n))})
			}
		}
	}
	e.floor = float32(math.Inf(-1))
	var hits []vectors.Hit
	for _, p := range c.parts {
		more, err := p.find(ctx, e, &w, q)
		if err != nil {
			return nil, fmt.Errorf("search collection %s: %w", c.manifest.Collection.Name, err)
		}
		if hits = best(hits, more, q.K); len(hits) == q.K {
			e.floor = float32(hits[q.K-1].Score)
		}
	}
	return hits, nil
}

// best merges ranked lists. Records of one cell may be in several segments; the best one counts.
func best(hits, more []vectors.Hit, k int) []vectors.Hit {
	if len(hits) == 0 || len(more) == 0 {
		return append(hits, more...)
	}
	all := slices.Concat(hits, more)
	slices.SortFunc(all, vectors.Compare)
	seen := make(map[vectors.Origin]bool, len(all))
	all = slices.DeleteFunc(all, func(h vectors.Hit) bool {
		again := seen[h.Origin]
		seen[h.Origin] = true
		return again
	})
	return all[:min(k, len(all))]
}

// verify compares the checksums of all files, and the manifest with them.
func (c *collection) verify(check func() error) error {
	for _, p := range c.parts {
		if err := p.verify(check); err != nil {
			return err
		}
	}
	if c.manifest.Collection.Kind != vectors.Words {
		return nil
	}
	if err := check(); err != nil {
		return err
	}
	have, want := c.manifest.Corpus, corpusOf(c.parts, c.manifest.Collection.Corpus)
	if have.Documents != want.Documents || have.Tokens != want.Tokens || !maps.Equal(have.Frequencies, want.Frequencies) {
		return fmt.Errorf("statistics of %d documents with %d words, the records have %d with %d: %w",
			have.Documents, have.Tokens, want.Documents, want.Tokens, errDamaged)
	}
	return nil
}
