package flat

import (
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"io"

	"airqa/env/vectors"
)

// writer writes the start, the sections one after the other, then head and tail. It keeps the first error.
type writer struct {
	w        io.Writer
	at       int64
	sections []section
	err      error
}

// startFile writes the start of a file.
func startFile(w io.Writer) *writer {
	out := &writer{w: w}
	out.write(binary.LittleEndian.AppendUint32([]byte(magic), format))
	return out
}

func (w *writer) write(b []byte) {
	if w.err != nil {
		return
	}
	n, err := w.w.Write(b)
	w.at, w.err = w.at+int64(n), err
}

// begin starts a section; the following calls of add append to it.
func (w *writer) begin(name string) {
	w.write(make([]byte, (alignment-w.at%alignment)%alignment))
	w.sections = append(w.sections, section{Name: name, At: w.at})
}

func (w *writer) add(b []byte) {
	s := &w.sections[len(w.sections)-1]
	s.CRC32C = crc32.Update(s.CRC32C, castagnoli(), b)
	s.Size += int64(len(b))
	w.write(b)
}

// section writes a complete section.
func (w *writer) section(name string, parts ...[]byte) {
	w.begin(name)
	for _, b := range parts {
		w.add(b)
	}
}

// finish writes head and tail.
func (w *writer) finish(c vectors.Collection, records int) error {
	c.Encoder = nil
	text, err := json.Marshal(head{Collection: c, Records: int64(records), Sections: w.sections})
	if err != nil {
		return err
	}
	at := w.at
	w.write(text)
	var tail []byte
	tail = binary.LittleEndian.AppendUint64(tail, uint64(at))
	tail = binary.LittleEndian.AppendUint64(tail, uint64(w.at+tailSize))
	tail = binary.LittleEndian.AppendUint32(tail, uint32(len(text)))
	tail = binary.LittleEndian.AppendUint32(tail, crc32.Checksum(text, castagnoli()))
	w.write(append(tail, magic...))
	return w.err
}
