package export

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"iter"
	"math/bits"
	"slices"

	"airqa/qa"
	"airqa/train/curate"
	"airqa/train/redact"
	"airqa/train/windows"
)

// examined is an episode with what does not depend on other episodes.
type examined struct {
	source int
	e      *Episode
	// err means that the episode could be read in part only.
	err error
	// reason against the episode by its own properties; empty for none.
	reason  curate.Reason
	detail  string
	rows    []weighed
	dropped []windows.Drop
}

// weighed is a row with what decides about it.
type weighed struct {
	windows.Row
	content []byte
	fit     fitted
}

// batch is some episodes of a source.
type batch struct {
	source int
	names  []string
}

// batchSize is the number of episodes that one goroutine reads: few, as all of them are in memory.
const batchSize = 4

// batches yields the episodes of all sources in order.
func (p *planner) batches() iter.Seq2[batch, error] {
	return func(yield func(batch, error) bool) {
		for i, s := range p.sources {
			for names := range slices.Chunk(p.names(s), batchSize) {
				if !yield(batch{i, names}, nil) {
					return
				}
			}
		}
	}
}

// examineAll reads and examines episodes, except for pairs, which need the other repeats. Calls may overlap.
func (p *planner) examineAll(b batch) []*examined { return p.readAll(b, p.Format != DPO) }

func (p *planner) readAll(b batch, examine bool) (list []*examined) {
	s := p.sources[b.source]
	for rec, err := range s.Episodes(b.names...) {
		x := &examined{source: b.source, e: s.episode(rec), err: err}
		if err == nil && examine {
			p.examine(x)
		}
		list = append(list, x)
	}
	return list
}

func (p *planner) examine(x *examined) {
	if x.reason, x.detail = p.check(x.e.candidate()); x.reason != "" {
		return
	}
	rows := p.rows(x)
	scope, w := p.scope(x.e), p.scales()
	for _, row := range rows {
		scope.row(&row)
		x.rows = append(x.rows, w.weigh(row, nil))
	}
}

// rows returns the rows of an episode, and records the turns that cannot be trained.
func (p *planner) rows(x *examined) (rows []windows.Row) {
	if !p.Whole {
		rows, x.dropped = x.e.Run.Rows(x.e.Recorded, p.Options)
		return rows
	}
	row, dropped, ok := x.e.Run.Whole(x.e.Recorded, p.Options)
	if x.dropped = dropped; ok {
		rows = append(rows, row)
	}
	return rows
}

// check returns the reason against an episode. Labelled turns are of right and of wrong episodes alike.
func (p *planner) check(e curate.Episode) (reason curate.Reason, detail string) {
	if p.Format != KTO {
		return p.selector.Check(e)
	}
	if e.Class() == curate.Wrong {
		return p.rejects.Check(e)
	}
	if reason, detail = p.selector.Check(e); reason == "" {
		reason = e.Class() // an included episode without a verdict
	}
	return reason, detail
}

// scales weighs the rows of one episode.
type scales struct {
	*planner
	contents *contents
	texts    *texts
}

func (p *planner) scales() scales {
	return scales{p, &contents{Hash: sha256.New(), long: make(map[string][sha256.Size]byte)}, p.plan.textsOfEpisode()}
}

// weigh returns a redacted row with what decides about it; against is the rejected side of a pair.
func (s scales) weigh(row windows.Row, against *windows.Row) weighed {
	w := weighed{Row: row, content: s.contents.of(&row, against)}
	if s.fitter != nil {
		w.fit = s.fitter.fit(s.texts, &row, against)
	}
	return w
}

// scope redacts the rows of one episode.
type scope struct{ *redact.Scope }

func (c Config) scope(e *Episode) scope { return scope{c.redactor.Scope(e.Recorded.Messages)} }

// row redacts the messages of a row. Its context must not be shared.
func (s scope) row(row *windows.Row) {
	for i, m := range row.Context {
		row.Context[i] = s.Message(m)
	}
	row.Target = s.Message(row.Target)
}

// contents identifies what rows train on: their messages and tools. It hashes a long text of an episode once, although
// it recurs from row to row.
type contents struct {
	hash.Hash
	long map[string][sha256.Size]byte
	// buffer avoids a copy of every text as bytes.
	buffer [4 << 10]byte
}

// of returns the content of a row, or of a pair.
func (c *contents) of(row, against *windows.Row) []byte {
	c.Reset()
	for _, m := range row.Context {
		c.message(m)
	}
	c.message(row.Target)
	if against != nil {
		c.message(against.Target)
	}
	for _, t := range row.Tools {
		c.text(t.Name)
		c.text(t.Description)
		c.text(string(t.Parameters))
	}
	return c.Sum(nil)
}

func (c *contents) message(m qa.Message) {
	c.text(string(m.Role))
	c.text(m.Text)
	for _, im := range m.Images {
		c.text(im.SHA256)
	}
	for _, call := range m.ToolCalls {
		c.text(call.Name)
		c.text(string(call.Arguments))
	}
}

// text adds a text with its length, so that no two lists of texts are alike. A long text is added as its hash.
func (c *contents) text(s string) {
	c.add(c, binary.LittleEndian.AppendUint64(c.buffer[:0], uint64(len(s))))
	if len(s) < keepFrom {
		c.add(c, append(c.buffer[:0], s...))
		return
	}
	sum, known := c.long[s]
	if !known {
		sum = c.sum(s)
		c.long[s] = sum
	}
	c.add(c, append(c.buffer[:0], sum[:]...))
}

func (c *contents) sum(s string) (sum [sha256.Size]byte) {
	h := sha256.New()
	for s != "" {
		n := copy(c.buffer[:], s)
		c.add(h, c.buffer[:n])
		s = s[n:]
	}
	h.Sum(sum[:0])
	return sum
}

func (*contents) add(h hash.Hash, data []byte) {
	_, _ = h.Write(data) // a hash never fails
}

// features numbers the keys that some rows of a file have and others lack. A reader of tables takes the columns from the
// first rows, so these must have all keys of the file between them.
type features struct{ number map[string]int }

// imageFeature is number 0.
const imageFeature = "images"

func newFeatures() features { return features{map[string]int{imageFeature: 0}} }

// of returns the features of a row as bits.
func (f *features) of(row *windows.Row) (set uint64) {
	add := func(name string) {
		n, known := f.number[name]
		if !known {
			if n = len(f.number); n == 64 {
				return
			}
			f.number[name] = n
		}
		set |= 1 << n
	}
	for _, t := range row.Tools {
		add("tool " + t.Name)
	}
	message := func(m *qa.Message, call string) {
		if len(m.Images) > 0 {
			add(imageFeature)
		}
		if m.Role == qa.ToolResult {
			add("result")
		}
		if len(m.ToolCalls) > 0 {
			add(call)
		}
	}
	for i := range row.Context {
		message(&row.Context[i], "call")
	}
	message(&row.Target, "call to train")
	return set
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
