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

// errDamaged is wrapped by every complaint about the content of a file.
var errDamaged = errors.New("the file is damaged; run airqa ingest again to rebuild it")

// file is a collection's file as it lies in memory, mapped or read.
type file struct {
	head   head
	parts  map[string][]byte // sections by name
	data   []byte
	mapped bool
}

// openFile reads the head of a file and makes its sections accessible. It compares the checksums of the sections if the
// file is no larger than upTo.
func openFile(path string, upTo int) (*file, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read collection: %w", err)
	}
	defer func() { _ = f.Close() }() // nothing was written, and a mapping outlives the descriptor
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
	return got, nil
}

// close gives the memory back. No section may be used after it.
func (f *file) close() error {
	if !f.mapped {
		return nil
	}
	f.mapped = false
	return unmap(f.data)
}

// contents maps a file, or reads it where that cannot be done. A mapping is of the size that the file has now: files
// are replaced by renaming and never cut, so that no page of it goes away.
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

// aligned makes a slice in which every type of number of the format may lie.
func aligned(size int) []byte { return raw(make([]uint64, (size+7)/8))[:size] }

// parse finds the sections. Whatever the bytes are, it returns an error or sections within data.
func parse(data []byte) (*file, error) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return nil, errors.New("this computer keeps numbers in another order than the file")
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
	if crc32.Checksum(text, castagnoli()) != binary.LittleEndian.Uint32(tail[20:]) {
		return nil, fmt.Errorf("checksum of the head: %w", errDamaged)
	}
	f := &file{data: data, parts: make(map[string][]byte)}
	return f, f.readHead(text, int64(at))
}

func checkStart(data []byte) error {
	if len(data) < 12 || string(data[:8]) != magic {
		return fmt.Errorf("no vector collection: %w", errDamaged)
	}
	if got := binary.LittleEndian.Uint32(data[8:]); got < oldest || got > format {
		return fmt.Errorf("made by format %d; this program reads %d to %d; run airqa ingest again to rebuild it", got, oldest, format)
	}
	if len(data) < startSize+tailSize {
		return fmt.Errorf("end of file: %w", errDamaged)
	}
	return nil
}

// readHead reads the head, which begins at end, and cuts the sections.
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

// verify compares the checksums; between pieces it asks goOn.
func (f *file) verify(goOn func() error) error {
	const piece = 16 << 20
	for _, s := range f.head.Sections {
		sum, rest := uint32(0), f.data[s.At:s.At+s.Size]
		for len(rest) > 0 {
			if err := goOn(); err != nil {
				return err
			}
			n := min(piece, len(rest))
			sum = crc32.Update(sum, castagnoli(), rest[:n])
			rest = rest[n:]
		}
		if sum != s.CRC32C {
			return fmt.Errorf("checksum of section %s: %w", s.Name, errDamaged)
		}
	}
	return nil
}

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// view reads bytes as numbers where they lie. They must be aligned; what is left over at the end is not seen.
func view[T any](b []byte) []T {
	var one T
	n := len(b) / int(unsafe.Sizeof(one))
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n)
}

// raw is the way back.
func raw[T any](numbers []T) []byte {
	if len(numbers) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&numbers[0])), len(numbers)*int(unsafe.Sizeof(numbers[0])))
}
