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
	"slices"
	"strconv"

	"airqa/internal/files"
)

// The index, log.idx, has the positions of a log's lines, so that opening a long log reads only new lines. It is
// redundant: if it is missing, stale or damaged, it is rebuilt from the log.
const (
	indexFile = "log.idx"
	indexMark = "airqa log index 2\n"
	// indexFrom is the minimum number of new bytes for writing the index.
	indexFrom = 1 << 20
	// printSize is the size of each end of the indexed part that its fingerprint covers.
	printSize = 4 << 10
)

// The code of a line in the index.
const (
	lineBad     = 0
	lineUnknown = 1
	lineEvent   = 2 // and above: lineRoles times the number of the episode, plus the event's role
)

// What an event is to its episode.
const (
	roleOther   = 0
	roleMessage = 1 // it makes a message
	roleStart   = 2 // it begins an attempt
	lineRoles   = 4
)

// episodeOf returns the number of the episode of a line with a code from lineEvent on, and the event's role.
func episodeOf(code uint32) (episode int, role uint32) {
	return int((code - lineEvent) / lineRoles), (code - lineEvent) % lineRoles
}

// indexed is the content of an index: the lines in order.
type indexed struct {
	size  int64 // of the indexed part of the log
	codes []uint32
	sizes []uint32
}

// useIndex reads the index and returns the number of log bytes it covers, or 0 if it is unusable.
func (r *Run) useIndex(log *os.File) int64 {
	body, ok := r.readChecked(indexFile, indexMark)
	if !ok {
		return 0
	}
	d := decoder{raw: body}
	size, fingerprint := int64(d.number()), d.bytes(sha256.Size) //nolint:gosec // checked next
	if size < indexFrom {
		return 0
	}
	if now, err := fingerprintOf(log, size); err != nil || !bytes.Equal(fingerprint, now) {
		return 0
	}
	fresh := Run{Dir: r.Dir, Config: r.Config, numbers: make(map[string]int), prompts: r.prompts}
	if !fresh.decode(&d) || len(fresh.numbers) != len(fresh.order) || fresh.index.size != size {
		return 0
	}
	*r = fresh
	return size
}

// decode reads the episodes and lines of an index.
func (r *Run) decode(d *decoder) bool {
	for range d.count() {
		name := string(d.bytes(d.count()))
		r.numbers[name] = len(r.order)
		r.order = append(r.order, name)
	}
	n, counts := d.count(), make([]int, len(r.order))
	codes, sizes := make([]uint32, n), make([]uint32, n)
	for i := range n {
		code, length := d.number(), d.number()
		if d.bad || code < lineUnknown || code >= uint64(lineEvent+lineRoles*len(r.order)) {
			return false
		}
		codes[i], sizes[i] = uint32(code), uint32(length) //nolint:gosec // checked; wrong lengths have a wrong sum
		if code != lineUnknown {
			episode, _ := episodeOf(codes[i])
			counts[episode]++
		}
	}
	if d.bad || len(d.raw) > 0 || slices.Contains(counts, 0) {
		return false
	}
	all := make([]line, n)
	r.lines = make([][]line, len(counts))
	for episode, count := range counts {
		r.lines[episode], all = all[:0:count], all[count:]
	}
	r.index.codes, r.index.sizes = make([]uint32, 0, n), make([]uint32, 0, n)
	for i, code := range codes {
		r.place(code, int(sizes[i]))
	}
	return true
}

// writeIndex writes the index if there are enough new lines. A read-only directory has none, and neither has a log with
// a damaged line, which may be repaired in place.
func (r *Run) writeIndex(log *os.File, covered int64) {
	if r.index.size-covered < indexFrom || len(r.BadLines) > 0 {
		return
	}
	fingerprint, err := fingerprintOf(log, r.index.size)
	if err != nil {
		return
	}
	body := binary.AppendUvarint(nil, uint64(r.index.size)) //nolint:gosec // a size
	body = append(body, fingerprint...)
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
	r.writeChecked(indexFile, indexMark, body)
}

// readChecked returns the body of a file beside the log, which is between a mark and a checksum; false if the file is
// missing or damaged.
func (r *Run) readChecked(name, mark string) (body []byte, ok bool) {
	raw, err := readIn(r.Dir, name)
	if err != nil {
		return nil, false
	}
	body, ok = bytes.CutPrefix(raw, []byte(mark))
	if !ok || len(body) < 4 {
		return nil, false
	}
	body, sum := body[:len(body)-4], body[len(body)-4:]
	return body, crc32.ChecksumIEEE(body) == binary.LittleEndian.Uint32(sum)
}

