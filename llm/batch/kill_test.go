package batch_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"airqa/internal/pause"
	"airqa/internal/testkit/batchtest"
	"airqa/internal/testkit/openaitest"
	"airqa/llm"
	"airqa/llm/batch"
	"airqa/llm/cache"
)

// asProgram makes the test binary fill a cache: PROVIDER URL DIR.
const asProgram = "AIRQA_TEST_BATCH"

const killRequests = 100

func TestMain(m *testing.M) {
	if args := strings.Fields(os.Getenv(asProgram)); len(args) == 3 {
		if err := fill(context.Background(), args[0], args[1], args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// fill is the program that is killed: its pauses are short.
func fill(ctx context.Context, provider, url, dir string) error {
	model := llm.Config{
		Spec: provider + ":m", BaseURL: url, APIKey: plantedKey,
		Sleep: func(ctx context.Context, d time.Duration) error { return pause.For(ctx, d/500) },
	}
	described, err := llm.Describe(model)
	if err != nil {
		return err
	}
	l, err := batch.OpenLedger(filepath.Join(dir, "batches.jsonl"), nil, nil)
	if err != nil {
		return err
	}
	store, err := cache.Open(filepath.Join(dir, "replies"), cache.Config{})
	if err != nil {
		return err
	}
	q, err := batch.New(batch.Config{Model: model, Ledger: l, Requests: 4, Settle: 100 * time.Millisecond})
	if err != nil {
		return err
	}
	m := &cache.Model{Store: store, Name: model.Spec, Endpoint: described, Protocol: "react"}
	report, err := batch.Fill(ctx, q, m, bare(asked(killRequests)))
	if err != nil {
		return err
	}
	if report.Cached+report.Replies != killRequests {
		return fmt.Errorf("report %+v", report)
	}
	return store.Close()
}

// TestKilled kills a real process twenty times, half of them while the endpoint has accepted a batch and its response is
// on the way, and starts it again each time: no request is sent twice, and every reply arrives.
func TestKilled(t *testing.T) {
	for _, provider := range providers {
		t.Run(provider, func(t *testing.T) {
			chat := openaitest.New(openaitest.Config{Reply: echo})
			defer chat.Close()
			s := batchtest.New(batchtest.Config{Chat: chat, Polls: 2})
			defer s.Close()
			dir := t.TempDir()
			command := func() *exec.Cmd {
				c := exec.CommandContext(t.Context(), os.Args[0])
				c.Env = append(os.Environ(), asProgram+"="+strings.Join([]string{provider, s.URL(), dir}, " "))
				return c
			}
			random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the moments need not be secret, only repeatable
			met := 0
			for i := range 20 {
				var hit bool
				if i%2 == 0 {
					hit = killedAtAccept(t, s, createCall[provider], command())
				} else {
					hit = killedAfter(t, s, 1+random.IntN(8), command())
				}
				if hit {
					met++
				}
			}
			if met < 15 {
				t.Errorf("only %d of 20 kills met a working program", met)
			}
			if raw, err := command().CombinedOutput(); err != nil {
				t.Fatalf("the last start: %v\n%s", err, raw)
			}
			accepted := s.Accepted()
			if len(accepted) != killRequests {
				t.Errorf("%d requests were accepted", len(accepted))
			}
			for body, times := range accepted {
				if times != 1 {
					t.Errorf("sent %d times: %s", times, body)
				}
			}
			t.Logf("%d kills met a working program; %d batches of %d requests", met, s.Batches(), killRequests)
		})
	}
}

// killedAtAccept kills a program whose batch was just accepted, before it reads the response.
func killedAtAccept(t *testing.T, s *batchtest.Server, create string, c *exec.Cmd) bool {
	t.Helper()
	var hit atomic.Bool
	started := make(chan struct{})
	s.Lose(create, func(w http.ResponseWriter, r *http.Request, done <-chan struct{}) {
		<-started
		hit.Store(true)
		_ = c.Process.Kill()
		openaitest.Hang(nil)(w, r, done)
	})
	err := c.Start()
	close(started)
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	s.Unlose(create)
	return hit.Load()
}

// killedAfter kills a program after a number of calls.
func killedAfter(t *testing.T, s *batchtest.Server, calls int, c *exec.Cmd) bool {
	t.Helper()
	until := len(s.Calls()) + calls
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for len(s.Calls()) < until && len(ended) == 0 {
		time.Sleep(time.Millisecond)
	}
	_ = c.Process.Kill()
	return <-ended != nil
}
