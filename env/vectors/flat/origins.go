package flat

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	mathbits "math/bits"

	"airqa/env/vectors"
)

// origins holds the cell of each record in its on-disk form.
type origins struct {
	places              []place
	keys, papers, names texts
	starts, members     []uint32
	cells               []uint32 // the first record of each record's cell; nil when every cell has one record
	versions            texts    // one per paper; none if no paper has a version
	runs                []run    // of all records, in order; nil if unknown
	dead                bits     // the deleted records
}

// bits is a set of numbers; the zero value is empty.
type bits []uint64

func newBits(n int, members []uint32) bits {
	if len(members) == 0 {
		return nil
	}
	b := make(bits, (n+63)/64)
	for _, i := range members {
		b[i/64] |= 1 << (i % 64)
	}
	return b
}

// count returns the number of members from one number to before another.
func (b bits) count(from, to int) (n int) {
	for i := from; i < to && b != nil; {
		if i%64 == 0 && i+64 <= to {
			n, i = n+mathbits.OnesCount64(b[i/64]), i+64
			continue
		}
		if b.has(uint32(i)) {
			n++
		}
		i++
	}
	return n
}

func (b bits) has(i uint32) bool { return b != nil && b[i/64]&(1<<(i%64)) != 0 }

func openOrigins(f *file) (*origins, error) {
	o := &origins{places: view[place](f.parts["places"]), starts: view[uint32](f.parts["starts"]), members: view[uint32](f.parts["members"])}
	var err error
	for name, to := range map[string]*texts{"keys": &o.keys, "papers": &o.papers, "names": &o.names} {
		if *to, err = openTexts(name, f.parts[name]); err != nil {
			return nil, err
		}
	}
	n := f.head.Records
	if int64(len(f.parts["places"])) != 16*n || int64(len(f.parts["members"])) != 4*n || int64(o.keys.len()) != n ||
		len(f.parts["starts"]) != 4*(o.papers.len()+1) {
		return nil, fmt.Errorf("origins of %d records: %w", n, errDamaged)
	}
	return o, o.openOptional(f)
}

// openOptional locates the sections that a file may lack.
func (o *origins) openOptional(f *file) (err error) {
	if part, ok := f.parts["cells"]; ok {
		if int64(len(part)) != 4*f.head.Records {
			return fmt.Errorf("section cells: %w", errDamaged)
		}
		o.cells = view[uint32](part)
	}
	if part, ok := f.parts["versions"]; ok {
		if o.versions, err = openTexts("versions", part); err == nil && o.versions.len() != o.papers.len() {
			err = fmt.Errorf("section versions: %w", errDamaged)
		}
	}
	if part, ok := f.parts["runs"]; ok && err == nil {
		o.runs, err = openRuns(part, f.head.Records)
	}
	return err
}

// openRuns checks that the runs cover all n records: a gap would hide some.
func openRuns(part []byte, n int64) ([]run, error) {
	runs, at := view[run](part), uint32(0)
	for _, r := range runs {
		if r.from != at || r.to <= at {
			return nil, fmt.Errorf("section runs: %w", errDamaged)
		}
		at = r.to
	}
	if int64(at) != n {
		return nil, fmt.Errorf("section runs: %w", errDamaged)
	}
	return runs, nil
}

// at returns the origin of a record. It shares no memory with the file.
func (o *origins) at(record uint32) (vectors.Origin, error) {
	p := o.places[record]
	got := vectors.Origin{
		PaperID: string(o.papers.at(p.paper)), Page: int(p.page), Table: string(o.names.at(p.table)),
		Column: string(o.names.at(p.column)), Key: string(o.keys.at(record)),
	}
	if got.PaperID == "" || got.Table == "" || got.Column == "" || got.Key == "" || p.page < -1 || p.page > math.MaxInt16 {
		return got, fmt.Errorf("origin of record %d: %w", record, errDamaged)
	}
	return got, nil
}

// compare orders records like [vectors.Compare] orders equal scores, then by record. Paper and name numbers sort like
// their texts.
func (o *origins) compare(a, b uint32) int {
	p, q := o.places[a], o.places[b]
	return cmp.Or(
		bytes.Compare(o.keys.at(a), o.keys.at(b)),
		cmp.Compare(p.table, q.table),
		cmp.Compare(p.column, q.column),
		cmp.Compare(p.paper, q.paper),
		cmp.Compare(a, b),
	)
}

func (o *origins) ofPaper(paper uint32) ([]uint32, error) {
	from, to := o.starts[paper], o.starts[paper+1]
	if from > to || uint64(to) > uint64(len(o.members)) {
		return nil, fmt.Errorf("records of paper %d: %w", paper, errDamaged)
	}
	list := o.members[from:to]
	for _, record := range list {
		if uint64(record) >= uint64(len(o.places)) {
			return nil, fmt.Errorf("record %d of paper %d: %w", record, paper, errDamaged)
		}
	}
	return list, nil
}
