package export

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"airqa/internal/files"
	"airqa/internal/ledger"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/train"
	"airqa/train/format"
)

// Reasons of this package besides those of its formats. Package train has the others.
const (
	// Damaged is the reason for turns of an episode that cannot be read completely.
	Damaged train.Reason = "damaged"
	// RightTurn is the reason for turns of wrong episodes that a right one took as well: as a row of either label they
	// would contradict each other.
	RightTurn train.Reason = "right_turn"
)

// plan is what an export contains, decided from the table in the order of runs and logs.
type plan struct {
	*writer
	tally
	// drops is dropped.jsonl, and Notify gets the warnings. A plan that is only drawn from has neither.
	drops  *file
	Notify terminal.Notify
	kept   []kept
	// shape is what the rows have in common, schemas are the types of rows by encoder.
	shape    format.Rows
	schemas  []schema
	division train.Division

	selector *train.Selector
	ids      *train.IDs
	near     *train.Duplicates
	// seen are the ids of rows by content.
	seen map[contentHash]string
	// beaten are the right episodes that are not among the best of their question, with their places.
	beaten map[string]string
	// right are the turns of right episodes, by content, with their ids. It is empty unless rows are labelled.
	right map[contentHash]string
	// copies are the rows that others may repeat, copied the turns that are rows of another run.
	copies map[copyKey]copied
	copied map[string]bool
}

type kept struct {
	*entry
	split Split
	rows  []*row
}

// copyKey is what a turn has in common with its copy in a fork, or in a run with --cache RUN: the same turn of the same
// repeat of a question, with the same content.
type copyKey struct {
	uuid         string
	repeat, turn int
	content      contentHash
}

type copied struct {
	id      string
	repeats bool
}

// newPlan returns a plan without rows. ids are the rows to export; nil means all.
func (w *writer) newPlan(ids *train.IDs) (*plan, error) {
	p := &plan{
		writer: w, ids: ids, near: train.NewDuplicates(),
		seen: make(map[contentHash]string), copies: make(map[copyKey]copied), copied: make(map[string]bool),
		tally: tally{
			byRun: make(map[string]*group), endings: make(map[ending]*group), dropped: make(map[train.Reason]int),
			papers: make(map[string]bool), questions: make(map[string]bool), tags: make(map[string]int),
			changed: make(map[string]int), private: make(train.Redactions),
		},
	}
	for _, s := range w.sources {
		r := &group{source: s}
		p.runs, p.byRun[s.ID] = append(p.runs, r), r
	}
	var err error
	if p.selector, err = train.NewSelector(w.Filter); err != nil {
		return nil, err
	}
	for _, dir := range w.Against {
		if err := p.addEarlier(dir); err != nil {
			return nil, fmt.Errorf("earlier export: %w", err)
		}
	}
	return p, nil
}

// addEarlier adds the questions of an earlier export to those that must not be repeated.
func (p *plan) addEarlier(dir string) error {
	name := filepath.Join(dir, QuestionsFile)
	raw, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	number := 0
	for line := range bytes.Lines(raw) {
		number++
		var q question
		if err := ledger.Strict(line, &q); err != nil {
			return fmt.Errorf("%s:%d: %w", name, number, err)
		}
		p.near.Add(baseName(dir)+": "+q.UUID, q.Question, q.Evaluator.Func)
	}
	return nil
}

// draw plans the export of all episodes and returns a plan for those that [Config] draws from it, with the same splits: the
// rows of a larger number include those of a smaller one.
func (p *plan) draw() (*plan, error) {
	if err := p.decide(); err != nil {
		return nil, err
	}
	order := func(k kept) string { // episodes of the other splits are first: they do not count
		if k.split != Train {
			return ""
		}
		return files.Hash(fmt.Appendf(nil, "%d %s", p.SplitSeed, k.rows[0].id))
	}
	slices.SortStableFunc(p.kept, func(a, b kept) int { return cmp.Compare(order(a), order(b)) })
	first := max(0, slices.IndexFunc(p.kept, func(k kept) bool { return k.split == Train }))
	if len(p.kept)-first < p.Draw {
		return nil, qa.Usagef("%d episodes for training: only %d have rows", p.Draw, len(p.kept)-first)
	}
	var list strings.Builder
	for _, k := range p.kept[:first+p.Draw] {
		for _, row := range k.rows {
			list.WriteString(row.id + "\n")
		}
	}
	ids, err := train.ReadIDs(strings.NewReader(list.String()))
	if err != nil {
		return nil, err
	}
	drawn, err := p.newPlan(ids)
	if err == nil {
		drawn.division = p.division
	}
	return drawn, err
}

