package flat

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"airqa/env/vectors"
)

// fanout is the number of segments of one size that are merged into one. The sizes are powers of it: n segments of
// smallSegment records become a number of segments that is logarithmic in n, and each record is copied as often.
const (
	fanout       = 8
	smallSegment = 1024
	// defaultMaxMerged is the maximum number of records of a merged segment. A merge keeps about 150 bytes a record in memory
	// and copies 2 KB of a dense one. A segment of more than half of it is full, and is not merged.
	defaultMaxMerged = 1 << 19
)

// dueForMerge returns segments to merge into one of at most maxMerged records: those of a size class that has reached the
// fanout, else one with more deleted than live records; none if no merge is due.
func dueForMerge(parts []*part, maxMerged int) []*part {
	classes := make(map[int][]*part)
	for _, p := range parts {
		if len(p.deleted()) > p.live() {
			return []*part{p}
		}
		if p.live() > maxMerged/2 {
			continue
		}
		t := 0 // the size class
		for n := p.live() / smallSegment; n >= fanout; n /= fanout {
			t++
		}
		if classes[t] = append(classes[t], p); len(classes[t]) == fanout {
			return upTo(classes[t], maxMerged)
		}
	}
	return nil
}

// upTo returns the first segments that have together at most n records. Each has at most half of them, so there are at
// least two, and what is left out would have made the merged segment full.
func upTo(parts []*part, n int) []*part {
	for i, p := range parts {
		if n -= p.live(); n < 0 {
			return parts[:i]
		}
	}
	return parts
}

// moved gives the new number of each record of a segment; gone for deleted ones.
type moved []uint32

const gone = math.MaxUint32

// merge appends the live records of segments, those of one column together, so that a search of one column reads
// adjacent rows.
func (d *builder) merge(ctx context.Context, parts []*part) error {
	d.sources = parts
	to := make([]moved, len(parts))
	for i, p := range parts {
		to[i] = slices.Repeat(moved{gone}, p.records)
	}
	for _, at := range columnsOf(parts) {
		for i, p := range parts {
			if err := cmp.Or(d.copyColumn(p, at, to[i]), ctx.Err(), d.out.err); err != nil {
				return err
			}
		}
	}
	d.versions = make(map[string]string)
	for _, p := range parts { // the deleted records of a paper may have an earlier version
		if err := p.addVersions(d.versions); err != nil {
			return err
		}
	}
	if d.info.Kind == vectors.Words {
		return d.mergeWords(parts, to)
	}
	return nil
}

// copyColumn appends the live records of a column and notes their new numbers.
func (d *builder) copyColumn(p *part, at vectors.Column, to moved) error {
	in := p.origins.filter(vectors.Filter{Table: at.Table, Column: at.Column})
	for r, place := range p.origins.places {
		if !in.match(place) || p.origins.dead.has(uint32(r)) {
			continue
		}
		to[r] = uint32(len(d.places))
		if err := d.copyRecord(p.set, uint32(r)); err != nil {
			return err
		}
	}
	return nil
}

// columnsOf returns the columns of all records, sorted.
func columnsOf(parts []*part) []vectors.Column {
	seen := make(map[vectors.Column]bool)
	var list []vectors.Column
	for _, p := range parts {
		pairs := make(map[[2]uint32]bool)
		for _, place := range p.origins.places {
			pair := [2]uint32{place.table, place.column}
			if pairs[pair] {
				continue
			}
			pairs[pair] = true
			at := vectors.Column{Table: string(p.origins.names.at(place.table)), Column: string(p.origins.names.at(place.column))}
			if at.Table != "" && at.Column != "" && !seen[at] { // an empty name is damage, which copyRecord reports
				seen[at] = true
				list = append(list, at)
			}
		}
	}
	slices.SortFunc(list, func(a, b vectors.Column) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.Column, b.Column))
	})
	return list
}

func (d *builder) copyRecord(s *set, i uint32) error {
	d.relieve()
	o, err := s.origins.at(i)
	if err != nil {
		return err
	}
	if r := s.rows; r != nil {
		d.out.add(raw(r.vector(int(i))))
		d.copied = append(d.copied, copied{rows: r, record: i})
	}
	if s.words != nil {
		d.tokens = append(d.tokens, s.words.tokens[i])
	}
	return d.addOrigin(o)
}

// relieve takes what was read of the merged segments from the memory of the process now and then: they are larger than all
// else that it uses.
func (d *builder) relieve() {
	const step = 32 << 20
	if d.out.at < d.relieved+step {
		return
	}
	d.relieved = d.out.at
	for _, p := range d.sources {
		p.file.evict()
	}
}

// mergeWords merges the lists of all words, one word at a time, and writes them.
func (d *builder) mergeWords(parts []*part, to []moved) error {
	var list []count
	bounds := []uint64{0}
	var names textList
	d.out.begin("counts")
	for m := range mergeWords(parts) {
		var err error
		if list, err = mergeCounts(list[:0], parts, to, m); err != nil {
			return err
		}
		if len(list) == 0 {
			continue
		}
		d.relieve()
		d.out.add(raw(list))
		bounds = append(bounds, bounds[len(bounds)-1]+uint64(len(list)))
		d.corpus = append(d.corpus, uint32(frequencyOf(parts, m)))
		names.add(string(m.text))
	}
	names.write(d.out, "words")
	d.out.section("corpus", raw(d.corpus))
	d.out.section("lists", raw(bounds))
	d.merged = true
	return d.out.err
}

// mergeCounts appends the list of a word in all segments to list, ascending by record.
func mergeCounts(list []count, parts []*part, to []moved, m merged) ([]count, error) {
	for i, p := range parts {
		if m.at[i] < 0 {
			continue
		}
		records, err := p.words.at(uint32(m.at[i]))
		if err != nil {
			return nil, err
		}
		for _, c := range records {
			if uint64(c.record) >= uint64(len(to[i])) {
				return nil, fmt.Errorf("record %d of word %q: %w", c.record, m.text, errDamaged)
			}
			if n := to[i][c.record]; n != gone {
				list = append(list, count{record: n, n: c.n})
			}
		}
	}
	slices.SortFunc(list, func(a, b count) int { return cmp.Compare(a.record, b.record) })
	return list, nil
}
