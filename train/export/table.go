package export

import (
	"cmp"
	"encoding/json"
	"iter"
	"slices"
	"strconv"
	"strings"

	"airqa/internal/concurrent"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/runlog"
	"airqa/train"
	"airqa/train/format"
)

// entry is an episode in the table from which an export is decided. Its rows are in the spool.
type entry struct {
	*source
	name, uuid string
	repeat     int
	outcome    qa.Outcome
	class      train.Reason
	// turns are the ids of the turns of the model, tokens those of its prompts and replies.
	turns  []string
	tokens int
	// actions counts the actions of a selected episode, faults the error actions among them.
	actions, faults int
	// err means that the episode could be read in part only, imageErr that an image is missing.
	err, imageErr error
	// reason against the episode by its own properties; empty for none.
	reason  train.Reason
	detail  string
	rows    []*row
	dropped []train.Drop
	// lines are the encoded rows until they are in the spool, and rec is the episode while its rows or pairs are made.
	lines []byte
	rec   *runlog.Recorded
}

// row is a row, or a preference pair, of an entry.
type row struct {
	id   string
	turn int
	// trains are the ids of the turns to train. earlier counts the turns in the history of a whole episode.
	trains  []string
	earlier int
	// errors is the number of trained turns that are error actions.
	errors int
	// content identifies what the row trains on, see [contentOf].
	content contentHash
	fit     fitted
	// features are the keys that a row has and others may lack, see [writer.featuresOf].
	features uint64
	images   []string // by their hash
	// rejected is the id of the rejected turn of a pair.
	rejected string
	// start is the place of the lines in the spool, ends are the ends of each encoder's line from there.
	start int64
	ends  []int
	// changed counts the changed words, private has the redacted texts.
	changed map[string]int
	private []*train.RedactedText
}

// newEntry describes an episode without its rows.
func newEntry(s *source, rec *runlog.Recorded) *entry {
	x := &entry{
		source: s, name: strings.Clone(rec.Episode), uuid: strings.Clone(rec.UUID), repeat: rec.Repeat,
		outcome: rec.Outcome, turns: s.Turns(*rec), rec: rec,
	}
	c := x.candidate()
	x.class, x.tokens = c.Class(), c.Tokens()
	return x
}

// key identifies an episode of all runs.
func (x *entry) key() string { return x.ID + " " + x.name }

// right reports whether a selected episode is right.
func (x *entry) right() bool { return x.err == nil && x.reason == "" && x.class == "" }

func (x *entry) example() qa.Example { return x.examples[x.uuid] }

func (x *entry) score() *qa.Score { return x.scores[x.name] }

// candidate is an episode as far as its selection depends on it.
func (x *entry) candidate() train.Episode {
	return train.Episode{Trajectory: x.rec.Trajectory, Example: x.example(), Repeats: x.repeats(x.uuid), Score: x.score()}
}

// batchSize is the number of episodes that one goroutine reads: few, as all of them are in memory.
const batchSize = 4

// depth is how far episodes are read.
type depth int

const (
	readOnly   depth = iota // and keeps the episodes
	weighRows               // and decides about each row alone
	encodeRows              // and encodes rows
)

// read reads all episodes on all processors, and yields them in the order of runs and logs: for preference pairs all
// repeats of a question of a run at a time.
func (w *writer) read(title string, to depth) iter.Seq2[[]*entry, error] {
	type batch struct {
		source *source
		names  []string
	}
	batches := func(yield func(batch, error) bool) {
		for _, s := range w.sources {
			for _, names := range w.batches(s) {
				if !yield(batch{s, names}, nil) {
					return
				}
			}
		}
	}
	return func(yield func([]*entry, error) bool) {
		total, done := 0, 0
		for _, s := range w.sources {
			total += len(s.UUIDs())
		}
		stage := w.Progress.Stage(title, total)
		defer func() { stage.Close(terminal.Plural(done, "episode")) }()
		for list, err := range concurrent.Map(batches, func(b batch) (list []*entry) {
			for rec, err := range b.source.Episodes(b.names...) {
				x := newEntry(b.source, &rec)
				if x.err = err; err == nil {
					w.examine(x, to)
				}
				list = append(list, x)
			}
			return list
		}) {
			if err == nil {
				done += len(list)
				stage.Set(done, list[0].source.name)
			}
			if !yield(list, err) {
				return
			}
		}
	}
}

