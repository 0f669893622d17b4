package paperdb

import (
	"strings"
	"testing"
	"time"
)

// A program that did not call WorkerMain must not start itself a second time.
func TestNotWired(t *testing.T) {
	workerMainCalled.Store(false)
	t.Cleanup(func() { workerMainCalled.Store(true) })
	w := newWorkers("/nowhere", 0)
	_, err := w.query(t.Context(), "SELECT 1", Limits{Rows: 1, Deadline: time.Second})
	if err == nil || !strings.Contains(err.Error(), "call paperdb.WorkerMain first in main") {
		t.Errorf("got %v", err)
	}
}
