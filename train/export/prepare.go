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

	"airqa/eval/author"
	"airqa/internal/files"
	"airqa/internal/ledger"
	"airqa/qa"
	"airqa/train/curate"
	"airqa/train/preflight"
)

// drawn are the rows of the episodes that [Rules] drew, and the splits of all episodes.
type drawn struct {
	ids      *curate.IDs
	division curate.Division
}

// draw plans the export of all episodes and draws from it, so that rows and splits of a larger number are the same.
func (w *writer) draw() (err error) {
	if w.Episodes == 0 {
		return nil
	}
	all := *w
	all.Notify = nil
	if err := all.makePlan(); err != nil {
		return err
	}
	w.folder.files = nil // they are written again
	list := all.plan.episodes
	order := func(e plannedEpisode) string { // episodes of the other splits are first: they do not count
		if e.split != Train {
			return ""
		}
		return files.Hash(fmt.Appendf(nil, "%d %s", w.Seed, e.rows[0].id))
	}
	slices.SortStableFunc(list, func(a, b plannedEpisode) int { return cmp.Compare(order(a), order(b)) })
	train := max(0, slices.IndexFunc(list, func(e plannedEpisode) bool { return e.split == Train }))
	if len(list)-train < w.Episodes {
		return qa.Usagef("%d episodes for training: only %d have rows", w.Episodes, len(list)-train)
	}
	var ids strings.Builder
	for _, e := range list[:train+w.Episodes] {
		for _, row := range e.rows {
			ids.WriteString(row.id + "\n")
		}
	}
	w.drawn = &drawn{division: all.plan.division}
	w.drawn.ids, err = curate.ReadIDs(strings.NewReader(ids.String()))
	return err
}

// makePlan decides about every turn and writes dropped.jsonl.
func (w *writer) makePlan() (err error) {
	p := &planner{
		Config: w.Config, sources: w.sources, copies: make(map[string]copied), repeats: make(map[string]bool),
		near: curate.NewDuplicates(), features: newFeatures(),
		plan: plan{tally: newTally(), rates: w.rates(), copied: make(map[string]bool)},
	}
	for _, s := range w.sources {
		p.plan.tally.run(s)
		p.repeats[s.ID] = s.Repeats
		p.anyRepeats = p.anyRepeats || s.Repeats
	}
	if err := p.prepare(); err != nil {
		return err
	}
	if p.drops, err = w.folder.create(DroppedFile); err != nil {
		return err
	}
	if err := errors.Join(p.decide(), p.drops.Close()); err != nil {
		return err
	}
	if p.ids != nil {
		for _, id := range p.ids.Missing() {
			w.Notify.Warnf("id %s is not among the turns of these runs", id)
		}
	}
	if len(p.plan.episodes) == 0 {
		if w.Format == DPO {
			return noPairs(&p.plan.tally)
		}
		return fmt.Errorf("no row is left: %s", p.plan.tally.reasons())
	}
	p.warn()
	if err := p.divide(); err != nil {
		return err
	}
	w.plan, w.fitter = p.plan, p.fitter
	return nil
}

// warn warns of rows that are of little use to the trainer.
func (p *planner) warn() {
	if p.fitter != nil {
		p.fitter.warn(p.Format, p.Notify)
	}
	if right, wrong := p.plan.tally.labels(); p.Format == KTO && (right == 0 || wrong == 0) {
		p.Notify.Warnf("%d rows are of right episodes and %d of wrong ones: KTO needs both", right, wrong)
	}
}

// prepare reads the files that rules name.
func (p *planner) prepare() (err error) {
	if p.selector, err = curate.NewSelector(p.Filter); err != nil {
		return err
	}
	wrong := p.Filter
	wrong.Include = append(wrong.Include[:len(wrong.Include):len(wrong.Include)], string(curate.Wrong))
	wrong.MinScore = nil
	if p.rejects, err = curate.NewSelector(wrong); err != nil {
		return err
	}
	if p.ids, err = idsOf(p.IDs); err != nil {
		return err
	}
	if p.drawn != nil {
		p.ids = p.drawn.ids
	}
	counter, err := preflight.New(preflight.Config{Template: p.Template, Tokenizer: p.Tokenizer})
	if err != nil {
		return err
	}
	p.plan.commands = counter.Special(commands...)
	if p.CutoffLen > 0 {
		p.fitter = &fitter{Limit: p.Limit, counter: counter}
	}
	for _, dir := range p.Against {
		if err := p.addEarlier(dir); err != nil {
			return fmt.Errorf("earlier export: %w", err)
		}
	}
	return p.findLeaks()
}

// addEarlier adds the questions of an earlier export to those that must not be repeated.
func (p *planner) addEarlier(dir string) error {
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

// decide decides about every turn.
func (p *planner) decide() error {
	if err := p.survey(); err != nil {
		return err
	}
	if p.Format != DPO {
		return p.each(p.consider)
	}
	if err := p.each(p.pair); err != nil {
		return err
	}
	return p.pair(nil)
}

// names lists the episodes of a source: by question for preference pairs, otherwise in the order of the log.
func (p *planner) names(s *source) []string {
	if p.Format != DPO {
		return s.UUIDs()
	}
	byQuestion := make(map[string][]string)
	var order []string
	for _, name := range s.UUIDs() {
		uuid, _ := qa.SplitEpisodeID(name)
		if byQuestion[uuid] == nil {
			order = append(order, uuid)
		}
		byQuestion[uuid] = append(byQuestion[uuid], name)
	}
	var names []string
	for _, uuid := range order {
		names = append(names, byQuestion[uuid]...)
	}
	return names
}

// ErrLeaks is returned with [LeakFail] if questions have a counterpart in the benchmark.
var ErrLeaks = errors.New("leaked questions")

// findLeaks compares the questions of all sources with a benchmark.
func (p *planner) findLeaks() error {
	if p.Leaks == "" {
		return nil
	}
	benchmark, err := author.Load(p.Leaks, author.Options{})
	if err != nil {
		return fmt.Errorf("leaks: %w", err)
	}
	leaks := make(curate.Leaks)
	for _, ex := range benchmark.Examples() {
		leaks.Add(ex)
	}
	p.leaks = make(map[string]curate.LeakMatch)
	for _, s := range p.sources {
		for _, ex := range s.questions {
			if m, leaked := leaks.Find(ex); leaked && p.leaks[ex.UUID] == (curate.LeakMatch{}) {
				p.Notify.Notef("%s: %s", m.UUID, m)
				p.leaks[m.UUID] = m
			}
		}
	}
	if len(p.leaks) > 0 && p.Leak == LeakFail {
		return fmt.Errorf("%w: %d questions are also in %s", ErrLeaks, len(p.leaks), p.Leaks)
	}
	return nil
}
