package pause_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"airqa/internal/pause"
)

func TestFor(t *testing.T) {
	if err := pause.For(t.Context(), time.Nanosecond); err != nil {
		t.Errorf("got %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := pause.For(ended, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("ended: got %v", err)
	}
}
