package batch

import (
	"bytes"
	"cmp"
	"errors"
	"hash/maphash"
	"iter"
	"maps"
	"slices"

	"airqa/qa"
	"airqa/qa/dataset"
)

// NoPrediction is the reason of a question that was not answered.
const NoPrediction = "no prediction"

// ErrNoPair says that no prediction belongs to any question: the files are of different benchmarks.
var ErrNoPair = errors.New("no prediction belongs to any question")

// errStopped says that whoever reads the stream has had enough.
var errStopped = errors.New("stopped")

// pairing walks over questions and predictions side by side. What meets its partner at once touches no map.
type pairing struct {
	questions feed[goldBlock, goldLine]
	answers   feed[predictionBlock, prediction]
	report    *Report
	yield     func(Item, error) bool

	next    int // index of the next question
	waiting map[string]*question
	early   map[string][]prediction // answers whose question has not come
	// known holds digests of the uuids of all questions so far. Two of a million have the same with a probability of
	// 3 in 100 million.
	known  map[uint64]struct{}
	seed   maphash.Seed
	preds  string // file of the predictions, for faults
	closed bool   // all predictions were read
}

// question is a gold without an answer, or with answers that have a repeat.
type question struct {
	goldLine
	index   int
	repeats map[int]struct{}
}

// pairUp yields an item for each answer with its question, and for each question without an answer.
func pairUp(questions iter.Seq2[goldBlock, error], answers iter.Seq2[predictionBlock, error], report *Report, yield func(Item, error) bool) error {
	p := pairing{
		report: report, yield: yield, seed: maphash.MakeSeed(),
		waiting: make(map[string]*question), early: make(map[string][]prediction), known: make(map[uint64]struct{}),
	}
	p.questions.take = func(b goldBlock) []goldLine {
		for _, f := range b.faults {
			report.Golds.add(f)
		}
		return b.golds
	}
	p.answers.take = func(b predictionBlock) []prediction {
		p.preds = b.file
		for _, f := range b.faults {
			report.Unreadable.add(f)
		}
		report.Predictions += len(b.predictions)
		return b.predictions
	}
	var stop func()
	p.questions.pull, stop = iter.Pull2(questions)
	defer stop()
	p.answers.pull, stop = iter.Pull2(answers)
	defer stop()
	if err := p.run(); !errors.Is(err, errStopped) {
		return err
	}
	return nil
}

// feed hands out the elements of blocks one by one.
type feed[B, T any] struct {
	pull func() (B, error, bool)
	take func(B) []T
	list []T
	over bool
}

// next returns the next element; ok is false when there is none.
func (f *feed[B, T]) next() (v T, ok bool, err error) {
	for len(f.list) == 0 {
		if f.over {
			return v, false, nil
		}
		block, err, open := f.pull()
		if err != nil {
			return v, false, err
		}
		if f.over = !open; open {
			f.list = f.take(block)
		}
	}
	v, f.list = f.list[0], f.list[1:]
	return v, true, nil
}

func (p *pairing) run() error {
	for {
		gold, haveGold, err := p.nextQuestion()
		if err != nil {
			return err
		}
		answer, haveAnswer, err := p.answers.next()
		if err != nil {
			return err
		}
		p.closed = !haveAnswer
		switch {
		case !haveGold && !haveAnswer:
			return p.finish()
		case haveGold && haveAnswer && p.match(gold, answer):
			err = p.pair(gold.gold, answer, place{index: p.next - 1})
		default:
			err = p.apart(gold, haveGold, answer, haveAnswer)
		}
		if err != nil {
			return err
		}
	}
}

// nextQuestion returns the next question that was not there before.
func (p *pairing) nextQuestion() (goldLine, bool, error) {
	for {
		g, ok, err := p.questions.next()
		if err != nil || !ok {
			return g, false, err
		}
		digest := maphash.String(p.seed, g.gold.uuid)
		if _, twice := p.known[digest]; !twice {
			p.known[digest] = struct{}{}
			p.next++
			p.report.Questions++
			return g, true, nil
		}
		p.report.Golds.add(&dataset.Fault{File: g.file, Line: g.line, UUID: g.gold.uuid, Text: "the same uuid stood before; this one is left out"})
	}
}

