package baselines

import "context"

// fullText adds the text of the papers that the question names, truncated to a number of tokens (paper, "Full-Text w/
// Cutoff"; 5,000 in Appendix C.2).
func fullText() Baseline {
	return Baseline{
		Name:    "full-text",
		Summary: "with the beginning of the text of the papers that the question names",
		Prompts: []string{"plain", "task"},
		solve:   once(". The context holds the text of the papers that it names, as far as there is room.", fromAnchors(text)),
	}
}

func text(ctx context.Context, l Library, id string) (string, error) {
	c, err := l.Card(ctx, id)
	if err != nil {
		return "", err
	}
	body, err := l.Text(ctx, id)
	return "[Title]: " + c.Title + "\n\n" + body, err
}
