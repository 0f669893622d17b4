package index

import (
	"context"
	"errors"

	"airqa/env/vectors"
)

// recallDepth is the largest number of hits whose recall is measured.
const recallDepth = 10

// recall measures how many of the nearest passages of a sample of texts the approximate index finds, and records it.
func (c *comparison) recall(ctx context.Context, name string) error {
	have, err := c.approximate.Info(ctx, name)
	if err != nil {
		return err
	}
	var sum vectors.Recall
	for cell, err := range c.sample(ctx) {
		if err != nil {
			return err
		}
		v, err := c.vector(ctx, name, cell)
		if err != nil {
			return err
		}
		// The text itself is its own nearest passage, which every index finds.
		q := vectors.Query{Vector: v, K: 2*recallDepth + 1, Filter: vectors.Filter{Table: PassageTable, Column: PassageColumn}}
		exact, errExact := c.exact.Search(ctx, name, q)
		found, errFound := c.approximate.Search(ctx, name, q)
		if err := errors.Join(errExact, errFound); err != nil {
			return err
		}
		exact, found = without(exact, OriginOf(cell)), without(found, OriginOf(cell))
		sum.At1, sum.At5, sum.At10 = sum.At1+recallAt(exact, found, 1), sum.At5+recallAt(exact, found, 5), sum.At10+recallAt(exact, found, recallDepth)
		sum.Queries++
	}
	if sum.Queries == 0 {
		return nil
	}
	n := float64(sum.Queries)
	sum.At1, sum.At5, sum.At10 = sum.At1/n, sum.At5/n, sum.At10/n
	if sum.Records, err = c.approximate.Count(ctx, name, vectors.Filter{}); err != nil {
		return err
	}
	have.Recall = &sum
	c.Approximate = &have
	lock, err := c.dir.Lock() // an ingest changes the description, too
	if err != nil {
		return err
	}
	return errors.Join(c.approximate.SetRecall(ctx, name, sum), lock.Release())
}

func without(hits []vectors.Hit, o vectors.Origin) (others []vectors.Hit) {
	for _, h := range hits {
		if h.Origin != o {
			others = append(others, h)
		}
	}
	return others
}

// recallAt returns the part of the first k exact hits that are among the first k found ones. Those that tie with the last one
// may replace it.
func recallAt(exact, found []vectors.Hit, k int) float64 {
	k = min(k, len(exact))
	if k == 0 {
		return 1
	}
	near := make(map[vectors.Origin]bool)
	for _, h := range exact {
		if h.Score >= exact[k-1].Score-scoreSlack {
			near[h.Origin] = true
		}
	}
	n := 0
	for _, h := range found[:min(k, len(found))] {
		if near[h.Origin] {
			n++
		}
	}
	return float64(n) / float64(k)
}
