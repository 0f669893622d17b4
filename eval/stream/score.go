package stream

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sync"

	"airqa/eval"
	"airqa/eval/judge"
	"airqa/internal/concurrent"
	"airqa/qa"
)

// Config configures a stream.
type Config struct {
	Scorer *eval.Scorer
	// Workers is the number of processors that decode and score; 0 means all.
	Workers int
	// Judges is the maximum number of answers that wait for a judge at once; 0 means 8.
	Judges int
	// Drain, once closed, ends the stream with [ErrDrained] after the answers already taken; nil never does.
	Drain <-chan struct{}
}

// ErrDrained means that a stream ended early because it was drained.
var ErrDrained = fmt.Errorf("scoring: %w", qa.ErrInterrupted)

func (c Config) withDefaults() Config {
	if c.Workers <= 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	if c.Judges <= 0 {
		c.Judges = 8
	}
	return c
}

// Gold is an evaluator parsed once for all answers to its question. It is immutable.
type Gold struct {
	uuid, function string
	judged         bool
	prepared       eval.Prepared
}

// NewGold parses an evaluator. A faulty one yields unscored results.
func NewGold(s *eval.Scorer, uuid string, e qa.Evaluator) *Gold {
	p := s.Prepare(e)
	return &Gold{uuid: uuid, function: e.Func, prepared: p, judged: p.Subjective()}
}

// Item is one answer to a question.
type Item struct {
	Gold   *Gold
	Repeat int
	Answer eval.Prediction
	// Verdict, if not empty, is the final result, with Reason and the value 0; nothing is scored. It is for missing
	// answers, except to functions that score them.
	Verdict qa.Verdict
	Reason  string

	place place // position of the score within a file
}

// ItemOf is the answer of an episode. No answer scores zero; an episode that failed through no fault of its own is
// unscored.
func ItemOf(gold *Gold, t qa.Trajectory) Item {
	i := Item{Gold: gold, Repeat: t.Repeat, Answer: eval.Answer(t.Answer)}
	switch {
	case t.Outcome.Failed():
		i.Verdict, i.Reason = qa.Unscored, string(t.Outcome)+": "+t.Reason
	case !t.Answer.Given:
		if i.Reason = "no answer (" + string(t.Outcome) + ")"; t.Reason == NoPrediction {
			i.Reason = NoPrediction
		}
		if gold == nil || !gold.prepared.Whole() {
			i.Verdict = qa.Wrong
		}
	}
	return i
}

// chunkSize is the number of answers that a processor takes at once.
const chunkSize = 128

// chunk is a batch of answers scored sequentially.
type chunk struct {
	items  []Item
	judged bool
	scores []scored
}

// score stops where the scores are not wanted any more.
func (b *chunk) score(ctx context.Context, c Config) {
	b.scores = slices.Grow(b.scores, len(b.items))
	for i := 0; i < len(b.items) && ctx.Err() == nil && !c.isDrained(); i++ {
		b.scores = append(b.scores, scored{place: b.items[i].place, Score: b.items[i].Score(ctx)})
	}
}

// place is the position of a score within a file.
type place struct {
	index int  // index of the question
	open  bool // more answers to the question may follow
}

// scored is a score and its position.
type scored struct {
	qa.Score
	place place
}

// Score yields the scores of items in order. An error of items or the end of ctx ends the stream; a failed judge does
// not: its answer is unscored.
func Score(ctx context.Context, c Config, items iter.Seq2[Item, error]) iter.Seq2[qa.Score, error] {
	return func(yield func(qa.Score, error) bool) {
		for list, err := range scoreAll(ctx, c, items) {
			if err != nil {
				yield(qa.Score{}, err)
				return
			}
			for i := range list {
				if !yield(list[i].Score, nil) {
					return
				}
			}
		}
	}
}

// scoreAll scores by chunks and keeps the positions. A yielded list is valid until the next one.
func scoreAll(ctx context.Context, c Config, items iter.Seq2[Item, error]) iter.Seq2[[]scored, error] {
	c = c.withDefaults()
	processors, judges := make(chan struct{}, c.Workers), make(chan struct{}, c.Judges)
	work := func(ctx context.Context, b *chunk) *chunk {
		turn := processors
		if b.judged {
			turn = judges
		}
		select {
		case turn <- struct{}{}:
			b.score(ctx, c)
			<-turn
		case <-ctx.Done():
		}
		return b
	}
	return func(yield func([]scored, error) bool) {
		pool := sync.Pool{New: func() any { return &chunk{items: make([]Item, 0, chunkSize)} }}
		drained := false
		for b, err := range concurrent.MapWithin(ctx, 4*(c.Workers+c.Judges), c.chunks(items, &pool), work) {
			if err != nil {
				yield(nil, err)
				return
			}
			// Chunks in flight finish, but a judge may have been cancelled, so their scores are dropped.
			if drained = drained || c.isDrained(); !drained && !yield(b.scores, nil) {
				return
			}
			clear(b.items)
			clear(b.scores)
			b.items, b.scores, b.judged = b.items[:0], b.scores[:0], false
			pool.Put(b)
		}
		if drained {
			yield(nil, ErrDrained)
		}
	}
}

func (c Config) isDrained() bool {
	select {
	case <-c.Drain:
		return true
	default:
		return false
	}
}

// chunks groups consecutive items that need no judge; an item that does gets a chunk of its own. They end early once the
// stream is drained.
func (c Config) chunks(items iter.Seq2[Item, error], pool *sync.Pool) iter.Seq2[*chunk, error] {
	return func(yield func(*chunk, error) bool) {
		next := pool.Get().(*chunk)
		flush := func() (wanted bool) {
			full := next
			switch {
			case len(full.items) == 0:
				return true
			case c.isDrained():
				yield(nil, ErrDrained)
				return false
			}
			next = pool.Get().(*chunk)
			return yield(full, nil)
		}
		for item, err := range items {
			if err != nil {
				if flush() {
					yield(nil, err)
				}
				return
			}
			judged := item.Verdict == "" && item.Gold.judged
			if (judged || len(next.items) == chunkSize) && !flush() {
				return
			}
			next.items, next.judged = append(next.items, item), judged
			if judged && !flush() {
				return
			}
		}
		flush()
	}
}

// Score scores one answer.
func (item *Item) Score(ctx context.Context) qa.Score {
	s := qa.Score{Verdict: item.Verdict, Reason: item.Reason}
	if item.Verdict == "" {
		var votes *judge.Votes
		if item.Gold.judged {
			ctx, votes = judge.WithVotes(ctx)
		}
		s = item.Gold.prepared.Score(ctx, item.Answer)
		s.Votes = votes.List()
		s.Reason = cmp.Or(s.Reason, item.Reason)
	}
	s.UUID, s.Repeat, s.Func = item.Gold.uuid, item.Repeat, item.Gold.function
	return s
}
