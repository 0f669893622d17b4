package llm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"airqa/internal/openaitest"
	"airqa/internal/pause"
	"airqa/qa"
)

var limited = &HTTPError{Status: http.StatusTooManyRequests}

func take(t *testing.T, l *limiter, n int) []slot {
	t.Helper()
	var slots []slot
	for range n {
		s, waited, err := l.acquire(t.Context())
		if err != nil || waited != 0 {
			t.Fatalf("slot %d: waited %v, %v", len(slots)+1, waited, err)
		}
		slots = append(slots, s)
	}
	return slots
}

func TestLimiterLearns(t *testing.T) {
	l := newLimiter(16, time.Now)
	for _, s := range take(t, l, 12) { // one burst, all refused: halved once, from what was under way
		l.release(s, limited)
	}
	if l.bound != 6 {
		t.Fatalf("bound %d, want 6", l.bound)
	}
	slots := take(t, l, 6)
	l.release(slots[0], &HTTPError{Status: 500})
	l.release(slots[1], nil) // not at the bound any more: nothing is learnt
	if l.bound != 6 || l.successes != 0 {
		t.Errorf("bound %d after %d successes, want 6 after 0", l.bound, l.successes)
	}
	slots = append(slots[2:], take(t, l, 2)...)
	for range 6 { // a window of successes at the bound
		l.release(slots[0], nil)
		slots = append(slots[1:], take(t, l, 1)...)
	}
	if l.bound != 7 {
		t.Errorf("bound %d, want 7", l.bound)
	}
	l.release(slots[0], limited)
	if l.bound != 3 {
		t.Errorf("bound %d after another 429, want 3", l.bound)
	}
}

// TestLimiterComesBack shows the bound after each window of successes behind a single refusal.
func TestLimiterComesBack(t *testing.T) {
	l := newLimiter(256, time.Now)
	slots := take(t, l, 256)
	l.release(slots[0], limited)
	got := []int{l.bound}
	slots = slots[1:]
	for l.bound < 250 {
		for before := l.bound; l.bound == before; {
			l.release(slots[0], nil)
			slots = slots[1:]
			if len(slots) < l.bound {
				slots = append(slots, take(t, l, l.bound-len(slots))...)
			}
		}
		got = append(got, l.bound)
	}
	if text := fmt.Sprint(got); text != "[128 160 184 202 215 225 232 238 242 245 247 249 250]" {
		t.Errorf("bounds %s", text)
	}
}

func TestLimiterFloorAndCeiling(t *testing.T) {
	l := newLimiter(2, time.Now)
	for range 3 {
		l.release(take(t, l, 1)[0], limited)
	}
	if l.bound != 1 {
		t.Fatalf("bound %d, want 1", l.bound)
	}
	for range 10 {
		l.release(take(t, l, 1)[0], nil)
	}
	if l.bound != 2 {
		t.Errorf("bound %d, want 2", l.bound)
	}
}

func TestLimiterIsFair(t *testing.T) {
	l := newLimiter(1, time.Now)
	first := take(t, l, 1)[0]
	var mu sync.Mutex
	var order []int
	var wg sync.WaitGroup
	for i := range 5 {
		wg.Go(func() {
			s, _, err := l.acquire(t.Context())
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			order = append(order, i)
			mu.Unlock()
			l.release(s, nil)
		})
		for queued(l) <= i {
			time.Sleep(time.Millisecond)
		}
	}
	l.release(first, nil)
	wg.Wait()
	if got := fmt.Sprint(order); got != "[0 1 2 3 4]" {
		t.Errorf("order %s", got)
	}
}

func queued(l *limiter) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.waiting.Len()
}

