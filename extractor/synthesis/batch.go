package synthesis

import (
	"context"
	"path/filepath"

	"airqa/extractor"
	"airqa/extractor/candidate"
	"airqa/llm/cache"
	"airqa/qa"
	"airqa/run/budget"
	"airqa/run/session"
)

// batched makes the pipeline use batches. The returned function closes their ledger.
func (m *making) batched(c *extractor.Config, store *cache.Store, account *budget.Account) (closeLedger func() error, err error) {
	b, err := m.Batched(session.BatchConfig{
		Models: m.opener, Model: m.model, Listed: m.listed, Ledger: filepath.Join(m.Out, candidate.BatchesFile), Store: store,
		Protocol: qa.ReActText, Limits: m.Limits(m.Now()), Account: account, Again: m.BatchAgain,
	})
	if err != nil {
		return nil, err
	}
	c.Model, c.Batch = b.Model(), b.Fill
	return b.Close, nil
}

// until ends the wait for a batch when drain is closed: the batch stays at the endpoint, and the next invocation collects
// its replies.
func until(drain <-chan struct{}, fill func(context.Context, []qa.Request) error) func(context.Context, []qa.Request) error {
	if fill == nil {
		return nil
	}
	return func(ctx context.Context, requests []qa.Request) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		go func() {
			select {
			case <-drain:
				cancel()
			case <-ctx.Done():
			}
		}()
		return fill(ctx, requests)
	}
}
