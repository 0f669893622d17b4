package index

import (
	"cmp"
	"context"
	"iter"
	"sync"

	"airqa/env/embed"
	"airqa/env/vectors"
	"airqa/internal/concurrent"
)

// overlap embeds blocks of texts, several at once if the model waits for a server. The cache keeps each block as soon as it is
// there, so an interruption loses only what no server has returned. A text in several blocks is embedded once.
type overlap struct {
	embed.Blocks
	texts *embed.Cache
	slots chan struct{} // one for each call in flight

	mu   sync.Mutex
	open map[string]chan struct{} // by text in flight; closed when its call has ended
}

func newOverlap(texts *embed.Cache, blocks embed.Blocks) *overlap {
	return &overlap{Blocks: blocks, texts: texts, slots: make(chan struct{}, blocks.Calls), open: make(map[string]chan struct{})}
}

// embed returns the vectors of a block. It waits while enough calls are in flight.
func (o *overlap) embed(ctx context.Context, block []string) ([][]float32, error) {
	select {
	case o.slots <- struct{}{}:
		defer func() { <-o.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	mine, others := o.claim(block)
	made, err := o.texts.Embed(ctx, mine)
	o.release(mine)
	if err != nil || len(mine) == len(block) {
		return made, err
	}
	for _, ended := range others {
		select {
		case <-ended:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return o.texts.Embed(ctx, block)
}

// claim returns the texts of a block that no other call embeds, each once, and the ends of those other calls.
func (o *overlap) claim(block []string) (mine []string, others []chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	ended := make(chan struct{})
	for _, text := range block {
		switch other := o.open[text]; other {
		case nil:
			o.open[text] = ended
			mine = append(mine, text)
		case ended:
		default:
			others = append(others, other)
		}
	}
	return mine, others
}

func (o *overlap) release(mine []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i, text := range mine {
		if i == 0 {
			close(o.open[text])
		}
		delete(o.open, text)
	}
}

// embedded is a block of windows with a vector for each.
type embedded struct {
	windows []window
	dense   [][]float32
}

func (e embedded) records() []vectors.Record {
	records := make([]vectors.Record, len(e.windows))
	for i, w := range e.windows {
		records[i] = vectors.Record{Origin: w.Origin, Vector: vectors.Vector{Dense: e.dense[i]}, Text: embed.TextHash(w.text)}
	}
	return records
}

// all embeds blocks and yields them in their order.
func (o *overlap) all(ctx context.Context, blocks iter.Seq2[[]window, error]) iter.Seq2[embedded, error] {
	type result struct {
		embedded
		err error
	}
	results := concurrent.MapWithin(ctx, o.Calls, blocks, func(ctx context.Context, windows []window) result {
		texts := make([]string, len(windows))
		for i, w := range windows {
			texts[i] = w.text
		}
		dense, err := o.embed(ctx, texts)
		return result{embedded{windows, dense}, err}
	})
	return func(yield func(embedded, error) bool) {
		for r, err := range results {
			if !yield(r.embedded, cmp.Or(err, r.err)) || r.err != nil {
				return
			}
		}
	}
}
