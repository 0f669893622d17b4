package pdf

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"unicode/utf16"

	"github.com/klippa-app/go-pdfium"
	"github.com/tetratelabs/wazero/api"
)

// guest calls the functions exported by PDFium's WebAssembly module. go-pdfium's own calls create a handle and several
// allocations per character, which is four times slower.
//
// The first fault is sticky: later calls return 0 until take is called. A sequence of calls thus needs only one check
// at its end.
type guest struct {
	// find is the method ExportedFunction of go-pdfium's module.
	find    reflect.Value
	linear  api.Memory
	memory  *memory
	spoiled bool // PDFium was stopped
	calls   map[string]api.Function
	scratch uint32 // scratchSize bytes for results by pointer
	stack   [9]uint64
	err     error
}

const scratchSize = 4096

// errSpoiled is the error after a call was stopped; callers of Document see a slowError instead.
var errSpoiled = errors.New("PDFium was stopped")

// newGuest finds the module of an instance. Its type is in an internal package, hence the reflection. A test fails if an
// update of go-pdfium changes it.
func newGuest(inst pdfium.Pdfium, all *memories) (*guest, error) {
	impl := reflect.Indirect(reflect.ValueOf(inst.GetImplementation()))
	if impl.Kind() != reflect.Struct || !impl.FieldByName("Module").IsValid() {
		return nil, errors.New("start PDFium: this version of go-pdfium hides its module")
	}
	mod := reflect.ValueOf(impl.FieldByName("Module").Interface())
	linear, ok := firstResult[api.Memory](mod.MethodByName("Memory"))
	find := mod.MethodByName("ExportedFunction")
	if _, found := firstResult[api.Function](find, "malloc"); !ok || !found {
		return nil, errors.New("start PDFium: this version of go-pdfium has another module type")
	}
	g := &guest{find: find, linear: linear, memory: all.of(linear), calls: map[string]api.Function{}}
	if g.memory == nil {
		return nil, errors.New("start PDFium: its memory is not the one that it was given")
	}
	g.scratch = g.alloc(scratchSize)
	return g, g.take()
}

// firstResult calls a method that takes texts; false if there is none, or if it returns nil or another type.
func firstResult[T any](method reflect.Value, args ...string) (T, bool) {
	var none T
	if !method.IsValid() || method.Type().NumIn() != len(args) || method.Type().NumOut() != 1 {
		return none, false
	}
	in := make([]reflect.Value, len(args))
	for i, arg := range args {
		in[i] = reflect.ValueOf(arg)
	}
	out, ok := method.Call(in)[0].Interface().(T)
	return out, ok
}

// take returns and clears the first fault.
func (g *guest) take() error {
	err := g.err
	g.err = nil
	return err
}

// call runs an exported function. The result is 0 if it returns nothing or a fault is pending.
func (g *guest) call(name string, args ...uint64) uint64 {
	if g.err != nil {
		return 0
	}
	if g.memory.spoiled() {
		g.err = errSpoiled
		return 0
	}
	fn, ok := g.calls[name]
	if !ok {
		if fn, ok = firstResult[api.Function](g.find, name); !ok {
			g.err = fmt.Errorf("PDFium has no function %s", name)
			return 0
		}
		g.calls[name] = fn
	}
	g.stack[0] = 0
	copy(g.stack[:], args)
	if err := fn.CallWithStack(context.Background(), g.stack[:max(1, len(args))]); err != nil {
		g.err = &guestError{name, err}
		return 0
	}
	return g.stack[0]
}

// word is call for functions that return a 32-bit integer or a pointer.
func (g *guest) word(name string, args ...uint64) uint32 { return uint32(g.call(name, args...)) }

// yes is call for functions that return a boolean.
func (g *guest) yes(name string, args ...uint64) bool { return g.word(name, args...) != 0 }

func (g *guest) alloc(size int) uint32 {
	p := g.word("malloc", uint64(size))
	if p == 0 && g.err == nil {
		g.err = errors.New("PDFium has no memory left")
	}
	return p
}

// put copies data into new guest memory.
func (g *guest) put(data []byte) uint32 {
	p := g.alloc(len(data))
	if p != 0 && !g.linear.Write(p, data) {
		g.err = errors.New("PDFium: write outside its memory")
	}
	return p
}

// bytes returns a view of guest memory, which is valid until the next call.
func (g *guest) bytes(p, size uint32) []byte {
	b, ok := g.linear.Read(p, size)
	if !ok && g.err == nil {
		g.err = errors.New("PDFium: read outside its memory")
	}
	return b
}

// at returns the address of the i-th 8-byte slot of the scratch memory.
func (g *guest) at(i int) uint64 { return uint64(g.scratch) + uint64(8*i) }

func (g *guest) int32At(i int) int32 {
	v, _ := g.linear.ReadUint32Le(uint32(g.at(i)))
	return int32(v)
}

func (g *guest) float32At(i int) float64 {
	v, _ := g.linear.ReadFloat32Le(uint32(g.at(i)))
	return float64(v)
}

func (g *guest) float64At(i int) float64 {
	v, _ := g.linear.ReadFloat64Le(uint32(g.at(i)))
	return v
}

// floats reads n packed 32-bit floats at the start of the scratch memory.
func (g *guest) floats(n int) []float64 {
	b := g.bytes(g.scratch, uint32(4*n))
	out := make([]float64, n)
	for i := range len(b) / 4 {
		out[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
	}
	return out
}

// putFloats writes packed 32-bit floats at slot i of the scratch memory and returns its address.
func (g *guest) putFloats(i int, values ...float64) uint64 {
	at := uint32(g.at(i))
	for k, v := range values {
		g.linear.WriteFloat32Le(at+uint32(4*k), float32(v))
	}
	return uint64(at)
}

// utf16At decodes size bytes of UTF-16LE text at the start of slot i, without its terminator.
func (g *guest) utf16At(i int, size uint32) string {
	b := g.bytes(uint32(g.at(i)), size)
	units := make([]uint16, 0, len(b)/2)
	for k := 0; k+1 < len(b); k += 2 {
		unit := binary.LittleEndian.Uint16(b[k:])
		if unit == 0 {
			break
		}
		units = append(units, unit)
	}
	return string(utf16.Decode(units))
}

// guestError is a crash inside PDFium.
type guestError struct {
	call  string
	cause error // names the instruction
}

// Error describes the crash for readers who do not know PDFium. It stops at an "unreachable" instruction when it runs out
// of memory.
func (e *guestError) Error() string {
	if strings.Contains(e.cause.Error(), "unreachable") {
		return "PDFium gave up: the file is damaged or needs too much memory"
	}
	return "PDFium failed: the file is damaged"
}

func (e *guestError) Unwrap() error { return fmt.Errorf("%s: %w", e.call, e.cause) }
