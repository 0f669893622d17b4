package flat

// The file of a collection, collection.vec. Numbers are little-endian; "uvarint" is encoding/binary's.
//
//	8 bytes    "AIRQAVEC"
//	uint32     format, 1
//	uint32     length of the head
//	head       JSON: {"collection": …, "records": n}; the collection without its encoder
//	zeros      up to a multiple of 64 bytes from the start of the file
//	vectors    dense: n × dim float32, record by record
//	           sparse: uint32 number of positions; then for each, ascending: uint32 position, uint32 number of
//	           postings m > 0, m × (uint32 record, float32 weight), ascending by record
//	encoder    uvarint length, bytes
//	strings    uvarint number; each uvarint length, bytes
//	origins    n × (uvarint string number of the paper, uvarint page + 1, uvarint string number of the table, of
//	           the column, uvarint length of the key, bytes)
//	uint32     CRC-32C of everything before it
//
// The dense block starts at a multiple of 64 bytes so that it can be mapped into memory as it is.
const (
	magic     = "AIRQAVEC"
	format    = 1
	alignment = 64
)
