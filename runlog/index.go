package runlog

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"airqa/internal/files"
)

// The index, log.idx, has the positions of a log's lines, so that opening a long log reads only new lines. It is
// redundant: if it is missing, stale or damaged, it is rebuilt from the log.
const (
	indexFile = "log.idx"
	indexMark = "airqa log index 3\n"
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
	Size     int64 // of the indexed part of the log
	Print    []byte
	Episodes []string // in the order of their first event
	Codes    []uint32
	Sizes    []uint32
}

// useIndex reads the index. It does nothing if that is unusable.
func (r *Run) useIndex(log *os.File) {
	body, ok := r.readChecked(indexFile, indexMark)
	var x indexed
	if !ok || gob.NewDecoder(bytes.NewReader(body)).Decode(&x) != nil || x.Size < indexFrom {
		return
	}
	if now, err := fingerprintOf(log, x.Size); err != nil || !bytes.Equal(x.Print, now) {
		return
	}
	counts, ok := x.lines()
	if !ok {
		return
	}
	fresh := *r
	fresh.numbers = make(map[string]int, len(counts))
	all := make([]line, len(x.Codes))
	for i, count := range counts {
		if count == 0 || int(fresh.number(x.Episodes[i])) != i {
			return
		}
		fresh.lines[i], all = all[:0:count], all[count:]
	}
	for i, code := range x.Codes {
		fresh.place(code, int(x.Sizes[i]))
	}
	if fresh.index.Size == x.Size {
		*r = fresh
	}
}

// lines counts the lines of each episode; false if the index has others.
func (x indexed) lines() (counts []int, ok bool) {
	counts = make([]int, len(x.Episodes))
	for _, code := range x.Codes {
		if code == lineUnknown {
			continue
		}
		episode, _ := episodeOf(code)
		if code == lineBad || episode >= len(counts) {
			return nil, false
		}
		counts[episode]++
	}
	return counts, len(x.Codes) == len(x.Sizes)
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
func (r *Run) KeepsRows() bool { return r.index.Size >= indexFrom && len(r.BadLines) == 0 }

// ReadRows returns the data of the last [Run.WriteRows] to a file with the same version, if the log begins with what it was
// then.
func (r *Run) ReadRows(file, version string) (data []byte, ok bool) {
	rows, _ := r.readChecked(file, rowsMark)
	size, _ := binary.Uvarint(rows)
	head, err := r.rowsHead(version, int64(size)) //nolint:gosec // checked there
	if err != nil {
		return nil, false
	}
	return bytes.CutPrefix(rows, head)
}

// WriteRows keeps in a file data computed from the episodes, with the version of the rules that made it. A read-only directory
// keeps none.
func (r *Run) WriteRows(file, version string, data []byte) {
	head, err := r.rowsHead(version, r.index.Size)
	if err != nil {
		return
	}
	r.writeChecked(file, rowsMark, append(head, data...))
}

// rowsHead identifies the first size bytes of the log and a version.
func (r *Run) rowsHead(version string, size int64) ([]byte, error) {
	if size < indexFrom || size > r.index.Size {
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