func (p *plan) decide() error {
	p.survey()
	for _, x := range p.table {
		if err := p.consider(x); err != nil {
			return err
		}
	}
	return p.divide()
}

// survey finds what decides about an episode and depends on all repeats of its question.
func (p *plan) survey() {
	labelled := p.Format == KTO && p.Repeated != KeepAll
	if p.BestOf == 0 && !labelled {
		return
	}
	p.right = make(map[contentHash]string)
	var list []train.Ranked
	for _, x := range p.table {
		if !x.right() {
			continue
		}
		if labelled {
			for _, row := range x.rows {
				if p.right[row.content] == "" {
					p.right[row.content] = row.id
				}
			}
		}
		if one, usable := p.ranked(x); usable {
			list = append(list, one)
		}
	}
	if p.BestOf > 0 {
		p.beaten = train.Beaten(list, p.BestOf)
	}
}

// ranked returns a right episode as it is compared with others; usable is false if it has no row to export.
func (p *plan) ranked(x *entry) (one train.Ranked, usable bool) {
	var content bytes.Buffer
	for _, row := range x.rows {
		content.Write(row.content[:])
		usable = usable || row.fit.reason == "" && p.lists(x, row)
	}
	if p.Repeated == KeepAll {
		content.WriteString(x.key()) // equal episodes are kept, and each has its place
	}
	return train.Ranked{
		Repeats: x.repeats(x.uuid), ID: x.key(), Score: x.score(), Turns: len(x.turns), Tokens: x.tokens, Content: content.String(),
	}, usable
}

// consider decides about the turns of an episode.
func (p *plan) consider(x *entry) error {
	if x.err != nil {
		p.Notify.Warnf("%s: %v (this episode is left out)", x.Dir, x.err)
		p.count(x, false)
		return p.drop(x.turns, Damaged, x.err.Error())
	}
	reason, detail := x.reason, x.detail
	if reason == "" {
		reason, detail = p.questionReason(x)
	}
	p.count(x, reason == "")
	if reason != "" {
		return p.drop(x.turns, reason, detail)
	}
	if err := p.dropAll(x.dropped); err != nil {
		return err
	}
	rows, err := p.listed(x, x.rows)
	if err == nil && x.class != "" {
		rows, err = p.without(rows, RightTurn, func(row *row) (string, bool) {
			right, known := p.right[row.content]
			return right, known
		})
	}
	if err != nil || len(rows) == 0 {
		return err
	}
	if reason, detail := p.selector.Admit(x.example()); reason != "" {
		for _, row := range rows {
			err = errors.Join(err, p.drop(row.trains, reason, detail))
		}
		return err
	}
	return p.keep(x, rows)
}

// keep adds the rows of an episode to the plan that nothing else is against.
func (p *plan) keep(x *entry, rows []*row) error {
	k := kept{entry: x}
	for _, row := range rows {
		if ok, err := p.accept(x, row); err != nil {
			return err
		} else if ok {
			k.rows = append(k.rows, row)
		}
	}
	if len(k.rows) > 0 {
		p.kept = append(p.kept, k)
		p.tally.keep(x, k.rows)
	}
	return nil
}

// questionReason returns why no turn of a selected episode is exported: a reason in its question or in other repeats.
func (p *plan) questionReason(x *entry) (train.Reason, string) {
	if reason, detail := p.selector.CheckRate(p.rates.Of(x.repeats(x.uuid))); reason != "" {
		return reason, detail
	}
	if place := p.beaten[x.key()]; place != "" {
		return train.NotBest, place
	}
	if match, ok := p.leaks[x.uuid]; ok && p.Leak == LeakDrop {
		return train.Leak, match.String()
	}
	if p.Repeated == DropNear {
		ex := x.example()
		if m := p.near.Add(x.uuid, ex.Question, ex.Evaluator.Func); m.Reason != "" {
			return m.Reason, m.String()
		}
	}
	return "", ""
}

