package export

import (
	"errors"
	"fmt"

	"airqa/extractor/windows"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/run/runlog"
)

type recorded = runlog.Recorded

// pair is a row with its rejected turn; against is nil but for preference pairs.
type pair struct {
	row     windows.Row
	against *windows.Row
}

// encoder writes rows of a format into a folder of the export.
type encoder struct {
	dir    string
	append func(s shape, dst []byte, t *texts, p *pair) []byte
}

// encoders are the formats of lines; the first one is what load_dataset reads.
func encoders(f Format) []encoder {
	switch f {
	case ShareGPT:
		return []encoder{{dataDir, shape.shareGPT}}
	case OpenAI:
		return []encoder{{dataDir, shape.openAI}}
	case TRL:
		return []encoder{{dataDir, shape.trl}}
	case DPO:
		return []encoder{{dataDir, shape.trlPair}, {shareGPTDir, shape.shareGPTPair}, {openAIDir, shape.openAIPair}}
	}
	return nil
}

// Folders of the further forms of preference pairs.
const (
	shareGPTDir = "sharegpt"
	openAIDir   = "openai"
)

// lines writes the files of one split.
type lines struct {
	split    Split
	encoders []encoder
	files    []*file
	n        int
}

// rowWriter writes the rows of an export.
type rowWriter struct {
	*writer
	splits     map[Split]*lines
	provenance *file
	images     map[string]bool
	buffer     []byte
	texts      texts
}

// writeRows writes the data, provenance.jsonl and the images.
func (w *writer) writeRows() (err error) {
	w.plan.shape = w.shape()
	out := &rowWriter{writer: w, splits: make(map[Split]*lines), images: make(map[string]bool), texts: texts{w.plan.tally.changed}}
	if out.provenance, err = w.folder.create(ProvenanceFile); err != nil {
		return err
	}
	for _, split := range splitNames {
		if w.plan.division.Rows[string(split)] == 0 {
			continue
		}
		if out.splits[split], err = w.lines(split); err != nil {
			return err
		}
	}
	err = errors.Join(out.leads(), out.all())
	for _, split := range splitNames {
		if l := out.splits[split]; l != nil {
			for _, f := range l.files {
				err = errors.Join(err, f.Close())
			}
		}
	}
	return errors.Join(err, out.provenance.Close())
}

func (w *writer) lines(split Split) (*lines, error) {
	l := &lines{split: split, encoders: encoders(w.Format)}
	for _, enc := range l.encoders {
		f, err := w.folder.create(enc.dir + "/" + string(split) + ".jsonl")
		if err != nil {
			return nil, err
		}
		l.files = append(l.files, f)
	}
	return l, nil
}

// shape returns what the rows have in common.
func (w *writer) shape() (s shape) {
	for _, e := range w.plan.episodes {
		s.tools = s.tools || len(w.sources[e.source].Tools) > 0
		for _, row := range e.rows {
			s.images = s.images || row.features&1 != 0
		}
	}
	return s
}

// leads writes the rows that must come first, and marks them as written.
func (o *rowWriter) leads() error {
	type place struct{ episode, row int }
	for _, split := range splitNames {
		var places []place
		var sets []uint64
		for i, e := range o.plan.episodes {
			if e.split != split {
				continue
			}
			for j, row := range e.rows {
				places, sets = append(places, place{i, j}), append(sets, row.features)
			}
		}
		for _, at := range lead(sets) {
			e := &o.plan.episodes[places[at].episode]
			row := &e.rows[places[at].row]
			row.first = true
			if err := o.episode(*e, []plannedRow{*row}); err != nil {
				return err
			}
		}
	}
	return nil
}

// all writes the other rows, in the order of runs and logs.
func (o *rowWriter) all() error {
	stage := o.Progress.Stage("write rows", o.plan.tally.rows)
	defer func() { stage.Close(terminal.Plural(o.plan.tally.rows, "row")) }()
	for _, e := range o.plan.episodes {
		stage.Set(o.written(), o.sources[e.source].name)
		var rest []plannedRow
		for _, row := range e.rows {
			if !row.first {
				rest = append(rest, row)
			}
		}
		if len(rest) == 0 {
			continue
		}
		if err := o.episode(e, rest); err != nil {
			return err
		}
	}
	return nil
}

