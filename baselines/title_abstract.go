package baselines

import "context"

// titleAbstract adds titles and abstracts of the papers that the question names (paper, "Title-Abstract").
func titleAbstract() Baseline {
	return Baseline{
		Name:    "title-abstract",
		Summary: "with titles and abstracts of the papers that the question names",
		Prompts: []string{"plain", "task"},
		solve:   once(". The context holds titles and abstracts of the papers that it names.", fromAnchors(card)),
	}
}

func card(ctx context.Context, l Library, id string) (string, error) {
	c, err := l.Card(ctx, id)
	return "[Title]: " + c.Title + "\n[Abstract]: " + c.Abstract, err
}
