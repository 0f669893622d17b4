// Package modeltest checks the contract of [qa.Model]. Start from [Run]. It makes no requests of its own and knows no
// provider: each package that implements the contract configures how its models are made.
package modeltest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/qa"
)

// Config configures the models under test. Only New is required.
type Config struct {
	// New makes a model that answers every request of Request.
	New func(t *testing.T) qa.Model
	// Request is the nth request, from 0; nil is a short question with the number in it.
	Request func(n int) qa.Request
	// Tools makes a model that answers a request with a call of Tool; nil for models without tools.
	Tools func(t *testing.T) qa.Model
	// Failing makes a model whose requests fail with the class, and the number of requests per call; nil for models
	// without requests.
	Failing func(t *testing.T) (m qa.Model, class qa.FailureClass, requests int)
	// Hanging makes a model that calls asked when it is asked, and then waits for the end of the call's context; nil
	// for models that do not wait.
	Hanging func(t *testing.T, asked func()) qa.Model
	// Sequential is set for models that answer the requests of an episode only in order.
	Sequential bool
}

// Tool is offered to models that accept tools.
var Tool = qa.ToolSpec{
	Name: "Retrieve", Description: "Search the passages.",
	Parameters: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`),
}

// Question is the default nth request.
func Question(n int) qa.Request {
	return qa.Request{
		Messages: []qa.Message{{Role: qa.System, Text: "Be brief."}, {Role: qa.User, Text: fmt.Sprintf("Question %d?", n)}},
		UUID:     fmt.Sprintf("u%d", n), Step: 1,
	}
}

// Run checks a model against the contract, one subtest per rule.
func Run(t *testing.T, c Config) {
	t.Helper()
	if c.Request == nil {
		c.Request = Question
	}
	t.Run("reply", c.reply)
	t.Run("cancelled before", c.cancelledBefore)
	if !c.Sequential {
		t.Run("overlapping calls", c.overlapping)
	}
	if c.Tools != nil {
		t.Run("tools", c.tools)
	}
	if c.Failing != nil {
		t.Run("failure", c.failure)
	}
	if c.Hanging != nil {
		t.Run("cancelled in flight", c.cancelledInFlight)
	}
}

func (c Config) reply(t *testing.T) {
	r := c.Request(0)
	before := c.Request(0)
	reply, err := c.New(t).Complete(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	checkReply(t, r, reply)
	if diff := cmp.Diff(before, r); diff != "" {
		t.Errorf("the call changed its request (-before +after):\n%s", diff)
	}
}

// checkReply checks the rules for every reply.
func checkReply(t *testing.T, r qa.Request, reply qa.Reply) {
	t.Helper()
	if u := reply.Usage; min(u.Prompt, u.Completion, u.Cached, u.Reasoning) < 0 {
		t.Errorf("negative usage %+v", u)
	}
	for _, call := range reply.ToolCalls {
		offered := func(s qa.ToolSpec) bool { return s.Name == call.Name }
		if !slices.ContainsFunc(r.Tools, offered) {
			t.Errorf("a call of %q, which was not offered", call.Name)
		}
		if call.ID == "" || !json.Valid(call.Arguments) {
			t.Errorf("call %q has arguments %q", call.ID, call.Arguments)
		}
	}
	for i, a := range reply.Attempts {
		if last := i == len(reply.Attempts)-1; last != (a.Error == "") || a.Seconds < 0 || a.Wait < 0 {
			t.Errorf("request %d of %d: %+v", i+1, len(reply.Attempts), a)
		}
	}
}

func (c Config) overlapping(t *testing.T) {
	m := c.New(t)
	var all sync.WaitGroup
	for n := range 16 {
		all.Go(func() {
			r := c.Request(n)
			reply, err := m.Complete(t.Context(), r)
			if err != nil {
				t.Errorf("call %d: %v", n, err)
				return
			}
			checkReply(t, r, reply)
		})
	}
	all.Wait()
}

func (c Config) tools(t *testing.T) {
	m := c.Tools(t)
	r := c.Request(0)
	r.Tools = []qa.ToolSpec{Tool}
	reply, err := m.Complete(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	checkReply(t, r, reply)
	if len(reply.ToolCalls) == 0 {
		t.Errorf("no call in %+v", reply)
	}
}

func (c Config) failure(t *testing.T) {
	m, class, requests := c.Failing(t)
	reply, err := m.Complete(t.Context(), c.Request(0))
	var call *qa.CallError
	if !errors.As(err, &call) {
		t.Fatalf("reply %+v, error %v of type %T, want a *qa.CallError", reply, err, err)
	}
	if call.Class != class || call.Err == nil || len(call.Attempts) != requests {
		t.Errorf("class %q with %d requests, want %q with %d: %v", call.Class, len(call.Attempts), class, requests, err)
	}
	for i, a := range call.Attempts {
		if a.Error == "" || a.Seconds < 0 || a.Wait < 0 {
			t.Errorf("request %d: %+v", i+1, a)
		}
	}
}

func (c Config) cancelledBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	checkCancelled(t, ctx, c.New(t), c.Request(0))
}

func (c Config) cancelledInFlight(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	checkCancelled(t, ctx, c.Hanging(t, cancel), c.Request(0))
}

// checkCancelled makes a call whose context ends before the reply. A model that ignores it fails after a minute.
func checkCancelled(t *testing.T, ctx context.Context, m qa.Model, r qa.Request) {
	t.Helper()
	ended := make(chan error, 1)
	go func() {
		_, err := m.Complete(ctx, r)
		ended <- err
	}()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) || qa.ClassOf(err) != qa.FailCancelled {
			t.Errorf("error %v of class %q", err, qa.ClassOf(err))
		}
	case <-time.After(time.Minute):
		t.Error("the call outlives its context")
	}
}
