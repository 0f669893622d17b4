package export

import (
	"fmt"

	"airqa/internal/inorder"
	"airqa/internal/ledger"
	"airqa/internal/terminal"
	"airqa/train/curate"
	"airqa/train/format"
	"airqa/train/preflight"
	"airqa/train/windows"
)

// Damaged is the reason for turns of an episode that cannot be read completely. The other reasons are those of packages
// windows and curate, and of this package's formats.
const Damaged windows.Reason = "damaged"

// plan is what an export will contain. It is made before anything but dropped.jsonl is written, since splits, the keys of
// rows and the first row depend on all rows.
type plan struct {
	episodes []plannedEpisode
	shape    format.Rows
	// schemas are the types of rows, by encoder.
	schemas  []schema
	tally    tally
	commands *preflight.Special
	division curate.Division
	// rates are the pass rates of all questions.
	rates curate.PassRates
	// copied has the turns of a fork, or a run with --cache-from, that are rows of another run.
	copied map[string]bool
}

// plannedEpisode is an episode with rows.
type plannedEpisode struct {
	source int
	name   string
	uuid   string
	split  Split
	rows   []plannedRow
}

// plannedRow is a row of an export.
type plannedRow struct {
	id   string
	turn int
	// earlier is the number of turns in the history of a whole episode, trained that of its trained turns.
	earlier, trained int
	// errors is the number of trained turns that are error actions.
	errors int
	// features are the keys that a row has and others may lack, see [features].
	features uint64
	// cuts are the shortened observations of a row that was too long.
	cuts []cut
	// against is the rejected turn of a preference pair.
	against *rejected
	// first marks rows at the beginning of a file, see [lead].
	first bool
}

// planner decides about every turn, in the order of runs and logs.
type planner struct {
	Config
	sources []*source
	// plan is what has been decided so far.
	plan  plan
	drops *file
	// selector checks episodes; rejects also lets wrong ones pass, for preference pairs.
	selector, rejects *curate.Selector
	ids               *curate.IDs
	leaks             map[string]curate.LeakMatch
	near              *curate.Duplicates
	seen              curate.Rows
	surveyed          surveyed
	copies            map[string]copied
	// repeats reports which runs repeat turns of others, by id; anyRepeats whether one does.
	repeats    map[string]bool
	anyRepeats bool
	features   features
	fitter     *fitter
	pairs      pairer
}

