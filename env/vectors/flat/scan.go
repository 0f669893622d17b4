package flat

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"

	"airqa/env/vectors"
)

// batchSize is the number of records that a worker scans between two checks of the context.
const batchSize = 1024

// gate limits the scanning goroutines of all searches of a store to the number of cores. A single search uses all
// cores; concurrent searches use one each, or wait.
type gate chan struct{}

// tryEnter enters the gate if that is possible without waiting.
func (g gate) tryEnter() bool {
	select {
	case g <- struct{}{}:
		return true
	default:
		return false
	}
}

func (g gate) leave() { <-g }

// path selects how a dense collection is searched. The hits do not depend on it.
type path int

const (
	byCost     path = iota // use the codes if there are many records per hit
	exactOnly              // read every vector
	codesFirst             // read the codes, then the vectors that they cannot exclude
)

// engine is the kernel, the worker limit and the path of a search.
type engine struct {
	kernel kernel
	gate   gate
	path   path
	// floor is the score of the worst of the best hits in the segments before: no record below it is a hit.
	floor float32
}

type ranked struct {
	score  float32
	record uint32
}

// rank makes a heap for the k best cells, each represented by its best record.
func (o *origins) rank(k int) *top[ranked] {
	compare := func(a, b ranked) int {
		if c := cmp.Compare(b.score, a.score); c != 0 {
			return c // the usual case reads no origin
		}
		return o.compare(a.record, b.record)
	}
	if o.cells == nil {
		return newTop(k, compare, nil)
	}
	return newTop(k, compare, func(r ranked) uint32 { return o.cells[r.record] })
}

// searchDense expects the caller to have entered the gate.
func (s *set) searchDense(ctx context.Context, e engine, q vectors.Query) (*top[ranked], error) {
	all, err := s.origins.candidates(q.Filter)
	if err != nil {
		return nil, err
	}
	p := newProbe(e.kernel, q.Dense)
	// The codes are a quarter of the bytes, but the records that they do not exclude are read twice.
	coarse := e.path == codesFirst || e.path == byCost && all.count >= batchSize && all.count/16 >= q.K
	if coarse && p.length > 0 {
		p.quantize(s.rows.dim)
		rest, err := s.exclude(ctx, e, p, all, q.K)
		if err != nil {
			return nil, err
		}
		all = candidates{origins: s.origins, filter: filter{table: -1, column: -1}, list: rest, count: len(rest)}
	}
	workers, err := scan(ctx, e.gate, all, func() *exactPass {
		return &exactPass{engine: e, rows: s.rows, probe: p, best: s.origins.rank(q.K)}
	})
	if err != nil {
		return nil, err
	}
	best := workers[0].best
	for _, w := range workers[1:] {
		for _, r := range w.best.items {
			best.offer(r)
		}
	}
	return best, nil
}

// exclude scans the codes and returns, unordered, the records that may be the best of one of the k best cells.
func (s *set) exclude(ctx context.Context, e engine, p *probe, all candidates, k int) ([]uint32, error) {
	workers, err := scan(ctx, e.gate, all, func() *coarsePass {
		return &coarsePass{engine: e, rows: s.rows, probe: p, lows: s.origins.lowest(k)}
	})
	if err != nil {
		return nil, err
	}
	lows := workers[0].lows
	for _, w := range workers[1:] {
		for _, x := range w.lows.items {
			lows.offer(x)
		}
	}
	list := []uint32{}
	floor := e.floorOf(lows)
	for _, w := range workers {
		for _, f := range w.kept {
			if f.high >= floor {
				list = append(list, f.row)
			}
		}
	}
	return list, nil
}

// pass processes batches for one worker.
type pass interface {
	look(b batch, buf []found)
}

// exactPass keeps the best cells by exact score.
type exactPass struct {
	engine
	rows  *rows
	probe *probe
	best  *top[ranked]
}

func (w *exactPass) look(b batch, buf []found) {
	if b.floor = w.floor; w.best.full() {
		b.floor = max(b.floor, w.best.worst().score)
	}
	for _, f := range w.kernel.exact(w.rows, w.probe, b, buf) {
		w.best.offer(ranked{score: f.high, record: f.row})
	}
}

// coarsePass keeps every record that may be the best of one of the k best cells. Its upper bound must not be below the
// kth largest lower bound of the cells so far.
type coarsePass struct {
	engine
	rows  *rows
	probe *probe
	lows  *top[found]
	kept  []found
}

// lowest makes a heap for the k cells with the highest lower bounds.
func (o *origins) lowest(k int) *top[found] {
	compare := func(a, b found) int { return cmp.Compare(b.low, a.low) }
	if o.cells == nil {
		return newTop(k, compare, nil)
	}
	return newTop(k, compare, func(f found) uint32 { return o.cells[f.row] })
}

func (e engine) floorOf(lows *top[found]) float32 {
	if !lows.full() {
		return e.floor
	}
	return max(e.floor, lows.worst().low)
}

func (w *coarsePass) look(b batch, buf []found) {
	b.floor = w.floorOf(w.lows)
	seen := w.kernel.coarse(w.rows, w.probe, b, buf)
	for _, f := range seen {
		w.lows.offer(f)
	}
	floor := w.floorOf(w.lows)
	for _, f := range seen {
		if f.high >= floor {
			w.kept = append(w.kept, f)
		}
	}
}

// scan distributes batches of the candidates to workers: the caller's goroutine plus as many as the gate admits. It
// returns at least one pass.
func scan[P pass](ctx context.Context, g gate, all candidates, start func() P) ([]P, error) {
	var next atomic.Int64
	work := func(p P) {
		buf, list := make([]found, batchSize), make([]uint32, 0, batchSize)
		for ctx.Err() == nil {
			from := int(next.Add(batchSize)) - batchSize
			if from >= all.count {
				return
			}
			if b := all.batch(from, min(from+batchSize, all.count), list); b.count > 0 {
				p.look(b, buf)
			}
		}
	}
	workers := []P{start()}
	var wg sync.WaitGroup
	for extra := batchSize; extra < all.count && g.tryEnter(); extra += batchSize {
		p := start()
		workers = append(workers, p)
		wg.Go(func() {
			defer g.leave()
			work(p)
		})
	}
	work(workers[0])
	wg.Wait()
	return workers, ctx.Err()
}
