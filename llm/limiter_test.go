package llm

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"airqa/internal/concurrent"
	"airqa/internal/testkit/openaitest"
	"airqa/qa"
)

// endpoint makes a model at a test server that shares a pool.
func endpoint(t *testing.T, s *openaitest.Server, p *Pool) qa.Model {
	t.Helper()
	m, err := Open(Config{
		Spec: "openai:m", Access: Access{BaseURL: s.URL()}, Pool: p, MaxRetries: 1000, Rand: func() float64 { return 0 },
		Sleep: func(ctx context.Context, _ time.Duration) error { return concurrent.Sleep(ctx, time.Millisecond) },
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
	if Classify(err) != qa.FailRateLimit || !errors.As(err, &call) || len(call.Attempts) != 0 {
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
		e, err := NewEndpoint(Config{Spec: spec, Access: Access{BaseURL: base}, Pool: p})
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
			m, err := Open(Config{Spec: spec, Access: Access{BaseURL: base}})
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

// A request that the deadline stops before it has a connection counts as unreachable, not as cancelled.
func TestDeadlineWhileConnecting(t *testing.T) {
	s := openaitest.New(openaitest.Config{})
	defer s.Close()
	m := endpoint(t, s, NewPool(1))
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	m.(*Retrier).inner.(*Endpoint).inner.(*client).http = &http.Client{Transport: &http.Transport{DialContext: dial}}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err := m.Complete(ctx, qa.Request{Messages: []qa.Message{{Role: qa.User, Text: "why?"}}})
	if tried := qa.Tried(err); len(tried) != 1 || tried[0].Error != qa.FailUnreachable {
		t.Errorf("requests %+v of %v", tried, err)
	}
}
