package fetch

import (
	"context"
	"sync"
	"time"
)

// arxivDelay is the minimum time between two requests that arXiv grants to programs.
const arxivDelay = 3 * time.Second

// turn is the right to send a request to a host.
type turn struct {
	mu    sync.Mutex
	asked time.Time // of the last request
}

// wait waits until the minimum delay since the last request to a host has passed.
func (s *session) wait(ctx context.Context, host string) error {
	t := s.turn(host)
	t.mu.Lock()
	defer t.mu.Unlock()
	if rest := s.delay(host) - s.Now().Sub(t.asked); rest > 0 {
		if err := s.Sleep(ctx, rest); err != nil {
			return err
		}
	}
	t.asked = s.Now()
	return ctx.Err()
}

func (s *session) turn(host string) *turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turns[host] == nil {
		s.turns[host] = new(turn)
	}
	return s.turns[host]
}

// delay returns the minimum time between two requests to a host.
func (s *session) delay(host string) time.Duration {
	switch host {
	case "arxiv.org", "www.arxiv.org", "export.arxiv.org":
		if s.Delay > 0 {
			return max(s.Delay, arxivDelay)
		}
	}
	return s.Delay
}
