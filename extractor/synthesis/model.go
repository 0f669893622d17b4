package synthesis

import (
	"maps"
	"path/filepath"

	"airqa/extractor/candidate"
	"airqa/llm/cache"
	"airqa/qa"
	"airqa/run/budget"
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
	inv.images = inv.Images || inv.model.Listed != nil && inv.model.Listed.Images
	return nil
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
	return budget.NewAccount(inv.Limits, spent, inv.Session.Now), nil
}
