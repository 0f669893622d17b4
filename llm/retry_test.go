package llm_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"airqa/internal/testkit/openaitest"
	"airqa/llm"
	"airqa/qa"
)

func TestRetriesUntilSuccess(t *testing.T) {
	s := start(t, openaitest.Config{})
	s.Fail(openaitest.RateLimited(""), openaitest.Status(503, "overloaded", "busy"), openaitest.Cut(),
		openaitest.CutBody(`{"choices"`), openaitest.Body(200, "<html>Bad gateway</html>"))
	c := config(s, "m")
	begin := c.Now()
	got, err := ask(t, c)
	if err != nil {
		t.Fatal(err)
	}
	want := []qa.Attempt{
		{Started: begin, Status: 429, Error: "rate_limit"},
		{Started: begin.Add(1 * time.Second), Wait: 1, Status: 503, Error: "server"},
		{Started: begin.Add(3 * time.Second), Wait: 2, Error: "network"},
		{Started: begin.Add(7 * time.Second), Wait: 4, Status: 200, Error: "network"},
		{Started: begin.Add(15 * time.Second), Wait: 8, Status: 200, Error: "garbage"},
		{Started: begin.Add(31 * time.Second), Wait: 16, Status: 200},
	}
	if diff := cmp.Diff(want, got.Attempts); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
}

func TestRetriesAreBounded(t *testing.T) {
	for _, test := range []struct{ retries, want int }{{-1, 1}, {0, 6}, {2, 3}} {
		s := start(t, openaitest.Config{})
		for range 10 {
			s.Fail(openaitest.Status(500, "oops", "it broke"))
		}
		c := config(s, "m")
		c.MaxRetries = test.retries
		_, err := ask(t, c)
		var call *qa.CallError
		if !errors.As(err, &call) || len(call.Attempts) != test.want || s.Calls() != test.want {
			t.Errorf("MaxRetries %d: %d requests, error %v", test.retries, s.Calls(), err)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	tests := []struct {
		name, header string
		want         time.Duration
	}{
		{"seconds", "7", 7 * time.Second},
		{"fraction", "2.5", 2500 * time.Millisecond},
		{"date", "Fri, 02 Jan 2026 03:04:35 GMT", 30 * time.Second},
		{"shorter than the back-off", "0", time.Second},
		{"past", "Thu, 01 Jan 2026 00:00:00 GMT", time.Second},
		{"capped", "86400", 2 * time.Minute},
		{"nonsense", "soon", time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := start(t, openaitest.Config{})
			s.Fail(openaitest.RateLimited(test.header))
			got, err := ask(t, config(s, "m"))
			if err != nil {
				t.Fatal(err)
			}
			if wait := got.Attempts[1].Wait; wait != test.want.Seconds() {
				t.Errorf("waited %v, want %v", wait, test.want.Seconds())
			}
		})
	}
}

func TestJitterTakesUpToHalf(t *testing.T) {
	s := start(t, openaitest.Config{})
	s.Fail(openaitest.RateLimited(""), openaitest.RateLimited(""))
	c := config(s, "m")
	c.Rand = func() float64 { return 0.5 }
	got, err := ask(t, c)
	if err != nil {
		t.Fatal(err)
	}
	waits := []float64{got.Attempts[1].Wait, got.Attempts[2].Wait}
	if diff := cmp.Diff([]float64{0.75, 1.5}, waits, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
}

func TestTimeoutOfOneRequest(t *testing.T) {
	s := start(t, openaitest.Config{})
	s.Fail(openaitest.Hang(nil))
	c := config(s, "m")
	c.Timeout, c.MaxRetries = 20*time.Millisecond, -1
	_, err := ask(t, c)
	if qa.ClassOf(err) != qa.FailTimeout || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v of class %s", err, qa.ClassOf(err))
	}
	if want := "POST " + s.Host() + "/v1/chat/completions: no reply within 20ms (the endpoint is slow or stuck: is the model still loading? " +
		"--timeout allows more time)"; err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
}

func TestCancelDuringTheWait(t *testing.T) {
	s := start(t, openaitest.Config{})
	s.Fail(openaitest.Status(500, "oops", "it broke"))
	ctx, cancel := context.WithCancel(t.Context())
	c := config(s, "m")
	c.Sleep = nil
	c.Rand = func() float64 { cancel(); return 0 }
	_, err := open(t, c).Complete(ctx, qa.Request{Messages: []qa.Message{{Role: qa.User, Text: "why?"}}})
	if qa.ClassOf(err) != qa.FailCancelled || !errors.Is(err, context.Canceled) || s.Calls() != 1 {
		t.Errorf("error %v of class %s, %d requests", err, qa.ClassOf(err), s.Calls())
	}
	want := "context canceled (waiting after: POST " + s.Host() + "/v1/chat/completions: HTTP 500: it broke)"
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}

// A wrapper inside the retries sees every request with the ones before it, and can end the call.
func TestInside(t *testing.T) {
	s := start(t, openaitest.Config{})
	for range 5 {
		s.Fail(openaitest.Status(500, "oops", "it broke"))
	}
	m, err := llm.Open(config(s, "m"))
	if err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	m = llm.Inside(m, func(endpoint qa.Model) qa.Model {
		return modelFunc(func(ctx context.Context, r qa.Request) (qa.Reply, error) {
			if len(r.Tried) == 2 {
				return qa.Reply{}, enough
			}
			for _, a := range r.Tried {
				if a.Status != 500 || a.Error != qa.FailServer {
					t.Errorf("tried %+v", a)
				}
			}
			return endpoint.Complete(ctx, r)
		})
	})
	_, err = m.Complete(t.Context(), qa.Request{Messages: []qa.Message{{Role: qa.User, Text: "?"}}})
	var call *qa.CallError
	if !errors.Is(err, enough) || !errors.As(err, &call) || len(call.Attempts) != 2 || s.Calls() != 2 {
		t.Errorf("error %v after %d requests", err, s.Calls())
	}
}

type modelFunc func(context.Context, qa.Request) (qa.Reply, error)

func (f modelFunc) Complete(ctx context.Context, r qa.Request) (qa.Reply, error) { return f(ctx, r) }
