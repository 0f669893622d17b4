package flat

import (
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"io"

	"airqa/env/vectors"
)

// A collection is a list of segments: files of records that never change. Its manifest lists them (see manifest.go). The
// file of a segment, N.vec, has little-endian numbers.
//
//	start      64 bytes: "AIRQAVEC", uint32 format (1), zeros
//	sections   each at a multiple of 64 bytes, with zeros before it
//	head       JSON: {"collection": …, "records": n, "sections": [{"name", "at", "size", "crc32c"}, …]}; the
//	           collection without its encoder; offsets and sizes in bytes
//	tail       32 bytes: uint64 offset of the head, uint64 size of the file, uint32 length of the head, uint32 CRC-32C
//	           of the head, "AIRQAVEC"
//
// Sections of every collection. A list of m texts starts with m + 1 uint64: the offset of each text in the section, and
// the end of the last one. The texts follow.
//
//	places     n × (uint32 paper, uint32 table, uint32 column, int32 page, -1 for none): indexes into papers and names
//	keys       n texts, the primary keys
//	papers     the paper ids, sorted, without duplicates
//	names      the names of tables and columns, sorted, without duplicates
//	starts     one uint32 per paper plus one: the index in members where its records begin
//	members    n uint32: the records of the first paper, ascending, then those of the second, …
//	cells      n uint32: the first record of the same cell; omitted if every cell has one record
//	versions   a text per paper: the version given to [Store.Add], empty without one; omitted if all are empty
//	runs       (uint32 table, uint32 column, uint32 first record, uint32 end): the records of one column that follow each
//	           other, in order; omitted if there are many
//
// Sections of a dense collection:
//
//	vectors    n × dim float32
//	lengths    n float64: the square root of the inner product of a vector with itself (see kernel.h)
//	codes      n × dim int8, each row padded with zeros to a multiple of 64 bytes
//	grid       n × (float32 step, float32 error): error is the maximum Euclidean distance between step × codes and the
//	           record's vector scaled to length 1
//
// Sections of a collection of words:
//
//	words      the words, sorted, without duplicates
//	corpus     one uint32 per word: the number of records of the corpus that have it
//	lists      one uint64 per word plus one: the index in counts where the list of each word begins
//	counts     (uint32 record, uint32 number of occurrences), ascending by record in each list
//	tokens     n uint32: the sum of the occurrences of all words of a record
//
// Deleted records of a segment are listed in a file of the same form, N.gone:
//
//	gone       the deleted records, ascending
//	fewer      (uint32 word, uint32 number of deleted records of the corpus that have it), ascending; for words only
//
// The sections are used in place, mapped into memory. Opening a file checks its start, tail and head and the sizes of
// the sections. It verifies the checksums only if the file has at most 16 MiB, so that large files open instantly;
// [Store.Verify] always verifies them. The content of sections is not trusted: an index or offset out of range is an
// error when it is used.
const (
	magic     = "AIRQAVEC"
	format    = 1
	alignment = 64
	startSize = 64
	tailSize  = 32
	// maxHead limits the head, so that a corrupt length cannot cause a huge allocation.
	maxHead = 1 << 20
	// maxCheckedAtOpen is the largest file whose checksums are verified when it is opened.
	maxCheckedAtOpen = 16 << 20
)

// head is the JSON object near the end of a file.
type head struct {
	Collection vectors.Collection `json:"collection"`
	Records    int64              `json:"records"`
	Sections   []section          `json:"sections"`
}

type section struct {
	Name   string `json:"name"`
	At     int64  `json:"at"`
	Size   int64  `json:"size"`
	CRC32C uint32 `json:"crc32c"`
}

// place locates a record within the papers.
type place struct {
	paper, table, column uint32
	page                 int32
}

// run is a range of records of one column: from, and before to.
type run struct{ table, column, from, to uint32 }

// grid maps the codes of a record to its direction.
type grid struct{ step, err float32 }

// count is the number of occurrences of a word in a record.
type count struct{ record, n uint32 }

// fewer is the number of deleted records of the corpus that have a word.
type fewer struct{ word, n uint32 }

// writer writes the start, the sections one after the other, then head and tail. It keeps the first error.
type writer struct {
	w        io.Writer
	at       int64
	sections []section
	err      error
}

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

func (w *writer) section(name string, parts ...[]byte) {
	w.begin(name)
	for _, b := range parts {
		w.add(b)
	}
}

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