// writeChecked writes a file that readChecked reads. It does nothing in a read-only directory.
func (r *Run) writeChecked(name, mark string, body []byte) {
	whole := append([]byte(mark), body...)
	_ = files.WriteFile(filepath.Join(r.Dir, name), binary.LittleEndian.AppendUint32(whole, crc32.ChecksumIEEE(body)))
}

// fingerprintOf hashes the ends of the first size bytes of a log, at least indexFrom.
func fingerprintOf(log io.ReaderAt, size int64) ([]byte, error) {
	ends := make([]byte, 2*printSize)
	_, errHead := log.ReadAt(ends[:printSize], 0)
	_, errTail := log.ReadAt(ends[printSize:], size-printSize)
	sum := sha256.Sum256(ends)
	return sum[:], errors.Join(errHead, errTail)
}

// decoder reads numbers and bytes; bad is set by a number that is missing.
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

// count reads the number of items that follow. Each takes at least one byte, so a number beyond the bytes that are left is
// wrong; it is lowered to that, and reading the items then fails.
func (d *decoder) count() int {
	return int(min(d.number(), uint64(len(d.raw)))) //nolint:gosec // a length
}

// bytes returns the next n bytes, or as many as there are.
func (d *decoder) bytes(n int) []byte {
	n = min(n, len(d.raw))
	b := d.raw[:n]
	d.raw = d.raw[n:]
	return b
}

// Files of rows have what readers computed from the episodes of a long log, so that they need not decode it again. Like the
// index they are redundant, and ignored unless they belong to this log.
const (
	RowsFile   = "rows.idx"   // of lists of episodes
	CausesFile = "causes.idx" // of lists of causes
	rowsMark   = "airqa rows 1\n"
)

// Extent identifies the recorded lines of an episode within one log: it changes with each event. It is "" for an
// unknown episode.
func (r *Run) Extent(episode string) string {
	lines := r.linesOf(episode)
	if len(lines) == 0 {
		return ""
	}
	last := lines[len(lines)-1]
	return strconv.Itoa(len(lines)) + "-" + strconv.FormatInt(last.offset+int64(last.length), 10)
}

// Index is the place of an episode in [Run.UUIDs].
func (r *Run) Index(episode string) (int, bool) {
	n, ok := r.numbers[episode]
	return n, ok
}

// KeepsRows reports whether the log is long enough for a file of rows.
func (r *Run) KeepsRows() bool { return r.index.size >= indexFrom && len(r.BadLines) == 0 }

// KeptRows is a file of rows of a run directory, read but not yet compared with the log. Empty if there is none.
type KeptRows []byte

// OpenRows reads a file of rows. It needs no log, so that both can be read at the same time.
func OpenRows(dir, file string) KeptRows {
	body, _ := (&Run{Dir: dir}).readChecked(file, rowsMark)
	return body
}

// ReadRows returns the data of the last [Run.WriteRows] with the same version, if the log begins with what it was then.
func (r *Run) ReadRows(rows KeptRows, version string) (data []byte, ok bool) {
	if len(rows) == 0 {
		return nil, false
	}
	d := decoder{raw: rows}
	size := int64(d.number()) //nolint:gosec // checked next
	head, err := r.rowsHead(version, size)
	if err != nil {
		return nil, false
	}
	return bytes.CutPrefix(rows, head)
}

// WriteRows keeps in a file data computed from the episodes, with the version of the rules that made it. A read-only directory
// keeps none.
func (r *Run) WriteRows(file, version string, data []byte) {
	head, err := r.rowsHead(version, r.index.size)
	if err != nil {
		return
	}
	r.writeChecked(file, rowsMark, append(head, data...))
}

// rowsHead identifies the first size bytes of the log and a version.
func (r *Run) rowsHead(version string, size int64) ([]byte, error) {
	if size < indexFrom || size > r.index.size {
		return nil, os.ErrInvalid
	}
	log, err := OpenFile(r.Dir, LogFile)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	fingerprint, err := fingerprintOf(log, size)
	head := binary.AppendUvarint(nil, uint64(size)) //nolint:gosec // a size
	head = append(head, fingerprint...)
	return append(head, Hash(version)...), err
}