// batches are the names of the episodes of a source, a few at a time.
func (w *writer) batches(s *source) [][]string {
	if w.Format != DPO {
		return slices.Collect(slices.Chunk(s.UUIDs(), batchSize))
	}
	var groups [][]string
	at := make(map[string]int)
	for _, name := range s.UUIDs() {
		uuid, _ := qa.SplitEpisodeID(name)
		i, known := at[uuid]
		if !known {
			i = len(groups)
			at[uuid], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], name)
	}
	return groups
}

// readTable reads all episodes into the table, and writes their encoded rows into the spool.
func (w *writer) readTable(title string, to depth) error {
	for list, err := range w.read(title, to) {
		if err != nil {
			return err
		}
		for _, x := range list {
			if err := w.spool.add(x); err != nil {
				return err
			}
			x.rec = nil
		}
		w.table = append(w.table, list...)
	}
	return nil
}

// examine decides about an episode as far as no other one matters, and makes its rows. Calls may overlap.
func (w *writer) examine(x *entry, to depth) {
	if x.reason, x.detail = w.check(x.candidate()); x.reason != "" {
		return
	}
	for i := range x.rec.Steps {
		_, fault, acts := qa.ActionResult(x.rec.Steps, i)
		if acts {
			x.actions++
		}
		if fault != "" {
			x.faults++
		}
	}
	if to == readOnly {
		return
	}
	var rows []train.Row
	if w.Whole {
		one, dropped, ok := x.Whole(*x.rec, w.RowOptions)
		if x.dropped = dropped; ok {
			rows = append(rows, one)
		}
	} else {
		rows, x.dropped = x.Rows(*x.rec, w.RowOptions)
	}
	for i, d := range x.dropped {
		x.dropped[i].Detail = strings.Clone(d.Detail) // it would keep the whole observation
	}
	m := w.making(x)
	for _, one := range rows {
		row := m.row(&one, nil)
		if to == encodeRows && row.fit.reason == "" {
			m.encode(row, one, nil)
		}
		x.rows = append(x.rows, row)
	}
}

// check returns the reason against an episode. Labelled turns are of right and of wrong episodes alike.
func (w *writer) check(e train.Episode) (reason train.Reason, detail string) {
	if w.Format != KTO {
		return w.selector.Check(e)
	}
	if e.Class() == train.Wrong {
		return w.rejects.Check(e)
	}
	if reason, detail = w.selector.Check(e); reason == "" {
		reason = e.Class() // an included episode without a verdict
	}
	return reason, detail
}

// making makes the rows of one episode. Messages recur from row to row, so that each is redacted, prepared and encoded
// once.
type making struct {
	*writer
	x       *entry
	scope   *train.EpisodeRedactor
	texts   *texts
	rows    format.Rows
	columns []format.Column
	label   *bool
}

func (w *writer) making(x *entry) *making {
	m := &making{
		writer: w, x: x, scope: w.redactor.Episode(x.rec.Messages),
		texts: &texts{commands: w.special, changed: make(map[string]int)},
		rows:  format.Rows{Undecided: true, Whole: w.Whole},
	}
	if w.Columns {
		m.columns = x.columns(w.rates)
	}
	if w.Format == KTO {
		m.label = new(x.class == "")
	}
	for _, enc := range encoders(w.Format) {
		if enc.form == OpenAI && x.imageErr == nil { // it has images in its lines
			x.imageErr = x.LoadImages(x.rec)
		}
	}
	return m
}

