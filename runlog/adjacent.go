package runlog

import (
	"io"
	"slices"
)

// readAhead is the maximum number of bytes read at once, unless a line is longer.
const readAhead = 256 << 10

// adjacent reads lines of the log, with those that follow without a gap.
type adjacent struct {
	file io.ReaderAt
	raw  []byte
	from int64 // the offset of raw
}

// line returns the first of some lines, which is valid until the next call.
func (a *adjacent) line(list []line) ([]byte, error) {
	at := list[0]
	end := at.offset + int64(at.length)
	if at.offset >= a.from && end <= a.from+int64(len(a.raw)) {
		return a.raw[at.offset-a.from : end-a.from], nil
	}
	last := end
	for _, next := range list[1:] {
		if next.offset != last || last+int64(next.length) > at.offset+readAhead {
			break
		}
		last += int64(next.length)
	}
	err := a.fill(at.offset, last)
	if err != nil && last > end { // the first lines may be readable
		err = a.fill(at.offset, end)
	}
	return a.raw[:min(at.length, len(a.raw))], err
}

// fill reads a part of the file.
func (a *adjacent) fill(from, to int64) error {
	a.raw, a.from = slices.Grow(a.raw[:0], int(to-from))[:to-from], from
	_, err := a.file.ReadAt(a.raw, from)
	if err != nil {
		a.raw = a.raw[:0]
	}
	return err
}
