package flat

import (
	"slices"

	"airqa/env/vectors"
)

// sieve is a filter turned into the numbers of a collection, so that it compares no text.
type sieve struct {
	nothing       bool // a name that the collection does not have
	papers        []uint32
	table, column int64 // -1 for any
	page          int32
}

func (o *origins) sieve(f vectors.Filter) sieve {
	s := sieve{page: int32(f.Page)}
	for _, id := range f.Papers {
		if n, ok := o.papers.find(id); ok {
			s.papers = append(s.papers, n)
		}
	}
	slices.Sort(s.papers)
	s.papers = slices.Compact(s.papers)
	s.nothing = len(f.Papers) > 0 && len(s.papers) == 0
	s.table = o.name(f.Table, &s.nothing)
	s.column = o.name(f.Column, &s.nothing)
	return s
}

// name is the number of a table or column, -1 for the empty name; missing is set when the collection has none such.
func (o *origins) name(s string, missing *bool) int64 {
	if s == "" {
		return -1
	}
	n, ok := o.names.find(s)
	*missing = *missing || !ok
	return int64(n)
}

// match tells whether a record of place p passes.
func (s sieve) match(p place) bool {
	if s.nothing {
		return false
	}
	if len(s.papers) > 0 {
		if _, ok := slices.BinarySearch(s.papers, p.paper); !ok {
			return false
		}
	}
	return s.matchRest(p)
}

// matchRest leaves the paper out.
func (s sieve) matchRest(p place) bool {
	return (s.table < 0 || s.table == int64(p.table)) && (s.column < 0 || s.column == int64(p.column)) &&
		(s.page == vectors.AnyPage || s.page == p.page)
}

// open tells that every record passes, but for its paper.
func (s sieve) open() bool { return s.table < 0 && s.column < 0 && s.page == vectors.AnyPage }

// field is the records that a search looks at: those of list, or all when all is set, as far as they pass the sieve.
type field struct {
	*origins
	sieve sieve
	list  []uint32
	count int
}

// field looks up the records of the papers in the filter, so that no other record is touched.
func (o *origins) field(f vectors.Filter) (field, error) {
	d := field{origins: o, sieve: o.sieve(f)}
	if d.sieve.nothing {
		return d, nil
	}
	if len(f.Papers) == 0 {
		d.count = len(o.places)
		return d, nil
	}
	for _, paper := range d.sieve.papers {
		records, err := o.ofPaper(paper)
		if err != nil {
			return d, err
		}
		d.list = append(d.list, records...)
	}
	d.count = len(d.list)
	return d, nil
}

// batch is part of the field, from one record to another. The list of those that pass goes into buf.
func (d field) batch(from, to int, buf []uint32) batch {
	if d.sieve.open() {
		if d.list == nil {
			return batch{first: from, count: to - from}
		}
		return batch{count: to - from, list: d.list[from:to]}
	}
	buf = buf[:0]
	for i := from; i < to; i++ {
		record := uint32(i)
		if d.list != nil {
			record = d.list[i]
		}
		if d.sieve.matchRest(d.places[record]) {
			buf = append(buf, record)
		}
	}
	return batch{count: len(buf), list: buf}
}

// size is how many records pass.
func (d field) size() int {
	if d.sieve.open() {
		return d.count
	}
	n := 0
	buf := make([]uint32, 0, batchSize)
	for from := 0; from < d.count; from += batchSize {
		n += d.batch(from, min(from+batchSize, d.count), buf).count
	}
	return n
}
