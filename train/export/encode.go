package export

import (
	"encoding/json"
	"strconv"
	"strings"

	"airqa/internal/ledger"
	"airqa/qa"
	"airqa/train/curate"
	"airqa/train/format"
	"airqa/train/redact"
)

// encoded is some rows of an episode, ready to be written.
type encoded struct {
	loaded
	// files has the lines of all rows by encoder, and ends where each line ends.
	files []encodedLines
	// images are those of each row, and rejected the id of its rejected turn.
	images   [][]qa.Image
	rejected []string
	// changed and private count what was changed.
	changed map[string]int
	private redact.Counts
}

type encodedLines struct {
	data []byte
	ends []int
}

// line returns the line of a row.
func (l encodedLines) line(row int) []byte {
	start := 0
	if row > 0 {
		start = l.ends[row-1]
	}
	return l.data[start:l.ends[row]]
}

// encodeAll reads and encodes the rows of some tasks. Calls may overlap.
func (o *rowWriter) encodeAll(tasks []task) (list []*encoded) {
	for x := range o.load(tasks) {
		list = append(list, o.encode(x))
	}
	return list
}

// encode encodes rows of an episode.
func (o *rowWriter) encode(from loaded) *encoded {
	x := &encoded{loaded: from}
	if x.err != nil {
		return x
	}
	scope, counted, again := o.scope(x.e), o.plan.textsOfEpisode(), o.plan.textsOfEpisode()
	rows := o.plan.shape
	encoders := encoders(o.Format)
	x.files = make([]encodedLines, len(encoders))
	const firstBuffer = 128 << 10 // the size of a new buffer for the rows of an episode
	for i := range x.files {
		select {
		case b := <-o.free:
			x.files[i].data = b[:0]
		default:
			x.files[i].data = make([]byte, 0, firstBuffer)
		}
	}
	for _, row := range x.rows {
		p, err := o.pair(x.e, scope, x.source, row)
		if err != nil {
			x.err = turnError(x.name, row.turn, err)
			return x
		}
		for i, enc := range encoders {
			t := counted
			if i > 0 { // counted once
				t = again
			}
			f := &x.files[i]
			f.data = append(rows.Append(f.data, enc.form, t.conversation(enc.form, p)), '\n')
			f.ends = append(f.ends, len(f.data))
		}
		x.add(p)
	}
	x.changed, x.private = counted.changed, scope.Counts
	return x
}

// add adds what a row has besides its lines.
func (x *encoded) add(p *pair) {
	rejected := ""
	if p.against != nil {
		rejected = p.against.ID
	}
	x.images, x.rejected = append(x.images, imagesOf(p.row.Context)), append(x.rejected, rejected)
}

// write writes encoded rows.
func (o *rowWriter) write(x *encoded) error {
	l := o.splits[x.split]
	for i, f := range x.files {
		if _, err := l.files[i].Write(f.data); err != nil {
			return err
		}
	}
	for row, planned := range x.rows {
		l.n++
		if err := o.writeRow(x, row, place{x.split, l.n}); err != nil {
			return turnError(x.name, planned.turn, err)
		}
	}
	for _, f := range x.files {
		select {
		case o.free <- f.data:
		default:
		}
	}
	add(o.plan.tally.changed, x.changed)
	o.plan.tally.private.Add(x.private)
	return nil
}

// writeRow writes what belongs to a line of the data.
func (o *rowWriter) writeRow(x *encoded, row int, at place) error {
	if x.rows[row].first || at.line == 1 { // these have all keys between them
		for i, f := range x.files {
			if err := o.plan.schemas[i].add(f.line(row)); err != nil {
				return err
			}
		}
	}
	if err := o.saveImages(x.images[row]); err != nil {
		return err
	}
	return o.place(x.e, at, x.rows[row], len(x.images[row]), x.rejected[row])
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
		if err := o.folder.WriteFile(imagePath(im), im.Data); err != nil {
			return err
		}
	}
	return nil
}

// provenance is a line of provenance.jsonl.
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

// place is where a row is. Lines count from 1.
type place struct {
	split Split
	line  int
}

// place writes a line of provenance.jsonl: where a row comes from, and where it is.
func (o *rowWriter) place(e *Episode, at place, planned plannedRow, images int, rejected string) error {
	shape := e.Run.Config.Shape
	papers := []string{}
	for _, name := range e.Example.Papers() {
		papers = append(papers, clean(name))
	}
	line, err := ledger.Encode(provenance{
		ID: planned.id, Split: at.split, Line: at.line, Run: e.Run.ID, Question: e.Recorded.UUID, Repeat: e.Recorded.Repeat,
		Turn: planned.turn, Turns: e.Recorded.Turns(), Baseline: clean(shape.Baseline), Model: clean(shape.ModelName()),
		Outcome: e.Recorded.Outcome, Verdict: endingOf(e).verdict, Papers: papers, Images: images,
		Shortened: len(planned.cuts), Rejected: rejected,
	})
	if err != nil {
		return err
	}
	_, err = o.provenance.Write(line)
	return err
}

// columns are the further columns of the rows of an episode; nil without [Rules.Columns].
func (o *rowWriter) columns(e *Episode) []format.Column {
	if !o.Columns {
		return nil
	}
	c := e.candidate()
	score := float64(curate.NoScore)
	if e.Score != nil && e.Score.Verdict != qa.Unscored {
		score = e.Score.Value
	}
	return []format.Column{
		{Name: "score", Value: fraction(score)},
		{Name: "pass_rate", Value: fraction(o.plan.rates.Of(c.Repeats()))},
		{Name: "turns", Value: strconv.Itoa(c.Turns())},
		{Name: "tokens", Value: strconv.Itoa(c.Tokens())},
		{Name: "repeat", Value: strconv.Itoa(c.Repeat)},
	}
}

// label reports whether an episode is right, if the rows of the format are labelled.
func (o *rowWriter) label(e *Episode) *bool {
	if o.Format != KTO {
		return nil
	}
	right := e.candidate().Class() == ""
	return &right
}

// labelled returns the columns of a row with its label under the name that the format's trainer has for it.
func (p *pair) labelled(f format.Format) []format.Column {
	if p.label == nil {
		return p.columns
	}
	name := "label"
	if f == format.ShareGPT {
		name = "kto_tag"
	}
	return append([]format.Column{{Name: name, Value: strconv.FormatBool(*p.label)}}, p.columns...)
}

// labels counts the rows of right and of other episodes.
func (t *tally) labels() (right, wrong int) {
	for end, n := range t.endings {
		if end.verdict == string(qa.Right) {
			right += n.rows
		} else {
			wrong += n.rows
		}
	}
	return right, wrong
}

// labelWeights are the weights of right and wrong rows with which both have the same part in the loss, as TRL advises.
func (t *tally) labelWeights() (right, wrong string) {
	n, m := t.labels()
	weight := func(few, many int) string {
		return strconv.FormatFloat(max(1, float64(many)/float64(max(few, 1))), 'f', 2, 64)
	}
	return weight(n, m), weight(m, n)
}

// fraction returns a number as JSON that no reader takes for an integer: a column has one type.
func fraction(x float64) string {
	raw, err := json.Marshal(x)
	if err != nil {
		return strconv.Itoa(curate.NoScore) + ".0" // no number
	}
	if s := string(raw); strings.ContainsAny(s, ".e") {
		return s
	}
	return string(raw) + ".0"
}
