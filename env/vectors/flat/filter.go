package flat

import (
	"slices"

	"airqa/env/vectors"
)

// filter is a filter with its names translated to the numbers of a collection, which avoids comparing strings.
type filter struct {
	nothing       bool // the filter has a name that the collection does not have
	papers        []uint32
	table, column int64 // -1 for any
	page          int32
}

func (o *origins) filter(f vectors.Filter) filter {
	s := filter{page: int32(f.Page)}
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

// name returns the number of a table or column, or -1 for the empty name. It sets missing if the collection has no such
// name.
func (o *origins) name(s string, missing *bool) int64 {
	if s == "" {
		return -1
	}
	n, ok := o.names.find(s)
	*missing = *missing || !ok
	return int64(n)
}

// match reports whether a record of place p passes.
func (s filter) match(p place) bool {
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

// matchRest ignores the paper.
func (s filter) matchRest(p place) bool {
	return (s.table < 0 || s.table == int64(p.table)) && (s.column < 0 || s.column == int64(p.column)) &&
		(s.page == vectors.AnyPage || s.page == p.page)
}

// matchesAll reports whether every record passes, ignoring its paper.
func (s filter) matchesAll() bool { return s.table < 0 && s.column < 0 && s.page == vectors.AnyPage }

// candidates is the set of candidate records of a search: those in list that pass the filter, or those of count records from
// first on that pass if list is nil.
type candidates struct {
	*origins
	filter       filter
	list         []uint32
	first, count int
}

// candidates looks up the records of the filter's papers, so that no other record is read. Without papers, it limits the
// candidates to the runs of the filter's column, if these are neighbours, so that no place of another record is read; an empty
// result has count 0.
func (o *origins) candidates(f vectors.Filter) (candidates, error) {
	d := candidates{origins: o, filter: o.filter(f)}
	if d.filter.nothing {
		return d, nil
	}
	if len(f.Papers) > 0 {
		for _, paper := range d.filter.papers {
			records, err := o.ofPaper(paper)
			if err != nil {
				return d, err
			}
			d.list = append(d.list, records...)
		}
		d.count = len(d.list)
		return d, nil
	}
	d.count = len(o.places)
	in := filter{table: d.filter.table, column: d.filter.column}
	from, to := -1, 0
	for _, r := range o.runs {
		if !in.match(place{table: r.table, column: r.column}) {
			continue
		}
		if from >= 0 && int(r.from) != to {
			return d, nil
		}
		if from < 0 {
			from = int(r.from)
		}
		to = int(r.to)
	}
	if o.runs != nil {
		d.first, d.count, d.filter.table, d.filter.column = max(from, 0), to-max(from, 0), -1, -1
	}
	return d, nil
}

// batch returns the candidates between two records. It stores the list of those that pass in buf.
func (d candidates) batch(from, to int, buf []uint32) batch {
	if d.filter.matchesAll() && d.dead == nil {
		if d.list == nil {
			return batch{first: d.first + from, count: to - from}
		}
		return batch{count: to - from, list: d.list[from:to]}
	}
	buf = buf[:0]
	for i := from; i < to; i++ {
		record := uint32(d.first + i)
		if d.list != nil {
			record = d.list[i]
		}
		if d.filter.matchRest(d.places[record]) && !d.dead.has(record) {
			buf = append(buf, record)
		}
	}
	return batch{count: len(buf), list: buf}
}

func (d candidates) size() int {
	if d.filter.matchesAll() && (d.dead == nil || d.list == nil) {
		return d.count - d.dead.count(d.first, d.first+d.count)
	}
	n := 0
	buf := make([]uint32, 0, batchSize)
	for from := 0; from < d.count; from += batchSize {
		n += d.batch(from, min(from+batchSize, d.count), buf).count
	}
	return n
}
