package index

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"airqa/env/embed"
	"airqa/env/paperdb"
)

// Ahead embeds the texts of new papers while others are still being read. The vectors go to the cache, where [Update.Run] finds
// them.
type Ahead struct {
	texts  *overlap
	queue  chan []string
	stop   chan struct{} // closed by End
	cancel context.CancelFunc
	ended  chan struct{}
	err    error // of run; read it after ended
}

// StartAhead begins to embed with a model. It takes only the values of ctx.
func StartAhead(ctx context.Context, model embed.Embedder, cache *embed.Cache) *Ahead {
	const aheadPapers = 4 // may wait; then reading waits for embedding, so that memory is bounded
	texts := newOverlap(cache, embed.BlocksOf(model))
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	a := &Ahead{texts: texts, queue: make(chan []string, aheadPapers), stop: make(chan struct{}), cancel: cancel, ended: make(chan struct{})}
	go func() {
		defer close(a.ended)
		a.err = a.run(ctx)
	}()
	return a
}

// run embeds until stop is closed or a block fails.
func (a *Ahead) run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(a.texts.Calls)
	for block := a.next(ctx, nil); len(block) >= a.texts.Texts; {
		full := block[:a.texts.Texts]
		group.Go(func() error {
			_, err := a.texts.embed(ctx, full)
			return err
		})
		block = a.next(ctx, block[a.texts.Texts:])
	}
	return group.Wait()
}

// next adds queued texts to a block until it is full. It returns nil when no more are to be embedded.
func (a *Ahead) next(ctx context.Context, block []string) []string {
	for len(block) < a.texts.Texts {
		select {
		case texts := <-a.queue:
			block = append(block, texts...)
		case <-a.stop:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
	select {
	case <-a.stop:
		return nil
	default:
		return block
	}
}

// Add queues the texts of a paper, and waits if too many papers are queued. It returns the error of an earlier one.
func (a *Ahead) Add(ctx context.Context, p paperdb.Paper) error {
	var texts []string
	for _, c := range p.Cells() {
		texts = append(texts, WindowsOf(a.texts.texts, c)...)
	}
	select {
	case a.queue <- texts:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-a.ended:
		if a.err == nil {
			return errors.New("the writer is closed")
		}
		return fmt.Errorf("embed texts: %w", a.err)
	}
}

// End waits for the texts that are being embedded and leaves those that are queued. When ctx ends, it waits no longer.
func (a *Ahead) End(ctx context.Context) error {
	close(a.stop)
	select {
	case <-a.ended:
	case <-ctx.Done():
		a.cancel()
		<-a.ended
	}
	a.cancel()
	if ctx.Err() != nil && errors.Is(a.err, context.Canceled) {
		return ctx.Err()
	}
	return a.err
}
