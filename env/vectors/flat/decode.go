package flat

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"

	"airqa/env/vectors"
)

// errDamaged is wrapped by every complaint about the content of a file.
var errDamaged = errors.New("the file is damaged; run airqa ingest again to rebuild it")

// maxHead bounds the head, so that a damaged length does not make a huge slice.
const maxHead = 1 << 20

// readSet reads and checks a collection's file.
func readSet(path string) (*set, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read collection: %w", err)
	}
	s, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("read collection %s: %w", filepath.Base(filepath.Dir(path)), err)
	}
	return s, nil
}

// readInfo reads the description only.
func readInfo(path string) (vectors.Collection, error) {
	f, err := os.Open(path)
	if err != nil {
		return vectors.Collection{}, fmt.Errorf("read collection: %w", err)
	}
	defer func() { _ = f.Close() }() // nothing was written
	start, err := io.ReadAll(io.LimitReader(f, maxHead))
	if err != nil {
		return vectors.Collection{}, fmt.Errorf("read collection: %w", err)
	}
	d := &decoder{data: start}
	h := d.head()
	if d.err != nil {
		return vectors.Collection{}, fmt.Errorf("read collection %s: %w", filepath.Base(filepath.Dir(path)), d.err)
	}
	return h.Collection, nil
}

// decode reads a whole file. Whatever the bytes are, it returns a set that is safe to search, or an error.
func decode(data []byte) (*set, error) {
	d := &decoder{data: data}
	h := d.head()
	if d.err != nil {
		return nil, d.err
	}
	if len(data) < 4 || crc32.Checksum(data[:len(data)-4], castagnoli()) != binary.LittleEndian.Uint32(data[len(data)-4:]) {
		return nil, fmt.Errorf("checksum: %w", errDamaged)
	}
	d.data = data[:len(data)-4]
	return d.body(h)
}

// body reads what follows the head.
func (d *decoder) body(h head) (*set, error) {
	s := newSet(h.Collection)
	if h.Records < 0 || h.Records > len(d.data) {
		return nil, fmt.Errorf("%d records: %w", h.Records, errDamaged)
	}
	if s.info.Kind == vectors.Dense {
		d.dense(s, h.Records)
	} else {
		d.postings(s, h.Records)
	}
	if text := d.text(); text != "" {
		s.info.Encoder = []byte(text)
	}
	d.origins(s, h.Records)
	if d.err == nil && d.at != len(d.data) {
		d.fail("%d bytes too many", len(d.data)-d.at)
	}
	return s, d.err
}

// decoder reads numbers and texts from data. After the first error everything it returns is zero.
type decoder struct {
	data []byte
	at   int
	err  error
}

func (d *decoder) fail(text string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("%s at byte %d: %w", fmt.Sprintf(text, args...), d.at, errDamaged)
	}
}

// take returns the next n bytes, or nil.
func (d *decoder) take(n int) []byte {
	if d.err != nil || n < 0 || n > len(d.data)-d.at {
		d.fail("end of file")
		return nil
	}
	d.at += n
	return d.data[d.at-n : d.at]
}

func (d *decoder) uint32() uint32 {
	if p := d.take(4); p != nil {
		return binary.LittleEndian.Uint32(p)
	}
	return 0
}

func (d *decoder) float32() float32 { return d.finite(d.uint32()) }

// finite reads the bits of a number; no vector holds NaN or an infinity.
func (d *decoder) finite(bits uint32) float32 {
	x := math.Float32frombits(bits)
	if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
		d.fail("a vector with %v", x)
		return 0
	}
	return x
}

// uvarint returns a number below limit.
func (d *decoder) uvarint(limit int) int {
	if d.err != nil {
		return 0
	}
	x, n := binary.Uvarint(d.data[d.at:])
	if n <= 0 || x >= uint64(limit) {
		d.fail("a number out of range")
		return 0
	}
	d.at += n
	return int(x)
}

func (d *decoder) text() string { return string(d.take(d.uvarint(len(d.data) + 1))) }

func (d *decoder) head() head {
	var h head
	if string(d.take(len(magic))) != magic {
		d.fail("no vector collection")
		return h
	}
	if got := d.uint32(); got != format && d.err == nil {
		d.err = fmt.Errorf("made by format %d; this program reads %d", got, format)
		return h
	}
	text := d.take(int(min(d.uint32(), maxHead)))
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&h); err != nil {
		d.fail("head: %v", err)
	}
	if err := h.Collection.Check(); err != nil {
		d.fail("%v", err)
	}
	d.take((alignment - d.at%alignment) % alignment)
	return h
}

func (d *decoder) dense(s *set, records int) {
	dim := s.info.Dim
	if records > (len(d.data)-d.at)/(4*dim) {
		d.fail("end of file")
		return
	}
	s.dense = make([]float32, records*dim)
	block := d.take(4 * len(s.dense))
	for i := range s.dense {
		s.dense[i] = d.finite(binary.LittleEndian.Uint32(block[4*i:]))
	}
	for i := range records {
		s.norms = append(s.norms, norm(s.row(i)))
	}
}

func (d *decoder) postings(s *set, records int) {
	last := int64(-1)
	for range d.uint32() {
		position, n := d.uint32(), int(d.uint32())
		if d.err == nil && (int64(position) <= last || n == 0 || n > (len(d.data)-d.at)/8) {
			d.fail("positions out of order or empty")
		}
		if d.err != nil {
			return
		}
		last = int64(position)
		s.postings[position] = d.list(n, records)
	}
}

// list reads the n postings of one position.
func (d *decoder) list(n, records int) []posting {
	list := make([]posting, 0, n)
	last := -1
	for range n {
		p := posting{record: d.uint32(), weight: d.float32()}
		if int(p.record) <= last || int(p.record) >= records || p.weight <= 0 {
			d.fail("record %d after %d of %d", p.record, last, records)
			return nil
		}
		last = int(p.record)
		list = append(list, p)
	}
	return list
}

func (d *decoder) origins(s *set, records int) {
	var names []string
	for range d.uvarint(len(d.data) + 1) {
		names = append(names, d.text())
		if d.err != nil {
			return
		}
	}
	name := func() string {
		if n := d.uvarint(len(names)); d.err == nil {
			return names[n]
		}
		return ""
	}
	for range records {
		o := vectors.Origin{PaperID: name(), Page: d.uvarint(math.MaxInt16+2) - 1, Table: name(), Column: name(), Key: d.text()}
		if d.err != nil {
			return
		}
		s.addOrigin(o)
	}
}