// each calls f for every episode of all sources, in order. Episodes are read and examined on all processors.
func (p *planner) each(f func(x *examined) error) error {
	done := 0
	stage := p.Progress.Stage("read episodes", p.total())
	defer func() { stage.Close(terminal.Plural(p.plan.tally.rows, "row")) }()
	for list, err := range inorder.Map(p.batches(), p.examineAll) {
		if err != nil {
			return err
		}
		for _, x := range list {
			done++
			stage.Set(done, p.sources[x.source].name)
			if err := p.take(x, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// total is the number of episodes of all sources.
func (p *planner) total() (n int) {
	for _, s := range p.sources {
		n += len(s.UUIDs())
	}
	return n
}

// take calls f for an episode that could be read.
func (p *planner) take(x *examined, f func(*examined) error) error {
	if x.err == nil {
		return f(x)
	}
	s := p.sources[x.source]
	p.Notify.Warnf("%s: %v (this episode is left out)", s.Dir, x.err)
	p.plan.tally.episode(x.e, false)
	return p.drop(s.Turns(x.e.Recorded), Damaged, x.err.Error())
}

// consider decides about the turns of an episode.
func (p *planner) consider(x *examined) error {
	e, reason, detail := x.e, x.reason, x.detail
	if reason == "" {
		reason, detail = p.questionReason(e)
	}
	p.plan.tally.episode(e, reason == "")
	if reason != "" {
		return p.drop(e.Run.Turns(e.Recorded), windows.Reason(reason), detail)
	}
	if err := p.dropAll(x.dropped); err != nil {
		return err
	}
	rows, err := p.eligible(e, x.rows)
	if err != nil || len(rows) == 0 {
		return err
	}
	if reason, detail := p.selector.Admit(e.Example); reason != "" {
		var ids []string
		for _, row := range rows {
			ids = append(ids, row.Trained()...)
		}
		return p.drop(ids, windows.Reason(reason), detail)
	}
	planned := plannedEpisode{source: x.source, name: e.Recorded.Episode, uuid: e.Recorded.UUID}
	for _, row := range rows {
		ok, err := p.accept(row)
		if err != nil {
			return err
		}
		if ok {
			planned.rows = append(planned.rows, plannedRow{
				id: row.ID, turn: row.Turn, earlier: len(row.History), trained: len(row.Trained()), errors: row.Errors, features: p.features.of(&row.Row),
				cuts: row.fit.cuts,
			})
		}
	}
	p.keep(e, planned)
	return nil
}

// keep adds an episode with at least one row to the plan.
func (p *planner) keep(e *Episode, planned plannedEpisode) {
	if len(planned.rows) == 0 {
		return
	}
	p.plan.episodes = append(p.plan.episodes, planned)
	p.plan.tally.keep(e, planned.rows)
}

// questionReason returns why no turn of a selected episode is exported: a reason in its question or in other repeats.
func (p *planner) questionReason(e *Episode) (curate.Reason, string) {
	if reason, detail := p.selector.CheckRate(p.plan.rates.Of(e.candidate().Repeats())); reason != "" {
		return reason, detail
	}
	if place := p.surveyed.beaten[e.key()]; place != "" {
		return curate.NotBest, place
	}
	if match, ok := p.leaks[e.Recorded.UUID]; ok && p.Leak == LeakDrop {
		return curate.Leak, match.String()
	}
	if p.Repeated == DropNear {
		if m := p.near.Add(e.Recorded.UUID, e.Example.Question, e.Example.Evaluator.Func); m.Reason != "" {
			return m.Reason, m.String()
		}
	}
	return "", ""
}

// eligible drops the rows that the file of ids does not name, and turns of wrong episodes that a right one took as well.
func (p *planner) eligible(e *Episode, rows []weighed) ([]weighed, error) {
	rows, err := p.listed(e, rows)
	if err != nil || e.candidate().Class() == "" {
		return rows, err
	}
	var kept []weighed
	for _, row := range rows {
		first := p.surveyed.right[string(row.content)]
		if first == "" {
			kept = append(kept, row)
			continue
		}
		if err := p.drop(row.Trained(), RightTurn, first); err != nil {
			return nil, err
		}
	}
	return kept, nil
}

// listed drops the rows that the file of ids does not name.
func (p *planner) listed(e *Episode, rows []weighed) ([]weighed, error) {
	if p.ids == nil {
		return rows, nil
	}
	var kept []weighed
	for _, row := range rows {
		if p.lists(e, row.Row) {
			kept = append(kept, row)
			continue
		}
		if err := p.drop(row.Trained(), windows.Reason(curate.NotListed), ""); err != nil {
			return nil, err
		}
	}
	return kept, nil
}

// lists reports whether the file of ids names a row: itself, one of its turns, its whole episode, or its question.
func (p *planner) lists(e *Episode, row windows.Row) bool {
	return p.ids.Has(append(row.Trained(), windows.RowID(row.Run, row.UUID, row.Repeat, 0), e.Recorded.Episode, row.UUID)...)
}

// accept decides about a row of a selected episode, with the rejected turn if it is a pair.
func (p *planner) accept(row weighed) (bool, error) {
	if first := p.copiedFrom(&row.Row, row.content); first != "" {
		p.plan.copied[row.ID] = true
		return false, p.drop(row.Trained(), windows.CopiedTurn, first)
	}
	if p.Repeated != KeepAll {
		if first, again := p.seen.Add(row.ID, row.content); again {
			return false, p.drop(row.Trained(), windows.Reason(curate.Duplicate), first)
		}
	}
	if row.fit.reason != "" {
		return false, p.drop(row.Trained(), row.fit.reason, row.fit.detail)
	}
	if p.fitter != nil {
		p.fitter.measured.add(row.fit, p.fitter.whole(row.fit.size))
	}
	return true, nil
}

// copied is a row whose turn others may repeat.
type copied struct {
	id      string
	repeats bool
}

// copiedFrom returns the row of which a row is a copy; "" for none. Copies are turns of a fork, or a run with
// --cache-from, and of its origin: the same turn of the same repeat of a question, with the same content.
func (p *planner) copiedFrom(row *windows.Row, content []byte) string {
	if !p.anyRepeats {
		return ""
	}
	key := fmt.Sprintf("%s\x00%d\x00%d\x00%s", row.UUID, row.Repeat, row.Turn, content)
	repeats := p.repeats[row.Run]
	if first, again := p.copies[key]; again && (repeats || first.repeats) {
		return first.id
	}
	p.copies[key] = copied{row.ID, repeats}
	return ""
}

// drop records turns that are left out for one reason.
func (p *planner) drop(ids []string, reason windows.Reason, detail string) error {
	list := make([]windows.Drop, len(ids))
	for i, id := range ids {
		list[i] = windows.Drop{ID: id, Reason: reason, Detail: detail}
	}
	return p.dropAll(list)
}

func (p *planner) dropAll(list []windows.Drop) error {
	for _, d := range list {
		p.plan.tally.dropped[d.Reason]++
		d.Detail = clean(d.Detail)
		line, err := ledger.Encode(d)
		if err != nil {
			return err
		}
		if _, err := p.drops.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// divide assigns the episodes to splits.
func (p *planner) divide() error {
	splits, err := curate.Shares(p.Split)
	if err != nil {
		return err
	}
	s := curate.NewSplitter()
	for _, e := range p.plan.episodes {
		s.Add(e.uuid, p.sources[e.source].examples[e.uuid].Papers(), len(e.rows))
	}
	if p.plan.division, err = s.Divide(splits, p.Seed); err != nil {
		return err
	}
	if p.drawn != nil {
		p.plan.division, p.plan.division.Rows = p.drawn.division, make(map[string]int)
	}
	for i := range p.plan.episodes {
		e := &p.plan.episodes[i]
		e.split = Split(p.plan.division.Of[e.uuid])
		if p.drawn != nil {
			p.plan.division.Rows[string(e.split)] += len(e.rows)
		}
	}
	for _, split := range splits {
		if p.plan.division.Rows[split.Name] == 0 && len(p.plan.episodes) > 0 {
			p.Notify.Warnf("the split %s is empty: %s", split.Name, p.plan.division)
		}
	}
	return nil
}
