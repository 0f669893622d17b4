package flat

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"testing"

	"airqa/env/vectors"
)

// FuzzDecode mends the checksum of what the fuzzer makes, so that it gets past it. Nothing may panic, and what
// is accepted must be searchable and survive another round.
func FuzzDecode(f *testing.F) {
	for _, s := range samples() {
		var b bytes.Buffer
		if err := encode(&b, s); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, data []byte) {
		data = binary.LittleEndian.AppendUint32(bytes.Clone(data), crc32.Checksum(data, castagnoli()))
		s, err := decode(data)
		if err != nil {
			return
		}
		q := vectors.Query{K: 5, Vector: vectors.Vector{Sparse: []vectors.Term{{Position: 1, Weight: 1}}}}
		if s.info.Kind == vectors.Dense {
			q.Vector = vectors.Vector{Dense: make([]float32, s.info.Dim)}
		}
		if _, err := s.search(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := encode(&b, s); err != nil {
			t.Fatal(err)
		}
	})
}

func samples() []*set {
	o := vectors.Origin{PaperID: "p", Page: -1, Table: "t", Column: "c", Key: "k"}
	dense := newSet(vectors.Collection{Name: "d", Kind: vectors.Dense, Dim: 2})
	dense.add(vectors.Record{Origin: o, Vector: vectors.Vector{Dense: []float32{1, 2}}})
	sparse := newSet(vectors.Collection{Name: "s", Kind: vectors.Sparse, Encoder: []byte("{}")})
	for i := range uint32(3) {
		o.Page = int(i) + 1
		sparse.add(vectors.Record{Origin: o, Vector: vectors.Vector{Sparse: []vectors.Term{{Position: 1, Weight: 1}, {Position: 2 + i, Weight: 2}}}})
	}
	return []*set{dense, sparse}
}
