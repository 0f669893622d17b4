package llm

import (
	"context"

	"airqa/qa"
)

type againKey struct{}

// WithAgain returns a context whose calls ask before they repeat a request that failed; an error ends the call and is in its
// [*CallError]. What a call may cost is known to its caller, and each repetition costs anew. nil asks nobody.
func WithAgain(ctx context.Context, ask func(failed qa.Attempt) error) context.Context {
	if ask == nil {
		return ctx
	}
	return context.WithValue(ctx, againKey{}, ask)
}

func again(ctx context.Context, failed qa.Attempt) error {
	if ask, ok := ctx.Value(againKey{}).(func(qa.Attempt) error); ok {
		return ask(failed)
	}
	return nil
}
