package flat

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math"
	"slices"

	"airqa/env/vectors"
	"airqa/internal/aside"
)

// head is the JSON object at the start of a file.
type head struct {
	Collection vectors.Collection `json:"collection"`
	Records    int                `json:"records"`
}

// writeSet writes a set beside path and renames it to path.
func writeSet(path string, s *set) error {
	err := aside.Write(path, func(w io.Writer) error {
		sum := crc32.New(castagnoli())
		if err := encode(io.MultiWriter(w, sum), s); err != nil {
			return err
		}
		return binary.Write(w, binary.LittleEndian, sum.Sum32())
	})
	if err != nil {
		return fmt.Errorf("save collection %s: %w", s.info.Name, err)
	}
	return nil
}

// encode writes everything but the checksum.
func encode(w io.Writer, s *set) error {
	e := &encoder{w: w}
	e.head(s)
	if s.info.Kind == vectors.Dense {
		e.dense(s.dense)
	} else {
		e.postings(s.postings)
	}
	e.text(string(s.info.Encoder))
	e.origins(s.origins)
	return e.flush(0)
}

// encoder collects bytes and hands them on in large pieces. The first error stays.
type encoder struct {
	w   io.Writer
	buf []byte
	err error
}

// flush hands the bytes on when there are more than atLeast.
func (e *encoder) flush(atLeast int) error {
	if len(e.buf) > atLeast && e.err == nil {
		_, e.err = e.w.Write(e.buf)
		e.buf = e.buf[:0]
	}
	return e.err
}

func (e *encoder) uint32(x uint32)  { e.buf = binary.LittleEndian.AppendUint32(e.buf, x) }
func (e *encoder) uvarint(x uint64) { e.buf = binary.AppendUvarint(e.buf, x) }

func (e *encoder) text(s string) {
	e.uvarint(uint64(len(s)))
	e.buf = append(e.buf, s...)
	_ = e.flush(1 << 16) // e.err keeps it
}

func (e *encoder) head(s *set) {
	info := s.info
	info.Encoder = nil
	text, err := json.Marshal(head{Collection: info, Records: len(s.origins)})
	if err != nil {
		e.err = err
	}
	e.buf = append(e.buf, magic...)
	e.uint32(format)
	e.uint32(uint32(len(text)))
	e.buf = append(e.buf, text...)
	for len(e.buf)%alignment != 0 {
		e.buf = append(e.buf, 0)
	}
}

func (e *encoder) dense(numbers []float32) {
	for _, x := range numbers {
		e.uint32(math.Float32bits(x))
		if e.flush(1<<16) != nil {
			return
		}
	}
}

func (e *encoder) postings(lists map[uint32][]posting) {
	e.uint32(uint32(len(lists)))
	for _, position := range slices.Sorted(maps.Keys(lists)) {
		e.uint32(position)
		e.uint32(uint32(len(lists[position])))
		for _, p := range lists[position] {
			e.uint32(p.record)
			e.uint32(math.Float32bits(p.weight))
		}
		if e.flush(1<<16) != nil {
			return
		}
	}
}

func (e *encoder) origins(origins []vectors.Origin) {
	numbers := make(map[string]uint64)
	var names []string
	number := func(s string) uint64 {
		n, ok := numbers[s]
		if !ok {
			n = uint64(len(names))
			numbers[s], names = n, append(names, s)
		}
		return n
	}
	body := &encoder{}
	for _, o := range origins {
		body.uvarint(number(o.PaperID))
		body.uvarint(uint64(o.Page + 1))
		body.uvarint(number(o.Table))
		body.uvarint(number(o.Column))
		body.uvarint(uint64(len(o.Key)))
		body.buf = append(body.buf, o.Key...)
	}
	e.uvarint(uint64(len(names)))
	for _, name := range names {
		e.text(name)
	}
	e.buf = append(e.buf, body.buf...)
}

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }
