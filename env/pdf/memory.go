package pdf

// #cgo LDFLAGS: -lpthread
// #include "guard.h"
import "C"

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// memory is the memory of one PDFium instance. Its address never changes, so that another thread may write to it while
// PDFium runs. This is how a call that does not end is stopped.
//
// Compiled WebAssembly cannot be interrupted unless every loop checks a flag, which makes all code four times slower.
// But it can be made to fail: if its memory is overwritten, it soon follows a pointer out of its memory or calls a
// function that does not exist, which ends the call with an error. Until then, it is confined to this memory. The
// thread is a C thread, because Go's collector waits for the call, and all Go code waits for the collector.
type memory struct {
	guard *C.guard // nil after release

	mu    sync.Mutex
	calls int  // number of calls so far
	users int  // calls in flight
	freed bool // no longer used by PDFium
	gone  func()
}

// Reallocate grows the memory in place.
func (m *memory) Reallocate(size uint64) []byte {
	if size > uint64(m.guard.reserved) {
		return nil
	}
	atomic.StoreInt64((*int64)(&m.guard.size), int64(size))
	return unsafe.Slice((*byte)(m.guard.space), int(m.guard.reserved))[:size]
}

// Free releases the memory, unless a call is in flight while the pool is closed. That call then releases it.
func (m *memory) Free() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.freed = true
	m.giveBack()
}

func (m *memory) giveBack() {
	if m.freed && m.users == 0 && m.guard != nil {
		m.gone()
		C.guard_free(m.guard)
		m.guard = nil
	}
}

// watch overwrites the memory if a call exceeds limit or ctx is done. The caller calls stop at the end of the call;
// stop reports whether the memory was overwritten. ok is false if PDFium is gone.
func (m *memory) watch(ctx context.Context, limit time.Duration) (stop func() (spoiled bool), ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.freed {
		return nil, false
	}
	m.users++
	m.calls++
	call := m.calls
	C.guard_arm(m.guard, C.int64_t(limit))
	forget := context.AfterFunc(ctx, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.users > 0 && m.calls == call { // still in flight
			C.guard_expire(m.guard)
		}
	})
	return func() bool {
		forget()
		m.mu.Lock()
		defer m.mu.Unlock()
		C.guard_disarm(m.guard)
		spoiled := m.spoiled()
		m.users--
		m.giveBack()
		return spoiled
	}, true
}

// spoiled reports whether a call was stopped. The content of the memory is then invalid.
func (m *memory) spoiled() bool { return atomic.LoadInt32((*int32)(&m.guard.spoiled)) != 0 }

// memories allocates and finds the memory of instances.
type memories struct {
	mu      sync.Mutex
	byPlace map[*byte]*memory
}

// Allocate returns the memory of a new instance.
func (s *memories) Allocate(_, most uint64) experimental.LinearMemory {
	guard := C.guard_new(C.int64_t(most))
	if guard == nil {
		panic("out of memory for PDFium") // freshInstance converts it to an error
	}
	place := (*byte)(guard.space)
	m := &memory{guard: guard, gone: func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.byPlace, place)
	}}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byPlace == nil {
		s.byPlace = map[*byte]*memory{}
	}
	s.byPlace[place] = m
	return m
}

// of returns the memory of an instance, or nil if it was not allocated here.
func (s *memories) of(linear api.Memory) *memory {
	first, ok := linear.Read(0, 1)
	if !ok {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byPlace[&first[0]]
}
