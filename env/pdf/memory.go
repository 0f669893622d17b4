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

// memory is that of one PDFium instance. Its place never changes, so that another thread may write to it while PDFium runs:
// that is how a call that does not end is ended.
//
// Compiled WebAssembly cannot be interrupted unless every loop asks whether to go on, which makes all of it four times slower. But
// it can be made to stumble: with other bytes under it, it soon follows a pointer that leads out of its memory or calls a
// function that does not exist, which ends the call with an error. It is confined to this memory, whatever it does until then.
// The thread is one of C, since Go's collector waits for the call and everything of Go for the collector.
type memory struct {
	guard *C.guard // nil when given back

	mu    sync.Mutex
	calls int  // so far
	users int  // calls under way
	freed bool // PDFium has no use for it any more
	gone  func()
}

// Reallocate implements experimental.LinearMemory.
func (m *memory) Reallocate(size uint64) []byte {
	if size > uint64(m.guard.reserved) {
		return nil
	}
	atomic.StoreInt64((*int64)(&m.guard.size), int64(size))
	return unsafe.Slice((*byte)(m.guard.space), int(m.guard.reserved))[:size]
}

// Free implements experimental.LinearMemory. A pool that is closed beside a call under way leaves the memory to that call.
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

// watch spoils the memory when a call takes longer than limit or ctx is done; the caller says with stop that it is over, and
// is told whether the memory was spoiled. It is false when PDFium is gone.
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
	forget := context.AfterFunc(ctx, func() { m.expire(call) })
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

// expire ends a call if it is still under way.
func (m *memory) expire(call int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.users > 0 && m.calls == call {
		C.guard_expire(m.guard)
	}
}

// spoiled tells whether a call was ended. The memory holds nothing then.
func (m *memory) spoiled() bool { return atomic.LoadInt32((*int32)(&m.guard.spoiled)) != 0 }

// memories makes and finds the memory of instances.
type memories struct {
	mu      sync.Mutex
	byPlace map[*byte]*memory
}

// Allocate implements experimental.MemoryAllocator.
func (s *memories) Allocate(_, most uint64) experimental.LinearMemory {
	guard := C.guard_new(C.int64_t(most))
	if guard == nil {
		panic("PDFium gets no memory from the system") // freshInstance makes it an error
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

// of is the memory of an instance; nil when it was not made here.
func (s *memories) of(mod api.Module) *memory {
	first, ok := mod.Memory().Read(0, 1)
	if !ok {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byPlace[&first[0]]
}
