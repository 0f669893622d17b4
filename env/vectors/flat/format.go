package flat

import "airqa/env/vectors"

// The file of a collection, collection.vec. Numbers are little-endian.
//
//	start      64 bytes: "AIRQAVEC", uint32 format (3), zeros
//	sections   each at a multiple of 64 bytes, with zeros before it
//	head       JSON: {"collection": …, "records": n, "sections": [{"name", "at", "size", "crc32c"}, …]}; the
//	           collection without its encoder; places and sizes in bytes
//	tail       32 bytes: uint64 place of the head, uint64 size of the file, uint32 length of the head, uint32 CRC-32C
//	           of the head, "AIRQAVEC"
//
// The sections of every collection. A list of texts is m + 1 uint64, each the place in the section where a text begins
// (the last: where the last one ends), then the texts.
//
//	encoder    the encoder, as it was given
//	places     n × (uint32 paper, uint32 table, uint32 column, int32 page, -1 for none): numbers in papers and names
//	keys       n texts, the primary keys
//	papers     the paper ids, sorted, each once
//	names      the names of tables and columns, sorted, each once
//	starts     one uint32 a paper and one more: where its records begin in members
//	members    n uint32: the records of the first paper, ascending, then those of the second, …
//	cells      n uint32: the first record of the same cell; left out when every cell has one record
//
// Of a dense collection:
//
//	vectors    n × dim float32
//	lengths    n float64: the square root of the inner product of a vector with itself (see kernel.h)
//	codes      n × dim int8, each row padded with zeros to a multiple of 64 bytes
//	grid       n × (float32 step, float32 error): the vector of length 1 in the direction of the record's is at most
//	           error (Euclidean distance) from step × codes
//
// Of a sparse collection:
//
//	positions  m uint32, ascending
//	lists      m + 1 uint64: where the list of each position begins in postings
//	postings   (uint32 record, float32 weight), ascending by record in each list
//
// The sections are used where they lie, mapped into memory. Opening a file looks at its start, tail and head and at the
// sizes of the sections, and compares the checksums of all sections when the file has no more than 16 MiB: a larger one
// would not open at once. [Store.Verify] compares them whatever the size. Nothing that a section holds is trusted: a
// number that leads out of a section is an error when it is met.
//
// Format 2 had no cells and no window in the description; it is read as before.
const (
	magic     = "AIRQAVEC"
	format    = 3
	oldest    = 2 // format that is still read
	alignment = 64
	startSize = 64
	tailSize  = 32
	// maxHead bounds the head, so that a damaged length does not make a huge slice.
	maxHead = 1 << 20
	// checkedAtOpen is the size of a file up to which opening it compares all checksums.
	checkedAtOpen = 16 << 20
)

// head is the JSON object near the end of a file.
type head struct {
	Collection vectors.Collection `json:"collection"`
	Records    int64              `json:"records"`
	Sections   []section          `json:"sections"`
}

// section is a stretch of the file.
type section struct {
	Name   string `json:"name"`
	At     int64  `json:"at"`
	Size   int64  `json:"size"`
	CRC32C uint32 `json:"crc32c"`
}

// place says where in the papers a record is from.
type place struct {
	paper, table, column uint32
	page                 int32
}

// grid turns the codes of a record into its direction.
type grid struct{ step, err float32 }

// posting is the weight of a record at one position.
type posting struct {
	record uint32
	weight float32
}