// match tells whether the answer is the one and only of the question.
func (p *pairing) match(g goldLine, a prediction) bool {
	if a.repeat != noRepeat || string(a.uuid) != g.gold.uuid {
		return false
	}
	_, earlier := p.early[g.gold.uuid]
	return !earlier
}

// apart takes a question and an answer that do not belong together; either may be missing.
func (p *pairing) apart(gold goldLine, haveGold bool, answer prediction, haveAnswer bool) error {
	if haveGold {
		if err := p.addQuestion(&question{goldLine: gold, index: p.next - 1}); err != nil {
			return err
		}
	}
	if haveAnswer {
		return p.addAnswer(answer)
	}
	return nil
}

func (p *pairing) addQuestion(q *question) error {
	uuid := q.gold.uuid
	p.waiting[uuid] = q
	early := p.early[uuid]
	delete(p.early, uuid)
	for _, a := range early {
		if err := p.addAnswer(a); err != nil {
			return err
		}
	}
	// As long as nothing was paired there may be nothing to yield but an error.
	if p.closed && len(early) == 0 && p.report.Paired > 0 {
		delete(p.waiting, uuid)
		return p.missing(q)
	}
	return nil
}

// addAnswer gives an answer to its question if that is here.
func (p *pairing) addAnswer(a prediction) error {
	if q, here := p.waiting[string(a.uuid)]; here {
		return p.answer(q, a)
	}
	if _, gone := p.known[maphash.Bytes(p.seed, a.uuid)]; gone {
		p.report.Twice.add(p.fault(a, "a second prediction for "+string(a.uuid)))
		return nil
	}
	if p.questions.over {
		p.unknown(a)
		return nil
	}
	// The texts are parts of a block, which would be kept whole.
	a.uuid, a.answer = bytes.Clone(a.uuid), bytes.Clone(a.answer)
	p.early[string(a.uuid)] = append(p.early[string(a.uuid)], a)
	return nil
}

// answer gives an answer to a question that is here.
func (p *pairing) answer(q *question, a prediction) error {
	if a.repeat == noRepeat {
		if len(q.repeats) > 0 {
			p.report.Twice.add(p.fault(a, "a prediction without repeat beside those with one for "+q.gold.uuid))
			return nil
		}
		delete(p.waiting, q.gold.uuid)
		return p.pair(q.gold, a, place{index: q.index})
	}
	if _, twice := q.repeats[a.repeat]; twice {
		p.report.Twice.add(p.fault(a, "a second prediction of the same repeat for "+q.gold.uuid))
		return nil
	}
	if q.repeats == nil {
		q.repeats = make(map[int]struct{})
	}
	q.repeats[a.repeat] = struct{}{}
	return p.pair(q.gold, a, place{index: q.index, open: true})
}

// pair yields an answer with its question.
func (p *pairing) pair(g *Gold, a prediction, at place) error {
	p.report.Paired++
	return p.emit(Item{Gold: g, Repeat: max(a.repeat, 0), raw: a.answer, place: at})
}

func (p *pairing) emit(item Item) error {
	if !p.yield(item, nil) {
		return errStopped
	}
	return nil
}

// missing yields a question that has no answer.
func (p *pairing) missing(q *question) error {
	p.report.Missing.add(&dataset.Fault{File: q.file, Line: q.line, Loaded: true, Text: "no prediction for " + q.gold.uuid})
	return p.emit(Item{Gold: q.gold, Verdict: qa.Wrong, Reason: NoPrediction, place: place{index: q.index}})
}

func (p *pairing) unknown(a prediction) {
	p.report.Unknown.add(p.fault(a, "there is no question "+string(a.uuid)))
}

func (p *pairing) fault(a prediction, text string) *dataset.Fault {
	return &dataset.Fault{File: p.preds, Line: a.line, Text: text}
}

// finish settles what is left when both files were read.
func (p *pairing) finish() error {
	left := slices.Concat(slices.Collect(maps.Values(p.early))...)
	slices.SortFunc(left, func(a, b prediction) int { return cmp.Compare(a.line, b.line) })
	for _, a := range left {
		p.unknown(a)
	}
	if p.report.Paired == 0 {
		return ErrNoPair
	}
	rest := slices.SortedFunc(maps.Values(p.waiting), func(a, b *question) int { return cmp.Compare(a.index, b.index) })
	for _, q := range rest {
		if len(q.repeats) > 0 {
			continue
		}
		if err := p.missing(q); err != nil {
			return err
		}
	}
	return nil
}
