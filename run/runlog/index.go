package runlog

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"airqa/internal/atomicfile"
)

// The index is log.idx: the places of the lines of a log, so that opening a long one reads only what came since. It is a
// copy of what the log says: whoever finds it missing, stale or damaged reads the log and writes it anew.
const (
	indexFile = "log.idx"
	indexMark = "airqa log index 1\n"
	// indexFrom is how many bytes of new lines make it worth writing.
	indexFrom = 1 << 20
	// printSize is how much of each end of the covered part of a log its fingerprint is made from.
	printSize = 4 << 10
)

// What a line of the index says of a line of the log, beside its episode.
const (
	lineBad     = 0
	lineUnknown = 1
	lineEvent   = 2 // and more: the number of the episode
)

// indexed is what an index is made from: the lines in their order.
type indexed struct {
	size  int64 // of the log that is covered
	codes []uint32
	sizes []uint32
}

func (x *indexed) add(code uint32, length int) {
	x.size += int64(length)
	x.codes, x.sizes = append(x.codes, code), append(x.sizes, uint32(length)) //nolint:gosec // a line of 4 GiB is refused by scan
}

// useIndex takes what the index of a log says, and returns how many bytes of the log it covers; 0 when there is none to use.
func (r *Run) useIndex(log *os.File) int64 {
	raw, err := readIn(r.Dir, indexFile)
	if err != nil {
		return 0
	}
	body, ok := bytes.CutPrefix(raw, []byte(indexMark))
	if !ok || len(body) < 4 {
		return 0
	}
	body, sum := body[:len(body)-4], body[len(body)-4:]
	if crc32.ChecksumIEEE(body) != binary.LittleEndian.Uint32(sum) {
		return 0
	}
	d := decoder{raw: body}
	size, print := int64(d.number()), d.bytes(sha256.Size) //nolint:gosec // checked by the fingerprint
	now, err := fingerprintOf(log, size)
	if err != nil || d.bad || !bytes.Equal(print, now) {
		return 0
	}
	fresh := *r
	fresh.lines = make(map[string][]line)
	if !fresh.decode(&d) || fresh.index.size != size {
		return 0
	}
	*r = fresh
	return size
}

// decode reads the episodes and lines of an index.
func (r *Run) decode(d *decoder) bool {
	names := make([]string, d.number())
	for i := range names {
		names[i] = string(d.bytes(int(d.number()))) //nolint:gosec // bytes checks it
		if d.bad {
			return false
		}
	}
	for n := d.number(); n > 0 && !d.bad; n-- {
		code, length := d.number(), d.number()
		if code >= uint64(lineEvent+len(names)) {
			return false
		}
		name := ""
		if code >= lineEvent {
			name = names[code-lineEvent]
		}
		r.place(uint32(code), name, int(length)) //nolint:gosec // both were written by writeIndex
	}
	return !d.bad && len(d.raw) == 0
}

// writeIndex stores the index when enough lines came since. A directory that cannot be written to has none, nor has a log
// with a damaged line, which somebody may mend in place.
func (r *Run) writeIndex(log *os.File, covered int64) {
	if r.index.size-covered < indexFrom || len(r.BadLines) > 0 {
		return
	}
	print, err := fingerprintOf(log, r.index.size)
	if err != nil {
		return
	}
	body := binary.AppendUvarint(nil, uint64(r.index.size)) //nolint:gosec // a size
	body = append(body, print...)
	body = binary.AppendUvarint(body, uint64(len(r.order)))
	for _, name := range r.order {
		body = binary.AppendUvarint(body, uint64(len(name)))
		body = append(body, name...)
	}
	body = binary.AppendUvarint(body, uint64(len(r.index.codes)))
	for i, code := range r.index.codes {
		body = binary.AppendUvarint(body, uint64(code))
		body = binary.AppendUvarint(body, uint64(r.index.sizes[i]))
	}
	whole := append([]byte(indexMark), body...)
	_ = atomicfile.WriteFile(filepath.Join(r.Dir, indexFile), binary.LittleEndian.AppendUint32(whole, crc32.ChecksumIEEE(body)))
}

// fingerprintOf tells one log from another by the ends of its first size bytes.
func fingerprintOf(log io.ReaderAt, size int64) ([]byte, error) {
	ends := make([]byte, 2*printSize)
	head, err := log.ReadAt(ends[:min(printSize, size)], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	tail, err := log.ReadAt(ends[head:head+int(min(printSize, size))], max(size-printSize, 0))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	sum := sha256.Sum256(ends[:head+tail])
	return sum[:], nil
}

// decoder reads numbers and bytes; bad is set when there are none left.
type decoder struct {
	raw []byte
	bad bool
}

func (d *decoder) number() uint64 {
	x, n := binary.Uvarint(d.raw)
	if n <= 0 {
		d.bad = true
		return 0
	}
	d.raw = d.raw[n:]
	return x
}

func (d *decoder) bytes(n int) []byte {
	if n < 0 || n > len(d.raw) {
		d.bad = true
		return nil
	}
	b := d.raw[:n]
	d.raw = d.raw[n:]
	return b
}
