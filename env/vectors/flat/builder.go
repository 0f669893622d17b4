package flat

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"airqa/env/vectors"
)

// builder is a collection being written. Dense vectors are written to the file immediately; the sections after them are
// kept in memory until finish.
type builder struct {
	info   vectors.Collection
	kernel kernel
	out    *writer

	places        []place
	keys          textList
	papers, names numbering

	wide    []float64 // the current vector
	lengths []float64
	codes   []int8
	grid    []grid

	postings map[uint32][]posting // by position, each ascending by record
}

func newBuilder(info vectors.Collection, k kernel, w io.Writer) *builder {
	d := &builder{info: info, kernel: k, out: &writer{w: w}, postings: make(map[uint32][]posting)}
	d.out.write(binary.LittleEndian.AppendUint32([]byte(magic), format))
	d.papers.numbers, d.names.numbers = make(map[string]uint32), make(map[string]uint32)
	if info.Kind == vectors.Dense {
		d.wide = make([]float64, padded(info.Dim, lanes))
		d.out.begin("vectors")
	}
	return d
}

// add appends a validated record.
func (d *builder) add(r vectors.Record) error {
	n := uint32(len(d.places))
	if err := d.addOrigin(r.Origin); err != nil {
		return err
	}
	if v := r.Dense; d.info.Kind == vectors.Dense {
		d.out.add(raw(v))
		widen(d.wide, v)
		length := d.kernel.length(v, d.wide)
		width := padded(len(v), stride)
		d.codes = append(d.codes, make([]int8, width)...)
		d.grid = append(d.grid, quantize(d.codes[len(d.codes)-width:][:len(v)], v, length))
		d.lengths = append(d.lengths, length)
	}
	for _, t := range r.Sparse {
		d.postings[t.Position] = append(d.postings[t.Position], posting{record: n, weight: t.Weight})
	}
	return d.out.err
}

func (d *builder) addOrigin(o vectors.Origin) error {
	if len(d.places) == math.MaxUint32 {
		return fmt.Errorf("%w: more than %d records", vectors.ErrInvalid, math.MaxUint32)
	}
	d.places = append(d.places, place{
		paper: d.papers.number(o.PaperID), table: d.names.number(o.Table), column: d.names.number(o.Column), page: int32(o.Page),
	})
	d.keys.add(o.Key)
	return nil
}

// copy appends the records of s for which keep returns true.
func (d *builder) copy(ctx context.Context, s *set, keep func(place) bool) error {
	moved := make([]int64, s.records) // new number of each record, -1 for none
	for i := range uint32(s.records) {
		if moved[i] = -1; !keep(s.origins.places[i]) {
			continue
		}
		moved[i] = int64(len(d.places))
		if err := errors.Join(ctx.Err(), d.copyRecord(s, i), d.out.err); err != nil {
			return err
		}
	}
	if s.lists != nil {
		return d.copyLists(s.lists, moved)
	}
	return nil
}

func (d *builder) copyRecord(s *set, i uint32) error {
	o, err := s.origins.at(i)
	if err != nil {
		return err
	}
	if r := s.rows; r != nil {
		width := padded(r.dim, stride)
		d.out.add(raw(r.vector(int(i))))
		d.lengths = append(d.lengths, r.lengths[i])
		d.codes = append(d.codes, r.codes[int(i)*width:][:width]...)
		d.grid = append(d.grid, r.grid[i])
	}
	return d.addOrigin(o)
}

func (d *builder) copyLists(l *lists, moved []int64) error {
	for i, position := range l.positions {
		list, err := l.at(i)
		if err != nil {
			return err
		}
		for _, p := range list {
			if uint64(p.record) >= uint64(len(moved)) {
				return fmt.Errorf("record %d of position %d: %w", p.record, position, errDamaged)
			}
			if n := moved[p.record]; n >= 0 {
				d.postings[position] = append(d.postings[position], posting{record: uint32(n), weight: p.weight})
			}
		}
	}
	return nil
}

// finish writes the remaining sections.
func (d *builder) finish() error {
	if d.info.Kind == vectors.Dense {
		d.out.section("lengths", raw(d.lengths))
		d.out.section("codes", raw(d.codes))
		d.out.section("grid", raw(d.grid))
	} else {
		positions := slices.Sorted(maps.Keys(d.postings))
		bounds := []uint64{0}
		d.out.begin("postings")
		for _, position := range positions {
			list := d.postings[position]
			d.out.add(raw(list))
			bounds = append(bounds, bounds[len(bounds)-1]+uint64(len(list)))
		}
		d.out.section("positions", raw(positions))
		d.out.section("lists", raw(bounds))
	}
	d.out.section("encoder", d.info.Encoder)
	d.finishCells()
	d.finishOrigins()
	return d.out.finish(d.info, len(d.places))
}

// finishCells writes the cells section unless every cell has one record. Records mostly arrive in the order used for
// sorting here.
func (d *builder) finishCells() {
	order := make([]uint32, len(d.places))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Or(d.compareOrigins(a, b), cmp.Compare(a, b)) })
	cells := make([]uint32, len(order))
	several := false
	for i, record := range order {
		cells[record] = record
		if i > 0 && d.compareOrigins(order[i-1], record) == 0 {
			cells[record], several = cells[order[i-1]], true
		}
	}
	if several {
		d.out.section("cells", raw(cells))
	}
}

func (d *builder) compareOrigins(a, b uint32) int {
	p, q := d.places[a], d.places[b]
	return cmp.Or(
		cmp.Compare(p.paper, q.paper),
		cmp.Compare(p.table, q.table),
		cmp.Compare(p.column, q.column),
		cmp.Compare(p.page, q.page),
		bytes.Compare(d.keys.at(a), d.keys.at(b)),
	)
}

func (d *builder) finishOrigins() {
	papers := d.papers.write(d.out, "papers")
	names := d.names.write(d.out, "names")
	d.keys.write(d.out, "keys")
	starts := make([]uint32, len(papers)+1)
	for i, p := range d.places {
		d.places[i] = place{paper: papers[p.paper], table: names[p.table], column: names[p.column], page: p.page}
		starts[papers[p.paper]+1]++
	}
	for i := range papers {
		starts[i+1] += starts[i]
	}
	next := slices.Clone(starts)
	members := make([]uint32, len(d.places))
	for i, p := range d.places {
		members[next[p.paper]] = uint32(i)
		next[p.paper]++
	}
	d.out.section("places", raw(d.places))
	d.out.section("starts", raw(starts))
	d.out.section("members", raw(members))
}
