package flat

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"unsafe"

	"airqa/internal/ledger"
)

// One of these is wrapped by all errors about the content of a file.
var (
	errDamaged = errors.New("the file is damaged; airqa store vectors --rebuild makes it again")
	errFormat  = errors.New("airqa store vectors --rebuild makes it again")
)

// file is a collection's file in memory, either mapped or read.
type file struct {
	head   head
	sum    uint32            // of the head
	parts  map[string][]byte // sections by name
	data   []byte
	mapped bool
}

// openFile reads the head of a file and locates its sections. If the file has at most upTo bytes, it also verifies the
// checksums of the sections.
func openFile(path string, upTo int) (*file, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read collection: %w", err)
	}
	defer func() { _ = f.Close() }() // read only; a mapping outlives the descriptor
	data, mapped, err := contents(f, mapFile)
	if err != nil {
		return nil, fmt.Errorf("read collection: %w", err)
	}
	got, err := parse(data)
	if err == nil && len(data) <= upTo {
		err = got.verify(func() error { return nil })
	}
	if err != nil {
		if mapped {
			err = errors.Join(err, unmap(data))
		}
		return nil, fmt.Errorf("read collection %s: %w", filepath.Base(filepath.Dir(path)), err)
	}
	got.mapped = mapped
	if len(data) <= upTo {
		got.evict()
	}
	return got, nil
}

// close releases the memory. No section may be used afterwards.
func (f *file) close() error {
	if !f.mapped {
		return nil
	}
	f.mapped = false
	return unmap(f.data)
}

// evict takes the pages of a mapped file from the memory of the process. They stay in that of the system, and the next use
// takes them back.
func (f *file) evict() {
	if f.mapped {
		evict(f.data)
	}
}

// contents maps a file, or reads it if mapping is not supported. The mapped size stays valid, because files are
// replaced by renaming and never truncated.
func contents(f *os.File, mapper func(*os.File, int) ([]byte, error)) (data []byte, mapped bool, err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, false, err
	}
	size := info.Size()
	if size == 0 || int64(int(size)) != size {
		return nil, false, fmt.Errorf("%d bytes: %w", size, errDamaged)
	}
	if data, err := mapper(f, int(size)); err == nil {
		return data, true, nil
	}
	data = aligned(int(size))
	_, err = io.ReadFull(f, data)
	return data, false, err
}

// aligned returns a slice aligned for every number type of the format.
func aligned(size int) []byte { return raw(make([]uint64, (size+7)/8))[:size] }

// parse locates the sections. For any input it returns either an error or sections within data.
func parse(data []byte) (*file, error) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return nil, errors.New("the byte order of this computer differs from the file's")
	}
	if err := checkStart(data); err != nil {
		return nil, err
	}
	tail := data[len(data)-tailSize:]
	at, size, length := binary.LittleEndian.Uint64(tail), binary.LittleEndian.Uint64(tail[8:]), binary.LittleEndian.Uint32(tail[16:])
	body := uint64(len(data) - tailSize)
	if string(tail[24:]) != magic || size != uint64(len(data)) || length > maxHead || at > body || at+uint64(length) != body {
		return nil, fmt.Errorf("end of file: %w", errDamaged)
	}
	text := data[at:body]
	sum := crc32.Checksum(text, castagnoli())
	if sum != binary.LittleEndian.Uint32(tail[20:]) {
		return nil, fmt.Errorf("checksum of the head: %w", errDamaged)
	}
	f := &file{data: data, sum: sum, parts: make(map[string][]byte)}
	return f, f.readHead(text, int64(at))
}

func checkStart(data []byte) error {
	if len(data) < 12 || string(data[:8]) != magic {
		return fmt.Errorf("not a vector collection: %w", errDamaged)
	}
	if got := binary.LittleEndian.Uint32(data[8:]); got != format {
		return fmt.Errorf("segment of format %d, not %d; %w", got, format, errFormat)
	}
	if len(data) < startSize+tailSize {
		return fmt.Errorf("end of file: %w", errDamaged)
	}
	return nil
}

// readHead reads the head, which begins at end, and locates the sections.
func (f *file) readHead(text []byte, end int64) error {
	if err := ledger.Strict(text, &f.head); err != nil {
		return fmt.Errorf("head: %w: %w", err, errDamaged)
	}
	if err := f.head.Collection.Check(); err != nil {
		return fmt.Errorf("head: %w: %w", err, errDamaged)
	}
	for _, s := range f.head.Sections {
		if s.At < startSize || s.At%alignment != 0 || s.Size < 0 || s.At > end || s.Size > end-s.At {
			return fmt.Errorf("section %s at byte %d, %d bytes: %w", s.Name, s.At, s.Size, errDamaged)
		}
		f.parts[s.Name] = f.data[s.At : s.At+s.Size : s.At+s.Size]
	}
	return nil
}

// verify compares the checksums. It calls goOn between pieces and stops at its error.
func (f *file) verify(check func() error) error {
	const piece = 16 << 20
	for _, s := range f.head.Sections {
		sum, rest := uint32(0), f.data[s.At:s.At+s.Size]
		for len(rest) > 0 {
			if err := check(); err != nil {
				return err
			}
			n := min(piece, len(rest))
			sum = crc32.Update(sum, castagnoli(), rest[:n])
			if rest = rest[n:]; s.Size >= piece {
				f.evict()
			}
		}
		if sum != s.CRC32C {
			return fmt.Errorf("checksum of section %s: %w", s.Name, errDamaged)
		}
	}
	return nil
}

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// view reinterprets bytes as numbers without copying. They must be aligned; remaining bytes at the end are ignored.
func view[T any](b []byte) []T {
	var one T
	n := len(b) / int(unsafe.Sizeof(one))
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n)
}

// raw is the inverse of view.
func raw[T any](numbers []T) []byte {
	if len(numbers) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&numbers[0])), len(numbers)*int(unsafe.Sizeof(numbers[0])))
}