// redactRow redacts the messages of a row. Its context must not be shared.
func redactRow(scope *train.EpisodeRedactor, row *train.Row) {
	for i, message := range row.Context {
		row.Context[i] = scope.Message(message)
	}
	row.Target = scope.Message(row.Target)
}

// row redacts a row and returns what decides about it; against is the rejected side of a pair, redacted.
func (m *making) row(one, against *train.Row) *row {
	m.scope.Found = nil
	redactRow(m.scope, one)
	r := &row{
		id: one.ID, turn: one.Turn, trains: one.Trained(), earlier: len(one.History), errors: one.Errors,
		content: contentOf(one, against), features: m.featuresOf(one), private: m.scope.Found,
	}
	if against != nil {
		r.features |= m.featuresOf(against)
		r.rejected = against.ID
	}
	for _, im := range imagesOf(one.Context) {
		r.images = append(r.images, im.SHA256)
	}
	if m.fitter != nil {
		r.fit = m.fitter.fit(m.texts, one, against)
	}
	return r
}

func (m *making) encode(row *row, one train.Row, against *train.Row) {
	one.Context = shortened(one.Context, row.fit.cuts)
	row.start = int64(len(m.x.lines))
	for i, enc := range encoders(m.Format) {
		clear(m.texts.changed)
		c := m.texts.conversation(enc.form, &one, against)
		c.Columns = m.columns
		if m.label != nil {
			name := "label"
			if enc.form == ShareGPT {
				name = "kto_tag"
			}
			c.Columns = append([]format.Column{{Name: name, Value: strconv.FormatBool(*m.label)}}, m.columns...)
		}
		m.x.lines = append(m.rows.Append(m.x.lines, enc.form, c), '\n')
		row.ends = append(row.ends, len(m.x.lines)-int(row.start))
		if i == 0 && len(m.texts.changed) > 0 { // counted once
			row.changed = make(map[string]int)
			add(row.changed, m.texts.changed)
		}
	}
}

func (x *entry) columns(rates train.PassRates) []format.Column {
	score := float64(train.NoScore)
	if s := x.score(); s != nil && s.Verdict != qa.Unscored {
		score = s.Value
	}
	return []format.Column{
		{Name: "score", Value: fraction(score)},
		{Name: "pass_rate", Value: fraction(rates.Of(x.repeats(x.uuid)))},
		{Name: "turns", Value: strconv.Itoa(len(x.turns))},
		{Name: "tokens", Value: strconv.Itoa(x.tokens)},
		{Name: "repeat", Value: strconv.Itoa(x.repeat)},
	}
}

// fraction returns a number as JSON that no reader takes for an integer: a column has one type.
func fraction(x float64) string {
	raw, err := json.Marshal(x)
	if err != nil {
		return strconv.Itoa(train.NoScore) + ".0" // no number
	}
	if s := string(raw); strings.ContainsAny(s, ".e") {
		return s
	}
	return string(raw) + ".0"
}

const imageFeature = 1

func (w *writer) featuresOf(row *train.Row) (set uint64) {
	for _, t := range row.Tools {
		set |= w.features["tool "+t.Name]
	}
	message := func(m *qa.Message, call string) {
		if len(m.Images) > 0 {
			set |= imageFeature
		}
		if m.Role == qa.ToolResult {
			set |= w.features["result"]
		}
		if len(m.ToolCalls) > 0 {
			set |= w.features[call]
		}
	}
	for i := range row.Context {
		message(&row.Context[i], "call")
	}
	message(&row.Target, "call to train")
	return set
}

// ending is how an episode ended and was scored.
type ending struct{ outcome, verdict string }

func (x *entry) ending() ending {
	end := ending{cmp.Or(string(x.outcome), "unfinished"), "not scored"}
	if s := x.score(); s != nil {
		end.verdict = string(s.Verdict)
	}
	return end
}