// listed drops the rows that the file of ids does not name.
func (p *plan) listed(x *entry, rows []*row) ([]*row, error) {
	return p.without(rows, train.NotListed, func(row *row) (string, bool) { return "", !p.lists(x, row) })
}

// without drops rows for a reason, and returns the others.
func (p *plan) without(rows []*row, reason train.Reason, against func(*row) (detail string, drop bool)) (left []*row, err error) {
	for _, row := range rows {
		detail, drop := against(row)
		if !drop {
			left = append(left, row)
			continue
		}
		if err := p.drop(row.trains, reason, detail); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// lists reports whether the file of ids names a row: itself, one of its turns, its whole episode, or its question.
func (p *plan) lists(x *entry, row *row) bool {
	return p.ids == nil || p.ids.Has(slices.Concat(row.trains, []string{train.RowID(x.ID, x.uuid, x.repeat, 0), x.name, x.uuid})...)
}

// accept decides about a row of a selected episode.
func (p *plan) accept(x *entry, row *row) (bool, error) {
	if p.anyRepeats {
		key := copyKey{x.uuid, x.repeat, row.turn, row.content}
		if first, again := p.copies[key]; again && (x.Repeats || first.repeats) {
			p.copied[row.id] = true
			return false, p.drop(row.trains, train.CopiedTurn, first.id)
		}
		p.copies[key] = copied{row.id, x.Repeats}
	}
	if p.Repeated != KeepAll {
		if first := p.seen[row.content]; first != "" {
			return false, p.drop(row.trains, train.Duplicate, first)
		}
		p.seen[row.content] = row.id
	}
	if row.fit.reason != "" {
		return false, p.drop(row.trains, row.fit.reason, row.fit.detail)
	}
	if p.fitter != nil {
		p.measured.add(row.fit, p.fitter.whole(row.fit.size))
	}
	return true, nil
}

// drop records turns that are left out for one reason.
func (p *plan) drop(ids []string, reason train.Reason, detail string) error {
	for _, id := range ids {
		if err := p.dropAll([]train.Drop{{ID: id, Reason: reason, Detail: detail}}); err != nil {
			return err
		}
	}
	return nil
}

func (p *plan) dropAll(list []train.Drop) error {
	for _, d := range list {
		p.dropped[d.Reason]++
		if p.drops == nil {
			continue
		}
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

// divide assigns the episodes to splits, of which a plan from a drawing has them already. There must be a row.
func (p *plan) divide() error {
	if err := p.warn(); err != nil {
		return err
	}
	splits, err := train.Shares(p.Split)
	if err != nil {
		return err
	}
	if p.division.Of == nil {
		s := train.NewSplitter()
		for _, k := range p.kept {
			s.Add(k.uuid, k.example().Papers(), len(k.rows))
		}
		p.division = s.Divide(splits, p.SplitSeed)
	}
	p.division.Rows = make(map[string]int)
	for i := range p.kept {
		k := &p.kept[i]
		k.split = Split(p.division.Of[k.uuid])
		p.division.Rows[string(k.split)] += len(k.rows)
		p.shape.Tools = p.shape.Tools || len(k.Tools) > 0
		for _, row := range k.rows {
			p.shape.Images = p.shape.Images || row.features&imageFeature != 0
		}
	}
	for _, split := range splits {
		if p.division.Rows[split.Name] == 0 {
			p.Notify.Warnf("the split %s is empty: %s", split.Name, p.division)
		}
	}
	return nil
}

// warn warns of ids without rows, and of rows that are of little use to the trainer. The error is that there is none.
func (p *plan) warn() error {
	if p.ids != nil {
		for _, id := range p.ids.Missing() {
			p.Notify.Warnf("id %s is not among the turns of these runs", id)
		}
	}
	if len(p.kept) == 0 && p.Format == DPO {
		return fmt.Errorf("%w: %s\n  a pair needs a right and a wrong repeat of a question that differ first in a turn of the model",
			ErrNoPairs, p.reasons())
	}
	if len(p.kept) == 0 {
		return fmt.Errorf("no row is left: %s", p.reasons())
	}
	if p.fitter != nil {
		p.fitter.warn(p.Format, p.measured, p.Notify)
	}
	if right, wrong := p.labels(); p.Format == KTO && (right == 0 || wrong == 0) {
		p.Notify.Warnf("%d rows are of right episodes and %d of wrong ones: KTO needs both", right, wrong)
	}
	return nil
}
