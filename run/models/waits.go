package models

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"airqa/qa"
)

// waits counts the waiting calls of a model, before retries or in the queue. It is safe for concurrent use.
type waits struct {
	mu  sync.Mutex
	now map[qa.FailureClass]int
	// changed is called, without the lock, after every change.
	changed []func()
}

// OnWait registers a function that is called whenever a call of the model begins or ends to wait, see [Model.Waiting].
func (m Model) OnWait(f func()) {
	if m.waits == nil {
		return
	}
	m.waits.mu.Lock()
	defer m.waits.mu.Unlock()
	m.waits.changed = append(m.waits.changed, f)
}

// Waiting describes the waiting calls of the model, such as "3 waiting (429)"; "" if there are none.
func (m Model) Waiting() string {
	if m.waits == nil {
		return ""
	}
	return m.waits.text()
}

// begin counts a waiting call until the returned function is called. It is an llm.Config.OnWait.
func (w *waits) begin(class qa.FailureClass) (over func()) {
	w.add(class, 1)
	return func() { w.add(class, -1) }
}

func (w *waits) add(class qa.FailureClass, n int) {
	w.mu.Lock()
	if w.now == nil {
		w.now = make(map[qa.FailureClass]int)
	}
	w.now[class] += n
	changed := w.changed
	w.mu.Unlock()
	for _, f := range changed {
		f()
	}
}

func (w *waits) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	total := 0
	var why []string
	mostFirst := func(a, b qa.FailureClass) int { return cmp.Or(cmp.Compare(w.now[b], w.now[a]), cmp.Compare(a, b)) }
	for _, class := range slices.SortedFunc(maps.Keys(w.now), mostFirst) {
		if w.now[class] > 0 {
			total += w.now[class]
			brief := string(class)
			switch class {
			case qa.FailRateLimit:
				brief = "429"
			case qa.FailServer:
				brief = "5xx"
			}
			why = append(why, brief)
		}
	}
	if total == 0 {
		return ""
	}
	return fmt.Sprintf("%d waiting (%s)", total, strings.Join(why, ", "))
}
