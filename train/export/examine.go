package export

import (
	"iter"
	"slices"

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

func (p *planner) scales() scales { return scales{p, newContents(), p.plan.textsOfEpisode()} }

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
