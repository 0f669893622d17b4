package asking_test

import (
	"context"
	"errors"
	"iter"
	"testing"

	"airqa/qa"
	"airqa/qa/asking"
)

// numbers yields 0 to n-1, and then err unless it is nil.
func numbers(n int, err error) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := range n {
			if !yield(i, nil) {
				return
			}
		}
		if err != nil {
			yield(0, err)
		}
	}
}

func TestRun(t *testing.T) {
	bad, lost := errors.New("bad reply"), errors.New("disk full")
	spent := &qa.SuspendedError{Reason: "budget reached"}
	drain := make(chan struct{})
	ctx, interrupt := context.WithCancelCause(t.Context())
	tests := []struct {
		name  string
		items iter.Seq2[int, error]
		ask   func(i int) (failed, end error)
		asked int
		want  error
	}{
		{"all", numbers(30, nil), func(int) (failed, end error) { return nil, nil }, 30, nil},
		{"failures between replies", numbers(30, nil), func(i int) (failed, end error) {
			if i%10 > 0 {
				failed = bad
			}
			return failed, nil
		}, 30, nil},
		{"ten failures", numbers(30, nil), func(i int) (failed, end error) {
			if i > 5 {
				failed = bad
			}
			return failed, nil
		}, 16, bad},
		{"a budget", numbers(30, nil), func(i int) (failed, end error) {
			if i == 3 {
				end = spent
			}
			return nil, end
		}, 4, spent},
		{"a disk", numbers(30, nil), func(int) (failed, end error) { return nil, lost }, 1, lost},
		{"the items", numbers(3, lost), func(int) (failed, end error) { return nil, nil }, 3, lost},
		{"no items", numbers(0, nil), nil, 0, nil},
		{"a drain", numbers(30, nil), func(i int) (failed, end error) {
			if i == 3 {
				close(drain)
			}
			return nil, nil
		}, 4, qa.ErrInterrupted},
		{"an interrupt", numbers(30, nil), func(i int) (failed, end error) {
			if i == 3 {
				interrupt(qa.ErrInterrupted)
				return nil, ctx.Err()
			}
			return nil, nil
		}, 4, qa.ErrInterrupted},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			asked := 0
			b := asking.Batch[int]{Workers: 1, Ask: func(_ context.Context, i int) (failed, end error) {
				asked++
				return tt.ask(i)
			}}
			if tt.name == "a drain" {
				b.Drain = drain
			}
			runCtx := t.Context()
			if tt.name == "an interrupt" {
				runCtx = ctx
			}
			if err := b.Run(runCtx, tt.items); !errors.Is(err, tt.want) || asked != tt.asked {
				t.Errorf("%v after %d, want %v after %d", err, asked, tt.want, tt.asked)
			}
		})
	}
}

// A call in flight ends with its reply when a budget refuses another, and at once when a reply cannot be kept.
func TestInFlight(t *testing.T) {
	for _, end := range []error{&qa.SuspendedError{Reason: "budget reached"}, errors.New("disk full")} {
		begun, ended, kept := make(chan struct{}), make(chan struct{}), false
		b := asking.Batch[int]{Workers: 2, Ask: func(ctx context.Context, i int) (error, error) {
			if i == 1 {
				<-begun
				defer close(ended)
				return nil, end
			}
			close(begun)
			<-ended
			select {
			case <-ctx.Done():
			default:
				if qa.Suspension(end) == "" {
					<-ctx.Done()
				}
			}
			kept = ctx.Err() == nil
			return nil, ctx.Err()
		}}
		if err := b.Run(t.Context(), numbers(9, nil)); !errors.Is(err, end) || kept != (qa.Suspension(end) != "") {
			t.Errorf("%v: %v, kept %v", end, err, kept)
		}
	}
}

func TestDownError(t *testing.T) {
	bad := errors.New("401")
	b := asking.Batch[int]{Workers: 3, Ask: func(context.Context, int) (failed, end error) { return bad, nil }}
	err := b.Run(t.Context(), numbers(99, nil))
	var down *asking.DownError
	if !errors.As(err, &down) || down.InRow != 10 || err.Error() != "the model failed 10 times in a row; last error: 401" {
		t.Errorf("error %v", err)
	}
}
