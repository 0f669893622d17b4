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

// encoder writes rows of a format into a folder of the export. The formats of whole episodes have no append.
type encoder struct {
	dir    string
	append func(s shape, dst []byte, t *texts, p *pair) []byte
}

// encoders are the folders of a format; the first one is what load_dataset reads.
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
	case Parquet:
		return []encoder{{dir: dataDir}, {dir: answersDir}}
	}
	return []encoder{{dir: dataDir}}
}

// suffix ends the names of the files of a format.
func suffix(f Format) string {
	if f == Parquet {
		return ".parquet"
	}
	return ".jsonl"
}

// Folders of the further forms of preference pairs, and of the table of answers.
const (
	shareGPTDir = "sharegpt"
	openAIDir   = "openai"
	answersDir  = "answers"
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
	w.plan.schemas = make([]schema, len(encoders(w.Format)))
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
	if whole := out.wholeEpisodes(); whole != nil {
		err = out.each(whole)
	} else {
		err = errors.Join(out.leads(), out.all())
	}
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
		f, err := w.folder.create(enc.dir + "/" + string(split) + suffix(w.Format))
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
	type planned struct{ episode, row int }
	for _, split := range splitNames {
		var places []planned
		var sets []uint64
		for i, e := range o.plan.episodes {
			if e.split != split {
				continue
			}
			for j, row := range e.rows {
				places, sets = append(places, planned{i, j}), append(sets, row.features)
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
	if err == nil && (o.plan.shape.images || o.Format == ATIF) {
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
		if planned.first || l.n == 1 { // these have all keys between them
			if err := o.plan.schemas[i].add(o.buffer); err != nil {
				return err
			}
		}
	}
	images := imagesOf(p.row.Context)
	if err := o.saveImages(images); err != nil {
		return err
	}
	rejected := ""
	if p.against != nil {
		rejected = p.against.ID
	}
	return o.place(e, place{split, l.n}, planned, len(images), rejected)
}

// saveImages writes images once each.
func (o *rowWriter) saveImages(images []qa.Image) error {
	if o.Format == OpenAI { // they are in the lines
		return nil
	}
	for _, im := range images {
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

// place is where a row is. Lines count from 1.
type place struct {
	split Split
	line  int
}

// place writes a line of provenance.jsonl: where a row comes from, and where it is.
func (o *rowWriter) place(e *Episode, at place, planned plannedRow, images int, rejected string) error {
	shape := e.Run.Config.Shape
	line := begin(o.buffer[:0])
	line.text("id", planned.id)
	line.text("split", string(at.split))
	line.number("line", at.line)
	line.text("run", e.Run.ID)
	line.text("question", e.Recorded.UUID)
	line.number("repeat", e.Recorded.Repeat)
	line.number("turn", planned.turn)
	line.number("turns", e.Recorded.Turns())
	line.text("baseline", clean(shape.Baseline))
	line.text("model", clean(shape.ModelName()))
	line.text("outcome", string(e.Recorded.Outcome))
	line.text("verdict", endingOf(e).verdict)
	line.key("papers")
	line.dst = appendList(line.dst, paperNames(e.Example), func(dst []byte, s string) []byte { return appendString(dst, clean(s)) })
	line.number("images", images)
	line.number("shortened_observations", len(planned.cuts))
	line.text("rejected", rejected)
	o.buffer = append(line.end(), '\n')
	_, err := o.provenance.Write(o.buffer)
	return err
}
