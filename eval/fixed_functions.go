package eval

import (
	"context"

	"airqa/internal/python"
)

func fixedText(_ context.Context, _ *Scorer, t *Comparison, prediction python.Value, c *call) (outcome, error) {
	return c.exactly().text(t, prediction, c.kwargs.get("gold", nil))
}

// exactly returns the options of a text comparison without a threshold.
func (c *call) exactly() typed {
	return typed{matching{lowercase: c.kwargs.truth("lowercase"), ignoreBlank: c.kwargs.truth("ignore_blank"), threshold: noThreshold}}
}

func fixedFuzzy(_ context.Context, _ *Scorer, t *Comparison, prediction python.Value, c *call) (outcome, error) {
	return anyReading(t, prediction, c.kwargs.get("gold", nil), typed{c.kwargs.matching(nil, defaultThreshold)}.alike)
}

func fixedBool(_ context.Context, _ *Scorer, t *Comparison, prediction python.Value, c *call) (outcome, error) {
	return sameBool(t, trimmed(prediction), c.kwargs), nil
}

func fixedInt(_ context.Context, _ *Scorer, t *Comparison, prediction python.Value, c *call) (outcome, error) {
	return sameWhole(t, prediction, c.kwargs.get("gold", nil)), nil
}

func fixedFloat(_ context.Context, _ *Scorer, t *Comparison, prediction python.Value, c *call) (outcome, error) {
	return typed{c.kwargs.matching(nil, nil)}.float(t, prediction, c.kwargs.get("gold", nil)), nil
}

func fixedStructured(_ context.Context, _ *Scorer, t *Comparison, prediction python.Value, c *call) (outcome, error) {
	return typed{c.kwargs.matching(nil, noThreshold)}.structured(t, prediction, c.kwargs.get("gold", nil))
}

func fixedRelevance(_ context.Context, _ *Scorer, t *Comparison, prediction python.Value, c *call) (outcome, error) {
	said, ok := titleIn(prediction)
	if !ok {
		return unread("the answer is not a title"), nil
	}
	titles, _ := c.kwargs.titles()
	return isTitle(t, said, titles, c.kwargs.get("threshold", defaultThreshold))
}

// titleIn returns the title in an answer, without whitespace and quotes around it.
func titleIn(prediction python.Value) (string, bool) {
	said, ok := prediction.(string)
	if !ok {
		said, ok = onlyText(prediction)
	}
	return unquoted(said), ok
}
