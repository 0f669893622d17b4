package qa_test

import (
	"context"
	"errors"
	"testing"

	"airqa/qa"
)

// numbers returns 0 to n-1, and then err unless it is nil.
func numbers(n int, err error) func() (int, error, bool) {
	i := -1
	return func() (int, error, bool) {
		if i++; i < n {
			return i, nil, true
		}
		return 0, err, err != nil
	}
}

var (
	errBad  = errors.New("bad reply")
	errLost = errors.New("disk full")
	spent   = &qa.SuspendedError{Reason: "budget reached"}
)

func TestRun(t *testing.T) {
	failing := func(fails func(i int) bool) func(int) (failed, end error) {
		return func(i int) (failed, end error) {
			if fails(i) {
				failed = errBad
			}
			return failed, nil
		}
	}
	tests := []struct {
		name  string
		next  func() (int, error, bool)
		ask   func(i int) (failed, end error)
		asked int
		want  error
	}{
		{"all", numbers(30, nil), failing(func(int) bool { return false }), 30, nil},
		{"failures between replies", numbers(30, nil), failing(func(i int) bool { return i%10 > 0 }), 30, nil},
		{"ten failures", numbers(30, nil), failing(func(i int) bool { return i > 5 }), 16, errBad},
		{"a budget", numbers(30, nil), func(i int) (failed, end error) {
			if i == 3 {
				return nil, spent
			}
			return nil, nil
		}, 4, spent},
		{"a disk", numbers(30, nil), func(int) (failed, end error) { return nil, errLost }, 1, errLost},
		{"the items", numbers(3, errLost), failing(func(int) bool { return false }), 3, errLost},
		{"no items", numbers(0, nil), nil, 0, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var streak qa.Streak
			asked := 0
			err := qa.Batch[int, error]{
				Workers: 1, Next: tt.next, Done: func(_ int, failed error) error { return streak.Count(failed) },
				Ask: func(_ context.Context, i int) (failed, end error) {
					asked++
					return tt.ask(i)
				},
			}.Run(t.Context())
			if !errors.Is(err, tt.want) || asked != tt.asked {
				t.Errorf("%v after %d, want %v after %d", err, asked, tt.want, tt.asked)
			}
		})
	}
}

// After a drain or the end of the context no call starts.
func TestStops(t *testing.T) {
	drain := make(chan struct{})
	ctx, interrupt := context.WithCancelCause(t.Context())
	for i, stop := range []func(){func() { close(drain) }, func() { interrupt(errLost) }} {
		asked := 0
		b := qa.Batch[int, int]{
			Workers: 1, Next: numbers(30, nil), Done: func(int, int) error { return nil },
			Ask: func(ctx context.Context, i int) (int, error) {
				if asked++; asked == 4 {
					stop()
				}
				return 0, ctx.Err()
			},
		}
		if want := []error{qa.ErrInterrupted, errLost}[i]; i == 0 {
			b.Drain = drain
			if err := b.Run(t.Context()); !errors.Is(err, want) || asked != 4 {
				t.Errorf("%v after %d", err, asked)
			}
		} else if err := b.Run(ctx); !errors.Is(err, want) || asked != 4 {
			t.Errorf("%v after %d", err, asked)
		}
	}
}

// A call in flight ends with its reply when a budget refuses another, and at once when a reply cannot be kept. An error
// counts more than a drain.
func TestInFlight(t *testing.T) {
	for _, end := range []error{spent, &qa.DownError{Last: errBad}, errLost} {
		gentle, kept, drain := !errors.Is(end, errLost), 0, make(chan struct{})
		begun, release := make(chan struct{}), make(chan struct{})
		b := qa.Batch[int, int]{
			Workers: 2, Drain: drain, Next: numbers(9, nil),
			Ask: func(ctx context.Context, i int) (int, error) {
				if i == 0 {
					<-begun
					close(drain)
					return 0, end
				}
				close(begun)
				if gentle {
					<-release
				} else {
					<-ctx.Done()
				}
				return 0, ctx.Err()
			},
			Done: func(int, int) error { kept++; return nil },
		}
		go func() {
			<-drain
			close(release)
		}()
		if got := b.Run(t.Context()); !errors.Is(got, end) || (kept == 1) != gentle {
			t.Errorf("%v: %v, %d kept", end, got, kept)
		}
	}
}

// A call in flight is also taken when the items end with an error.
func TestItemsFail(t *testing.T) {
	failed, taken := make(chan struct{}), 0
	next := numbers(1, errLost)
	b := qa.Batch[int, int]{
		Workers: 2,
		Next: func() (int, error, bool) {
			i, err, ok := next()
			if err != nil {
				close(failed)
			}
			return i, err, ok
		},
		Ask:  func(ctx context.Context, _ int) (int, error) { <-failed; return 0, ctx.Err() },
		Done: func(int, int) error { taken++; return nil },
	}
	if err := b.Run(t.Context()); !errors.Is(err, errLost) || taken != 1 {
		t.Errorf("%v, %d taken", err, taken)
	}
}

func TestDownError(t *testing.T) {
	var streak qa.Streak
	b := qa.Batch[int, int]{
		Workers: 3, Next: numbers(99, nil), Ask: func(context.Context, int) (int, error) { return 0, nil },
		Done: func(int, int) error { return streak.Count(errBad) },
	}
	if err := b.Run(t.Context()); err == nil || err.Error() != "the model failed 10 times in a row; last error: bad reply" {
		t.Errorf("error %v", err)
	}
}
