package concurrent_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"airqa/internal/concurrent"
)

func TestFor(t *testing.T) {
	if err := concurrent.Sleep(t.Context(), time.Nanosecond); err != nil {
		t.Errorf("got %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := concurrent.Sleep(ended, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("ended: got %v", err)
	}
}
