package synthesis

import (
	"maps"
	"path/filepath"

	"airqa/extractor"
	"airqa/extractor/candidate"
	"airqa/llm/cache"
	"airqa/qa"
	"airqa/run/budget"
	"airqa/run/models"
)

// openModel opens the model and finds out its price and whether it sees images.
func (inv *invocation) openModel() (err error) {
	s := inv.Session
	source, err := s.OpenModels(inv.Calls)
	if err != nil {
		return err
	}
	if inv.model, err = source.Open(inv.Model); err != nil {
		return err
	}
	inv.model.Described = maps.Clone(inv.model.Described)
	inv.address, _ = inv.model.Described["base_url"].(string)
	delete(inv.model.Described, "base_url")
	if inv.price = inv.model.Price; inv.Batch {
		inv.price = inv.model.BatchPrice()
	}
	inv.images = inv.Images || inv.model.Listed != nil && inv.model.Listed.Images
	return nil
}

// connectModel gives the pipeline its model, with budget, cache and batches. The returned function closes what it opened.
func (inv *invocation) connectModel(c *extractor.Config, store *cache.Store) (closeModel func() error, err error) {
	account, err := inv.account()
	if err != nil {
		return nil, err
	}
	requests := models.Requests{Account: account, Cache: store, Protocol: qa.ReActText}
	if inv.Batch {
		requests.Batches = &models.Batches{
			Ledger: filepath.Join(inv.Dir, candidate.BatchesFile), Again: inv.BatchAgain, Redact: inv.Session.Redact, Now: inv.Session.Now,
		}
	}
	connected, err := inv.model.Connect(requests)
	if err != nil {
		return nil, err
	}
	c.Model, c.Batch = connected.Model, connected.Fill
	return connected.Close, nil
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
	if inv.price != nil {
		spent.USD = inv.price.Of(spent.Usage)
	}
	return budget.NewAccount(inv.Limits, spent, inv.Session.Now), nil
}