// written counts the rows written so far.
func (o *rowWriter) written() (n int) {
	for _, l := range o.splits {
		n += l.n
	}
	return n
}

// episode writes some rows of an episode.
func (o *rowWriter) episode(planned plannedEpisode, rows []plannedRow) error {
	e, err := o.read(planned.source, planned.name)
	if err != nil {
		return err
	}
	scope := o.scope(e)
	for _, row := range rows {
		p, err := o.pair(e, scope, planned.source, row)
		if err == nil {
			err = o.write(e, planned.split, row, p)
		}
		if err != nil {
			return fmt.Errorf("%s: turn %d: %w", planned.name, row.turn, err)
		}
	}
	if scope.Scope != nil {
		o.plan.tally.private.Add(scope.Counts)
	}
	return nil
}

// read reads an episode again, with its images.
func (o *rowWriter) read(i int, name string) (*Episode, error) {
	s := o.sources[i]
	uuid, repeat := qa.SplitEpisodeID(name)
	rec, err := s.Episode(uuid, repeat)
	if err == nil && o.plan.shape.images {
		err = s.LoadImages(&rec)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Dir, err)
	}
	return s.episode(rec), nil
}

// pair makes a planned row.
func (o *rowWriter) pair(e *Episode, s scope, i int, planned plannedRow) (*pair, error) {
	p := &pair{row: rowOf(e, planned.turn, o.Options)}
	s.row(&p.row)
	p.row.Context = shortened(p.row.Context, planned.cuts)
	if planned.against == nil {
		return p, nil
	}
	other, err := o.read(i, planned.against.episode)
	if err != nil {
		return nil, err
	}
	against := rowOf(other, planned.against.turn, o.Options)
	o.scope(other).row(&against)
	p.against = &against
	return p, nil
}

// rowOf returns the row of a turn; steps are numbered from 1.
func rowOf(e *Episode, turn int, o windows.Options) windows.Row {
	return e.Run.RowAt(e.Recorded, turn-1, o)
}

// write writes one row.
func (o *rowWriter) write(e *Episode, split Split, planned plannedRow, p *pair) error {
	l := o.splits[split]
	l.n++
	for i, enc := range l.encoders {
		t := &o.texts
		if i > 0 { // counted once
			t = &texts{changed: make(map[string]int)}
		}
		o.buffer = append(enc.append(o.plan.shape, o.buffer[:0], t, p), '\n')
		if _, err := l.files[i].Write(o.buffer); err != nil {
			return err
		}
	}
	if err := o.saveImages(p); err != nil {
		return err
	}
	o.buffer = append(provenance(o.buffer[:0], e, l, planned, p), '\n')
	_, err := o.provenance.Write(o.buffer)
	return err
}

// saveImages writes the images of a row once each.
func (o *rowWriter) saveImages(p *pair) error {
	if o.Format == OpenAI { // they are in the lines
		return nil
	}
	for _, im := range imagesOf(p.row.Context) {
		if o.images[im.SHA256] {
			continue
		}
		o.images[im.SHA256] = true
		if err := o.folder.write(imagePath(im), im.Data); err != nil {
			return err
		}
	}
	return nil
}

// provenance appends a line of provenance.jsonl: where a row comes from, and where it is.
func provenance(dst []byte, e *Episode, l *lines, planned plannedRow, p *pair) []byte {
	shape := e.Run.Config.Shape
	o := begin(dst)
	o.text("id", planned.id)
	o.text("split", string(l.split))
	o.number("line", l.n)
	o.text("run", e.Run.ID)
	o.text("question", e.Recorded.UUID)
	o.number("repeat", e.Recorded.Repeat)
	o.number("turn", planned.turn)
	o.number("turns", e.Recorded.Turns())
	o.text("baseline", clean(shape.Baseline))
	o.text("model", clean(shape.ModelName()))
	o.text("outcome", string(e.Recorded.Outcome))
	o.text("verdict", endingOf(e).verdict)
	o.key("papers")
	o.dst = appendList(o.dst, paperNames(e.Example), func(dst []byte, s string) []byte { return appendString(dst, clean(s)) })
	o.number("images", len(imagesOf(p.row.Context)))
	o.number("shortened_observations", len(planned.cuts))
	rejected := ""
	if p.against != nil {
		rejected = p.against.ID
	}
	o.text("rejected", rejected)
	return o.end()
}
