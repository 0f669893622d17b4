package sandbox_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"airqa/env/paperdb/sandbox"

	"github.com/google/go-cmp/cmp"
)

func TestCall(t *testing.T) {
	p := pool(t, sandbox.Config{})
	for _, text := range []string{"", "x", strings.Repeat("long ", 1<<20)} {
		if diff := cmp.Diff(text, call(t, p, "echo "+text)); diff != "" {
			t.Errorf("(-want +got):\n%.300s", diff)
		}
	}
}

// An idle worker gets the next request, unless it asked to be replaced.
func TestReuse(t *testing.T) {
	p := pool(t, sandbox.Config{})
	for _, step := range []struct{ request, want string }{
		{"served", "1"}, {"served", "2"}, {"last x", "x"}, {"served", "1"}, {"served", "2"},
	} {
		if got := call(t, p, step.request); got != step.want {
			t.Errorf("%s: got %s, want %s", step.request, got, step.want)
		}
	}
}

// However a worker ends, the next request is answered.
func TestWorkerDies(t *testing.T) {
	p := pool(t, sandbox.Config{Max: 1})
	tests := []struct {
		request string
		memory  bool
		text    string
	}{
		{"exit", false, "exit status 3"},
		{"panic", false, "on purpose"},
		{"huge", false, "of 68157441 bytes"},
		{"chatter", false, "read a message of"},
	}
	for _, tt := range tests {
		for range 2 {
			_, err := p.Call(t.Context(), 30*time.Second, []byte(tt.request))
			var died *sandbox.Died
			if !errors.As(err, &died) || died.Memory != tt.memory || !strings.Contains(died.Error(), tt.text) {
				t.Errorf("%s: got %v, want %q and memory %v", tt.request, err, tt.text, tt.memory)
			}
			if got := call(t, p, "served"); got != "1" {
				t.Errorf("after %s: the worker has served %s", tt.request, got)
			}
		}
	}
}

func TestDeadline(t *testing.T) {
	p := pool(t, sandbox.Config{Max: 1})
	call(t, p, "served")
	started := time.Now()
	_, err := p.Call(t.Context(), 50*time.Millisecond, []byte("spin"))
	if took := time.Since(started); !errors.Is(err, sandbox.ErrDeadline) || took > 5*time.Second {
		t.Errorf("got %v after %v", err, took)
	}
	if got := call(t, p, "served"); got != "1" {
		t.Errorf("the worker that was stopped has served %s", got)
	}
}

func TestCancel(t *testing.T) {
	p := pool(t, sandbox.Config{Max: 1})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	started := time.Now()
	_, err := p.Call(ctx, time.Minute, []byte("spin"))
	if took := time.Since(started); !errors.Is(err, context.Canceled) || took > 10*time.Second {
		t.Errorf("got %v after %v", err, took)
	}
	if _, err := p.Call(ctx, time.Minute, []byte("echo x")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: got %v", err)
	}
	call(t, p, "echo x")
}

// Waiting for a worker ends with the caller's context and does not count towards the deadline.
func TestWait(t *testing.T) {
	p := pool(t, sandbox.Config{Max: 1})
	call(t, p, "echo x")
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := p.Call(t.Context(), time.Second, []byte("spin")); !errors.Is(err, sandbox.ErrDeadline) {
			t.Errorf("the slow one: got %v", err)
		}
	})
	time.Sleep(100 * time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := p.Call(ctx, time.Minute, []byte("echo x")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the impatient one: got %v", err)
	}
	if reply, err := p.Call(t.Context(), 500*time.Millisecond, []byte("echo x")); err != nil || string(reply) != "x" {
		t.Errorf("the patient one: got %q, %v", reply, err)
	}
	wg.Wait()
}

func TestNoMoreThanMax(t *testing.T) {
	p := pool(t, sandbox.Config{Max: 2})
	var mu sync.Mutex
	pids := make(map[string]bool)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				reply, err := p.Call(t.Context(), time.Minute, []byte("pid"))
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				pids[string(reply)] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(pids) == 0 || len(pids) > 2 {
		t.Errorf("%d workers, want 1 or 2", len(pids))
	}
}

// A worker that cannot be started causes a distinct error.
func TestStartFails(t *testing.T) {
	tests := []struct{ setup, want string }{
		{"refuse", "start a worker: open it: no such thing"},
		{"die", "exit status 7"},
	}
	for _, tt := range tests {
		t.Run(tt.setup, func(t *testing.T) {
			p := pool(t, sandbox.Config{Setup: []byte(tt.setup), Max: 1})
			for range 2 {
				_, err := p.Call(t.Context(), time.Minute, []byte("echo x"))
				var died *sandbox.Died
				if err == nil || errors.As(err, &died) || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v, want %q", err, tt.want)
				}
			}
		})
	}
}

func TestCancelledStart(t *testing.T) {
	p := pool(t, sandbox.Config{Setup: []byte("hang"), Max: 1})
	for range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		if _, err := p.Call(ctx, time.Minute, []byte("echo x")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		cancel()
	}
}

func TestClosedPool(t *testing.T) {
	p := sandbox.New(sandbox.Config{Name: name})
	call(t, p, "echo x")
	p.Close()
	p.Close()
}
