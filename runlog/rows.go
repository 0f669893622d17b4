package runlog

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
)

// rows.idx has what readers computed from the episodes of a long log, so that they need not decode it again. Like the
// index it is redundant, and ignored unless it belongs to this log.
const (
	rowsFile = "rows.idx"
	rowsMark = "airqa rows 1\n"
)

// Extent identifies the recorded lines of an episode within one log: it changes with each event. It is "" for an
// unknown episode.
func (r *Run) Extent(episode string) string {
	lines := r.linesOf(episode)
	if len(lines) == 0 {
		return ""
	}
	last := lines[len(lines)-1]
	return fmt.Sprintf("%d-%d", len(lines), last.offset+int64(last.length))
}

// KeepsRows reports whether the log is long enough for a file of rows.
func (r *Run) KeepsRows() bool { return r.index.size >= indexFrom && len(r.BadLines) == 0 }

// ReadRows returns the data of the last [Run.WriteRows] with the same version, if the log begins with what it was then.
func (r *Run) ReadRows(version string) (data []byte, ok bool) {
	body, ok := r.readChecked(rowsFile, rowsMark)
	if !ok {
		return nil, false
	}
	d := decoder{raw: body}
	size := int64(d.number()) //nolint:gosec // checked next
	head, err := r.rowsHead(version, size)
	if err != nil {
		return nil, false
	}
	return bytes.CutPrefix(body, head)
}

// WriteRows keeps data computed from the episodes, with the version of the rules that made it. A read-only directory
// keeps none.
func (r *Run) WriteRows(version string, data []byte) {
	head, err := r.rowsHead(version, r.index.size)
	if err != nil {
		return
	}
	r.writeChecked(rowsFile, rowsMark, append(head, data...))
}

// rowsHead identifies the first size bytes of the log and a version.
func (r *Run) rowsHead(version string, size int64) ([]byte, error) {
	if size < indexFrom || size > r.index.size {
		return nil, os.ErrInvalid
	}
	log, err := openIn(r.Dir, LogFile)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	print, err := fingerprintOf(log, size)
	head := binary.AppendUvarint(nil, uint64(size)) //nolint:gosec // a size
	head = append(head, print...)
	return append(head, Hash(version)...), err
}