func TestLimiterWaitIsCancelled(t *testing.T) {
	l := newLimiter(1, time.Now)
	first := take(t, l, 1)[0]
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := l.acquire(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if queued(l) != 0 {
		t.Error("the one who left is still in the queue")
	}
	l.release(first, nil)
	take(t, l, 1)
}

func TestRetryAfterStopsTheLimiter(t *testing.T) {
	const pause = 50 * time.Millisecond
	l := newLimiter(4, time.Now)
	l.release(take(t, l, 1)[0], &HTTPError{Status: 429, RetryAfter: pause})
	begin := time.Now()
	_, waited, err := l.acquire(t.Context())
	if took := time.Since(begin); err != nil || took < pause*9/10 || waited < pause*9/10 {
		t.Errorf("waited %v of %v, %v", waited, took, err)
	}
}

// endpoint makes a model at a test server that shares a pool.
func endpoint(t *testing.T, s *openaitest.Server, p *Pool) qa.Model {
	t.Helper()
	m, err := Open(Config{
		Spec: "openai:m", BaseURL: s.URL(), Pool: p, MaxRetries: 1000, Rand: func() float64 { return 0 },
		Sleep: func(ctx context.Context, _ time.Duration) error { return pause.For(ctx, time.Millisecond) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func askAll(t *testing.T, calls int, models ...qa.Model) []qa.Attempt {
	t.Helper()
	var mu sync.Mutex
	var attempts []qa.Attempt
	var wg sync.WaitGroup
	for i := range calls {
		wg.Go(func() {
			reply, err := models[i%len(models)].Complete(t.Context(), qa.Request{Messages: []qa.Message{{Role: qa.User, Text: "why?"}}})
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			attempts = append(attempts, reply.Attempts...)
		})
	}
	wg.Wait()
	return attempts
}

// TestLimiterFindsTheLimit asks a server that lets eight requests in at once, through two models of one name.
func TestLimiterFindsTheLimit(t *testing.T) {
	const most, calls = 8, 400
	s := openaitest.New(openaitest.Config{
		Reply: func([]openaitest.Message) string { time.Sleep(2 * time.Millisecond); return "ok" },
		Admit: func(underWay int) openaitest.Fault {
			if underWay > most {
				return openaitest.RateLimited("")
			}
			return nil
		},
	})
	defer s.Close()
	p := NewPool(64)
	attempts := askAll(t, calls, endpoint(t, s, p), endpoint(t, s, p))
	refused, waited := 0, 0
	for _, a := range attempts {
		if a.Status == http.StatusTooManyRequests {
			refused++
		}
		if a.Wait > 0 {
			waited++
		}
	}
	t.Logf("%d requests for %d calls: %d refused, %d had waited", len(attempts), calls, refused, waited)
	if refused == 0 || refused > calls/2 {
		t.Errorf("%d of %d requests refused", refused, len(attempts))
	}
	if waited == 0 {
		t.Error("no wait was recorded")
	}
}

// TestFaultsCostOnlyTheirOwnRequests loses and doubles nothing: one in eleven requests fails, in four ways.
func TestFaultsCostOnlyTheirOwnRequests(t *testing.T) {
	const calls = 1100
	var requests, faults atomic.Int64
	ways := map[int64]openaitest.Fault{
		3: openaitest.RateLimited(""), 17: openaitest.Status(500, "x", "y"), 33: openaitest.CutBody(`{"choices`),
		41: openaitest.Body(200, "<html>"),
	}
	s := openaitest.New(openaitest.Config{Admit: func(int) openaitest.Fault {
		fault := ways[requests.Add(1)%44]
		if fault != nil {
			faults.Add(1)
		}
		return fault
	}})
	defer s.Close()
	attempts := askAll(t, calls, endpoint(t, s, NewPool(32)))
	if len(attempts) != int(requests.Load()) || len(attempts) != calls+int(faults.Load()) {
		t.Errorf("%d attempts recorded, %d requests, %d calls, %d faults", len(attempts), requests.Load(), calls, faults.Load())
	}
}

// TestNoLimitNoWait shows that as many requests as the ceiling allows run at once from the start.
func TestNoLimitNoWait(t *testing.T) {
	const calls = 256
	var here atomic.Int64
	all := make(chan struct{})
	s := openaitest.New(openaitest.Config{Reply: func([]openaitest.Message) string {
		if here.Add(1) == calls {
			close(all)
		}
		<-all
		return "ok"
	}})
	defer s.Close()
	for _, a := range askAll(t, calls, endpoint(t, s, NewPool(calls))) {
		if a.Wait != 0 || a.Error != "" {
			t.Errorf("attempt %+v", a)
		}
	}
}

func TestCancelWhileTheLimiterWaits(t *testing.T) {
	s := openaitest.New(openaitest.Config{})
	defer s.Close()
	inside := make(chan struct{})
	s.Fail(openaitest.Hang(func() { close(inside) }))
	m := endpoint(t, s, NewPool(1))
	outer, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { _, _ = m.Complete(outer, qa.Request{Messages: []qa.Message{{Role: qa.User, Text: "why?"}}}) })
	<-inside
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := m.Complete(ctx, qa.Request{Messages: []qa.Message{{Role: qa.User, Text: "why?"}}})
	var call *qa.CallError
	if Classify(err) != qa.FailCancelled || !errors.As(err, &call) || len(call.Attempts) != 0 {
		t.Errorf("error %v of class %s", err, Classify(err))
	}
	if want := "wait for a free connection: context deadline exceeded"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	stop()
	wg.Wait()
}

func TestPoolSharesByEndpointAndModel(t *testing.T) {
	p := NewPool(0)
	if p.ceiling != DefaultMaxConnections {
		t.Errorf("ceiling %d", p.ceiling)
	}
	open := func(spec, base string) *Endpoint {
		e, err := NewEndpoint(Config{Spec: spec, BaseURL: base, Pool: p})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	a, b, other := open("openai:a", "http://h/v1"), open("openai:b", "http://h/v1"), open("openai:a", "http://h2/v1")
	if again := open("openai:a", "http://h/v1/"); again.limiter != a.limiter {
		t.Error("one endpoint and model, two limiters")
	}
	connections := func(e *Endpoint) *http.Client {
		c, ok := e.inner.(*client)
		if !ok {
			t.Fatalf("inner model of type %T", e.inner)
		}
		return c.http
	}
	if connections(a) != connections(b) || a.limiter == b.limiter {
		t.Error("two models of a host want one client and two limiters")
	}
	if connections(a) == connections(other) || a.limiter == other.limiter {
		t.Error("two hosts share something")
	}
}

func BenchmarkLimiter(b *testing.B) {
	l := newLimiter(64, time.Now)
	for b.Loop() {
		s, _, err := l.acquire(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		l.release(s, nil)
	}
}

// BenchmarkComplete is the cost of a call with a prompt of some 20 kB, the loopback server's part included.
func BenchmarkComplete(b *testing.B) {
	s := openaitest.New(openaitest.Config{})
	defer s.Close()
	text := make([]byte, 2000)
	for i := range text {
		text[i] = "some words, "[i%12]
	}
	var messages []qa.Message
	for range 10 {
		messages = append(messages, qa.Message{Role: qa.User, Text: string(text)})
	}
	for _, spec := range []string{"openai:m", "anthropic:m", "ollama:m"} {
		b.Run(spec, func(b *testing.B) {
			base := s.URL()
			if spec == "ollama:m" {
				base = s.Root()
			}
			m, err := Open(Config{Spec: spec, BaseURL: base})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := m.Complete(b.Context(), qa.Request{Messages: messages}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
