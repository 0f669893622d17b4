package flat

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"airqa/env/vectors"
)

// builder is a segment being written from records or from other segments. Dense vectors are written to the file
// immediately; the sections after them are kept in memory until finish.
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
	copied  []copied

	words    numbering
	counts   [][]count // by word, each ascending by record
	corpus   []uint32  // by word
	tokens   []uint32
	merged   bool              // the lists of the words are written
	versions map[string]string // by paper

	sources  []*part // of a merge
	relieved int64   // bytes written at the last relieve
}

// copied is a record of another segment.
type copied struct {
	rows   *rows
	record uint32
}

func newBuilder(info vectors.Collection, k kernel, w io.Writer) *builder {
	d := &builder{info: info, kernel: k, out: startFile(w)}
	d.papers.numbers, d.names.numbers, d.words.numbers = make(map[string]uint32), make(map[string]uint32), make(map[string]uint32)
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
	if d.info.Kind != vectors.Words {
		return d.out.err
	}
	document := vectors.Filter{Table: d.info.Corpus.Table, Column: d.info.Corpus.Column}.Match(r.Origin)
	total := uint32(0)
	for _, w := range r.Words {
		i := d.words.number(w.Text)
		if int(i) == len(d.counts) {
			d.counts, d.corpus = append(d.counts, nil), append(d.corpus, 0)
		}
		d.counts[i] = append(d.counts[i], count{record: n, n: uint32(w.Count)})
		if document {
			d.corpus[i]++
		}
		total += uint32(w.Count)
	}
	d.tokens = append(d.tokens, total)
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

func (d *builder) finish() error {
	if d.info.Kind == vectors.Dense {
		d.finishRows()
	} else {
		d.finishWords()
	}
	d.finishCells()
	d.finishOrigins()
	return d.out.finish(d.info, len(d.places))
}

// finishRows writes what belongs to the vectors; that of copied records straight from their segments, since it is large.
func (d *builder) finishRows() {
	d.out.section("lengths", raw(d.lengths))
	for _, c := range d.copied {
		i, r := int(c.record), c.rows
		d.out.add(raw(r.lengths[i : i+1]))
	}
	d.out.section("codes", raw(d.codes))
	for _, c := range d.copied {
		d.relieve()
		width := padded(c.rows.dim, stride)
		d.out.add(raw(c.rows.codes[int(c.record)*width:][:width]))
	}
	d.out.section("grid", raw(d.grid))
	for _, c := range d.copied {
		i, r := int(c.record), c.rows
		d.out.add(raw(r.grid[i : i+1]))
	}
}

func (d *builder) finishWords() {
	if d.merged {
		d.out.section("tokens", raw(d.tokens))
		return
	}
	order := d.words.write(d.out, "words")
	sorted := make([]uint32, len(order)) // the number of each word in order
	for number, place := range order {
		sorted[place] = uint32(number)
	}
	corpus, bounds := make([]uint32, 0, len(sorted)), []uint64{0}
	d.out.begin("counts")
	for _, number := range sorted {
		list := d.counts[number]
		d.out.add(raw(list))
		bounds = append(bounds, bounds[len(bounds)-1]+uint64(len(list)))
		corpus = append(corpus, d.corpus[number])
	}
	d.out.section("corpus", raw(corpus))
	d.out.section("lists", raw(bounds))
	d.out.section("tokens", raw(d.tokens))
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
	const maxRuns = 64    // more are not worth a section: a group of papers and a merge have one for each column
	var versions textList // in the order of the papers section
	several := false
	for _, paper := range slices.Sorted(slices.Values(d.papers.texts)) {
		versions.add(d.versions[paper])
		several = several || d.versions[paper] != ""
	}
	if several {
		versions.write(d.out, "versions")
	}
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
	var runs []run // the ranges of one column
	for i, p := range d.places {
		if n := len(runs); n > 0 && runs[n-1].table == p.table && runs[n-1].column == p.column {
			runs[n-1].to++
			continue
		}
		runs = append(runs, run{table: p.table, column: p.column, from: uint32(i), to: uint32(i + 1)})
	}
	if len(runs) <= maxRuns {
		d.out.section("runs", raw(runs))
	}
	d.out.section("starts", raw(starts))
	d.out.section("members", raw(members))
}
