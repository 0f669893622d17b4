package extractor

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/extractor/candidate"
	"airqa/extractor/gate"
	"airqa/qa"
)

// shuffled lets the candidates in flight finish in a random order.
type shuffled struct {
	mu      sync.Mutex
	random  *rand.Rand
	waiting []chan struct{}
	workers int
}

// pass returns when the caller's turn has come. A full house releases a random caller, which releases the next one.
func (s *shuffled) pass() {
	mine := make(chan struct{})
	s.mu.Lock()
	s.waiting = append(s.waiting, mine)
	if len(s.waiting) >= s.workers {
		s.release()
	}
	s.mu.Unlock()
	<-mine
}

func (s *shuffled) release() {
	i := s.random.IntN(len(s.waiting))
	close(s.waiting[i])
	s.waiting = append(s.waiting[:i], s.waiting[i+1:]...)
}

// settle releases everyone who waits once nobody else will come.
func (s *shuffled) settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.waiting) > 0 {
		s.release()
	}
}

// fate is the outcome of a candidate: the same for the same seed and id.
func fate(seed int, id candidate.ID) candidate.Outcome {
	h := fnv.New32a()
	_, _ = fmt.Fprintf(h, "%d %s", seed, id)
	if h.Sum32()%10 < 4 {
		return candidate.Rejected
	}
	return candidate.Done
}

// made is a candidate after its stages.
func made(id candidate.ID, o candidate.Outcome) *work {
	return &work{Line: candidate.Line{Outcome: o}, Subject: gate.Subject{Material: candidate.Material{ID: id}}}
}

// pending counts the candidates that were started but not committed.
func pending(s *schedule) (n int) {
	for _, l := range s.lanes {
		n += len(l.started) - l.commit
	}
	return n
}

type played struct {
	Accepted, Committed []string
	Started             map[string]bool
}

func play(t *testing.T, seed, workers int, quotas []candidate.Quota) played {
	t.Helper()
	p := played{Started: map[string]bool{}}
	s := &schedule{workers: workers}
	for _, q := range quotas {
		s.lanes = append(s.lanes, &lane{Quota: q})
	}
	order := &shuffled{random: rand.New(rand.NewPCG(uint64(seed), uint64(workers))), workers: workers}
	var mu sync.Mutex
	started := 0
	s.work = func(_ context.Context, id candidate.ID) (*work, error) {
		mu.Lock()
		p.Started[id.String()] = true
		started++
		mu.Unlock()
		order.pass()
		return made(id, fate(seed, id)), nil
	}
	s.decide = func(w *work) (bool, error) {
		id := w.Material.ID
		p.Committed = append(p.Committed, id.String())
		// The third accepted row of each category looks like a duplicate once.
		ok := w.Outcome == candidate.Done && id.Index != 3
		if ok {
			p.Accepted = append(p.Accepted, id.String())
		}
		return ok, nil
	}
	quit := make(chan struct{})
	go func() {
		for {
			select {
			case <-quit:
				return
			default:
				order.settle()
			}
		}
	}()
	if err := s.run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	close(quit)
	if left := pending(s); left > 0 {
		t.Errorf("%d pending after a complete run", left)
	}
	return p
}

// The same candidates are started and accepted, in the same order, whatever the number of workers and the order in which
// calls end; and no accepted candidate is left over.
func TestSameRowsAtAnyConcurrency(t *testing.T) {
	quotas := []candidate.Quota{
		{Category: "single-text", Count: 7, Most: 35},
		{Category: "single-table", Count: 3, Most: 15},
		{Category: "retrieval", Count: 5, Most: 25},
		{Category: "single-image", Count: 2, Most: 0},
	}
	for seed := range 20 {
		want := play(t, seed, 1, quotas)
		for _, workers := range []int{2, 3, 8, 64} {
			got := play(t, seed, workers, quotas)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d, %d workers (-one +many):\n%s", seed, workers, diff)
			}
		}
		if len(want.Accepted) != 15 {
			t.Errorf("seed %d: %d rows accepted, want 15", seed, len(want.Accepted))
		}
	}
}

// A category whose candidates run out ends without its quota; the others get theirs.
func TestCandidatesRunOut(t *testing.T) {
	got := play(t, 1, 4, []candidate.Quota{{Category: "single-text", Count: 9, Most: 4}, {Category: "retrieval", Count: 2, Most: 20}})
	if len(got.Committed) < 6 || len(got.Accepted) < 2 {
		t.Errorf("committed %v, accepted %v", got.Committed, got.Accepted)
	}
	if got.Started["single-text-4"] {
		t.Error("a candidate was started beyond the maximum")
	}
}

// Ten failures in a row stop a schedule, and so does a suspended call; finished candidates behind it stay pending.
func TestStops(t *testing.T) {
	for _, outcome := range []candidate.Outcome{candidate.Failed, candidate.Pending} {
		s := &schedule{workers: 1}
		s.lanes = []*lane{{Quota: candidate.Quota{Category: "retrieval", Count: 100, Most: 500}}}
		s.work = func(_ context.Context, id candidate.ID) (*work, error) {
			if outcome == candidate.Pending {
				return nil, &qa.SuspendedError{Reason: "budget reached"}
			}
			return made(id, outcome), nil
		}
		committed := 0
		s.decide = func(*work) (bool, error) { committed++; return false, nil }
		if err := s.run(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		want := map[candidate.Outcome][2]int{candidate.Failed: {qa.MaxInRow, 0}, candidate.Pending: {0, 1}}[outcome]
		if got := [2]int{committed, pending(s)}; got != want {
			t.Errorf("%s: %d committed, %d pending; want %v", outcome, got[0], got[1], want)
		}
	}
}

// Closing drain starts nothing more.
func TestDrain(t *testing.T) {
	s := &schedule{workers: 2}
	s.lanes = []*lane{{Quota: candidate.Quota{Category: "retrieval", Count: 100, Most: 500}}}
	drain := make(chan struct{})
	var once sync.Once
	s.work = func(_ context.Context, id candidate.ID) (*work, error) {
		once.Do(func() { close(drain) })
		return made(id, candidate.Done), nil
	}
	committed := 0
	s.decide = func(*work) (bool, error) { committed++; return true, nil }
	if err := s.run(t.Context(), drain); err != nil {
		t.Fatal(err)
	}
	if committed == 0 || committed == 100 {
		t.Errorf("%d candidates committed after an early stop", committed)
	}
}
