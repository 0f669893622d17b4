package synthesis

import (
	"context"
	"maps"
	"path/filepath"

	"airqa/extractor"
	"airqa/extractor/candidate"
	"airqa/llm"
	"airqa/llm/batch"
	"airqa/llm/cache"
	"airqa/qa"
	"airqa/run/budget"
	"airqa/run/session"
)

// openModel opens the model and finds out its price and whether it sees images.
func (inv *invocation) openModel() (err error) {
	s := inv.Session
	inv.opener = inv.Endpoint.Opener(s.Given["base-url"])
	inv.opener.Notify = s.Notify
	if inv.model, err = inv.opener.Open(inv.Model, s.Getenv); err != nil {
		return err
	}
	inv.model.Described = maps.Clone(inv.model.Described)
	inv.address, _ = inv.model.Described["base_url"].(string)
	delete(inv.model.Described, "base_url")
	if inv.model.Price, err = inv.Budget.PriceOf(inv.model, qa.QuestionLimits{}); err != nil {
		return err
	}
	inv.listed = inv.model.Price
	if inv.Batches.Batch {
		inv.model.Price = batch.Discounted(inv.listed)
	}
	if inv.images = inv.Images; !inv.images && inv.Model != session.OfflineModel {
		_, list, err := inv.opener.Settled(inv.Model, s.Getenv)
		if err != nil {
			return err
		}
		known, _ := list.Find(inv.Model)
		inv.images = known.Images
	}
	return nil
}

// connectModel gives the pipeline its model, with budget, cache and batches. The returned function closes what it opened.
func (inv *invocation) connectModel(c *extractor.Config, store *cache.Store) (closeModel func() error, err error) {
	account, err := inv.account()
	if err != nil {
		return nil, err
	}
	if !inv.Batches.Batch {
		c.Model, err = inv.model.Metered(account, llm.Forecast(inv.model.MaxReply), store, qa.ReActText)
		return func() error { return nil }, err
	}
	b, err := inv.Session.Batched(session.BatchConfig{
		Models: inv.opener, Model: inv.model, Listed: inv.listed, Ledger: filepath.Join(inv.Dir, candidate.BatchesFile), Store: store,
		Protocol: qa.ReActText, Limits: inv.Budget.Limits(inv.Session.Now()), Account: account, Again: inv.Batches.BatchAgain,
	})
	if err != nil {
		return nil, err
	}
	c.Model, c.Batch = b.Model(), b.Fill
	return b.Close, nil
}

// account is the budget. Replies of earlier invocations count.
func (inv *invocation) account() (*budget.Account, error) {
	held, _, err := cache.List(filepath.Join(inv.Dir, candidate.RepliesDir))
	if err != nil {
		return nil, err
	}
	var spent budget.Spent
	for _, h := range held {
		spent.Usage = spent.Usage.Add(qa.Usage{Prompt: h.Prompt, Completion: h.Completion})
	}
	if inv.model.Price != nil {
		spent.USD = inv.model.Price.Of(spent.Usage)
	}
	now := inv.Session.Now
	return budget.NewAccount(inv.Budget.Limits(now()), spent, now), nil
}

// stopWaiting ends the wait for a batch when drain is closed: the batch stays at the endpoint, and the next invocation
// collects its replies.
func stopWaiting(drain <-chan struct{}, fill func(context.Context, []qa.Request) error) func(context.Context, []qa.Request) error {
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
