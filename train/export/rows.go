package export

import (
	"bufio"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"slices"

	"airqa/internal/ledger"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/train"
	"airqa/train/format"
)

// encoder writes rows of a format into a folder of the export. The formats of whole episodes have no form.
type encoder struct {
	dir  string
	form format.Format
}

// encoders are the folders of a format; the first one is what load_dataset reads.
func encoders(f Format) []encoder {
	switch f {
	case ShareGPT, OpenAI, TRL:
		return []encoder{{dataDir, f}}
	case DPO:
		return []encoder{{dataDir, TRL}, {shareGPTDir, ShareGPT}, {openAIDir, OpenAI}}
	case KTO:
		return []encoder{{dataDir, TRL}, {shareGPTDir, ShareGPT}}
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

// Folders of the further forms of preference pairs and labelled turns, and of the table of answers.
const (
	shareGPTDir = "sharegpt"
	openAIDir   = "openai"
	answersDir  = "answers"
)

// spool is a temporary file with the lines of all rows, in the order in which they were read.
type spool struct {
	*bufio.Writer
	disk *os.File
	size int64
}

// add moves the lines of an entry into the spool.
func (s *spool) add(x *entry) error {
	for _, row := range x.rows {
		row.start += s.size
	}
	s.size += int64(len(x.lines))
	_, err := s.Write(x.lines)
	x.lines = nil
	return err
}

type lines struct {
	files []*file
	n     int
}

type output struct {
	*plan
	splits     map[Split]*lines
	provenance *file
	images     map[string]bool
	// loaded are the lines of a row in the spool, settled is one of them as it is written.
	loaded, settled []byte
}

// writeRows writes the data, provenance.jsonl and the images.
func (p *plan) writeRows() (err error) {
	out := &output{plan: p, splits: make(map[Split]*lines), images: make(map[string]bool)}
	if out.provenance, err = p.folder.create(ProvenanceFile); err != nil {
		return err
	}
	for _, split := range splitNames {
		if p.division.Rows[string(split)] == 0 {
			continue
		}
		l := new(lines)
		for _, enc := range encoders(p.Format) {
			f, err := p.folder.create(enc.dir + "/" + string(split) + suffix(p.Format))
			if err != nil {
				return err
			}
			l.files = append(l.files, f)
		}
		out.splits[split] = l
	}
	switch p.Format {
	case ATIF:
		err = out.whole(&trajectories{out})
	case Parquet:
		err = out.whole(&tables{out, make(map[*lines]*tablePair)})
	default:
		err = out.copyRows()
	}
	for _, l := range out.splits {
		for _, f := range l.files {
			err = errors.Join(err, f.Close())
		}
	}
	return errors.Join(err, out.provenance.Close(), p.spool.disk.Close(), os.Remove(p.spool.disk.Name()))
}

// copyRows copies the rows of the plan from the spool: first those that must be first, then the others in the order of
// runs and logs.
func (o *output) copyRows() error {
	stage := o.Progress.Stage("write rows", o.rows)
	defer func() { stage.Close(terminal.Plural(o.rows, "row")) }()
	if err := o.spool.Flush(); err != nil {
		return err
	}
	o.schemas = make([]schema, len(encoders(o.Format)))
	first, done := make(map[*row]bool), 0
	for _, split := range splitNames {
		var rows []kept // one by one
		var sets []uint64
		for _, k := range o.kept {
			for i := range k.rows {
				if k.split == split {
					rows, sets = append(rows, kept{k.entry, split, k.rows[i : i+1]}), append(sets, k.rows[i].features)
				}
			}
		}
		for _, at := range lead(sets) {
			first[rows[at].rows[0]] = true
			if err := o.copy(rows[at], true); err != nil {
				return err
			}
		}
	}
	for _, k := range o.kept {
		done += len(k.rows)
		stage.Set(done, k.source.name)
		k.rows = slices.DeleteFunc(slices.Clone(k.rows), func(r *row) bool { return first[r] })
		if err := o.copy(k, false); err != nil {
			return err
		}
	}
	return nil
}

// lead chooses rows that have all features of a list between them, the richest first, in the order of the list where
// equal. A list without features has none.
func lead(rows []uint64) (order []int) {
	missing := uint64(0)
	for _, set := range rows {
		missing |= set
	}
	for missing != 0 {
		best := 0
		for i, set := range rows {
			if bits.OnesCount64(set&missing) > bits.OnesCount64(rows[best]&missing) {
				best = i
			}
		}
		order = append(order, best)
		missing &^= rows[best]
	}
	return order
}

// copy copies rows of an entry, and writes what belongs to them. Rows that are first have all keys between them.
func (o *output) copy(k kept, first bool) error {
	if o.shape.Images && k.imageErr != nil {
		return fmt.Errorf("%s: %w", k.Dir, k.imageErr)
	}
	l, counted := o.splits[k.split], make(map[*train.RedactedText]bool)
	for _, row := range k.rows {
		l.n++
		size := row.ends[len(row.ends)-1]
		o.loaded = slices.Grow(o.loaded[:0], size)[:size]
		_, err := o.spool.disk.ReadAt(o.loaded, row.start)
		if err != nil {
			return err
		}
		start := 0
		for i, end := range row.ends {
			o.settled = o.shape.Settle(o.settled[:0], o.loaded[start:end])
			if start = end; first || l.n == 1 {
				if err := o.schemas[i].add(o.settled); err != nil {
					return err
				}
			}
			if _, err := l.files[i].Write(o.settled); err != nil {
				return err
			}
		}
		if o.Format != OpenAI { // it has them in the lines
			err = o.saveImages(k.entry, row.images)
		}
		if err := errors.Join(err, o.place(k, row, l.n)); err != nil {
			return err
		}
		add(o.changed, row.changed)
		o.private.Add(row.private, counted)
	}
	return nil
}

// saveImages copies images of an entry from its run, each once.
func (o *output) saveImages(x *entry, hashes []string) error {
	for _, sum := range hashes {
		if o.images[sum] {
			continue
		}
		o.images[sum] = true
		data, err := x.Image(sum)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", x.Dir, x.name, err)
		}
		if err := o.folder.WriteFile(imagePath(sum), data); err != nil {
			return err
		}
	}
	return nil
}

type provenance struct {
	ID        string     `json:"id"`
	Split     Split      `json:"split"`
	Line      int        `json:"line"`
	Run       string     `json:"run"`
	Question  string     `json:"question"`
	Repeat    int        `json:"repeat"`
	Turn      int        `json:"turn"`
	Turns     int        `json:"turns"`
	Baseline  string     `json:"baseline"`
	Model     string     `json:"model"`
	Outcome   qa.Outcome `json:"outcome"`
	Verdict   string     `json:"verdict"`
	Papers    []string   `json:"papers"`
	Images    int        `json:"images"`
	Shortened int        `json:"shortened_observations"`
	Rejected  string     `json:"rejected"`
}

// place writes a line of provenance.jsonl: where a row comes from, and the line at which it is, counted from 1.
func (o *output) place(k kept, row *row, line int) error {
	p := provenance{
		ID: row.id, Split: k.split, Line: line, Run: k.ID, Question: k.uuid, Repeat: k.repeat, Turn: row.turn, Turns: len(k.turns),
		Baseline: clean(k.Config.Shape.Baseline), Model: clean(k.Config.Shape.ModelName()),
		Outcome: k.outcome, Verdict: k.ending().verdict, Papers: []string{}, Rejected: row.rejected,
	}
	for _, name := range k.example().Papers() {
		p.Papers = append(p.Papers, clean(name))
	}
	if encoders(o.Format)[0].form != "" { // whole episodes have whole observations
		p.Images, p.Shortened = len(row.images), len(row.fit.cuts)
	}
	text, err := ledger.Encode(p)
	if err != nil {
		return err
	}
	_, err = o.provenance.Write(text)
	return err
}
