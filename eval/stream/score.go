package stream

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"slices"
	"sync"

	"airqa/eval"
	"airqa/eval/judge"
	"airqa/qa"
)

// Config says by what answers are scored and how many at once.
type Config struct {
	Scorer *eval.Scorer
	// Workers is the number of processors that decode and score; 0 is all of them.
	Workers int
	// Judges is the most answers that wait for a judge at once; 0 is 8.
	Judges int
	// Drain ends the stream when it is closed, with [ErrDrained] after the answers that were taken before; nil never does.
	Drain <-chan struct{}
}

// ErrDrained says that a stream ended early because it was drained.
var ErrDrained = errors.New("drained")

const defaultJudges = 8

func (c Config) withDefaults() Config {
	if c.Workers <= 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	if c.Judges <= 0 {
		c.Judges = defaultJudges
	}
	return c
}

// Gold is an evaluator that was read once, for all answers to its question. It does not change.
type Gold struct {
	uuid, function string
	judged         bool
	prepared       eval.Prepared
}

// NewGold reads an evaluator. A fault of it shows in the scores: they are unscored.
func NewGold(s *eval.Scorer, uuid string, e qa.Evaluator) *Gold {
	p := s.Prepare(e)
	return &Gold{uuid: uuid, function: e.Func, prepared: p, judged: p.Subjective()}
}

// Item is one answer to a question.
type Item struct {
	Gold   *Gold
	Repeat int
	Answer eval.Prediction
	// Verdict, unless it is empty, is the result, with Reason and the value 0: nothing is scored. It is for answers
	// that were never given.
	Verdict qa.Verdict
	Reason  string

	place place // where the score belongs among those of a file
}

// chunkSize is how many answers a processor takes at once.
const chunkSize = 128

// chunk is a list of answers that are scored one after the other.
type chunk struct {
	items  []Item
	judged bool
	scores []scored
}

// chunkPool keeps chunks for reuse; those of one stream.
type chunkPool struct{ sync.Pool }

func (p *chunkPool) get() *chunk {
	if c, ok := p.Get().(*chunk); ok {
		return c
	}
	return &chunk{items: make([]Item, 0, chunkSize)}
}

// put takes back a chunk whose scores were delivered.
func (p *chunkPool) put(c *chunk) {
	clear(c.items)
	clear(c.scores)
	c.items, c.scores, c.judged = c.items[:0], c.scores[:0], false
	p.Put(c)
}

// place is where a score belongs among those of a file.
type place struct {
	index int  // of the question
	open  bool // further answers to the question may come
}

// scored is a score and where it belongs.
type scored struct {
	qa.Score
	place place
}

// Score yields the scores of items in their order. An error of items ends the stream, as does the end of ctx; a judge
// that fails does not: its answer is unscored.
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

// scoreAll is Score by chunks, with the places. A list is the reader's until the next one.
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
			c.scoreChunk(ctx, b)
			<-turn
		case <-ctx.Done():
		}
		return b
	}
	return func(yield func([]scored, error) bool) {
		var pool chunkPool
		drained := false
		for b, err := range ordered(ctx, 4*(c.Workers+c.Judges), c.drained(chunks(items, &pool)), work) {
			if err != nil {
				yield(nil, err)
				return
			}
			// Those in flight end, but a judge may have been kept from answering: their scores are not passed on.
			if drained = drained || c.isDrained(); !drained && !yield(b.scores, nil) {
				return
			}
			pool.put(b)
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

// drained ends chunks early when the configuration says so.
func (c Config) drained(chunks iter.Seq2[*chunk, error]) iter.Seq2[*chunk, error] {
	if c.Drain == nil {
		return chunks
	}
	return func(yield func(*chunk, error) bool) {
		for b, err := range chunks {
			if c.isDrained() {
				yield(nil, ErrDrained)
				return
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

// chunks gathers neighbours that need no judge; one that does is alone.
func chunks(items iter.Seq2[Item, error], pool *chunkPool) iter.Seq2[*chunk, error] {
	return func(yield func(*chunk, error) bool) {
		g := gatherer{pool: pool, next: pool.get(), yield: yield}
		for item, err := range items {
			if err != nil {
				if g.flush() {
					yield(nil, err)
				}
				return
			}
			if !g.add(item) {
				return
			}
		}
		g.flush()
	}
}

// gatherer fills chunks. Its methods return false when the reader has had enough.
type gatherer struct {
	pool  *chunkPool
	next  *chunk
	yield func(*chunk, error) bool
}

func (g *gatherer) add(item Item) bool {
	judged := item.Verdict == "" && item.Gold.judged
	if (judged || len(g.next.items) == chunkSize) && !g.flush() {
		return false
	}
	g.next.items, g.next.judged = append(g.next.items, item), judged
	return !judged || g.flush()
}

func (g *gatherer) flush() bool {
	if len(g.next.items) == 0 {
		return true
	}
	full := g.next
	g.next = g.pool.get()
	return g.yield(full, nil)
}

// scoreChunk fills the scores of b; when the context ends, with those so far.
func (c Config) scoreChunk(ctx context.Context, b *chunk) {
	b.scores = slices.Grow(b.scores, len(b.items))
	for i := range b.items {
		if ctx.Err() != nil {
			return
		}
		item := &b.items[i]
		b.scores = append(b.scores, scored{place: item.place, Score: c.scoreOne(ctx, item)})
	}
}

func (c Config) scoreOne(ctx context.Context, item *Item) qa.Score {
	s := qa.Score{UUID: item.Gold.uuid, Repeat: item.Repeat, Func: item.Gold.function, Verdict: item.Verdict, Reason: item.Reason}
	if s.Verdict != "" {
		return s
	}
	if !item.Gold.judged {
		r := item.Gold.prepared.Score(ctx, item.Answer)
		s.Verdict, s.Value, s.Reason, s.FormatOnly = r.Verdict, r.Value, r.Reason, r.FormatOnly
		return s
	}
	ctx, votes := judge.WithVotes(ctx)
	r := item.Gold.prepared.Score(ctx, item.Answer)
	s.Verdict, s.Value, s.Reason, s.Votes = r.Verdict, r.Value, r.Reason, votes.List()
	return s
}
