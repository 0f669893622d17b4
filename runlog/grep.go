package runlog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
	"sync"

	"airqa/internal/concurrent"
)

// Hit is one occurrence of a text in an episode.
type Hit struct {
	Episode string `json:"episode"`
	// Step is the step of a call or observation, from 1; 0 for other events.
	Step int `json:"step"`
	// Message is the index of the message that the event made (see [qa.Trajectory]), or -1 if it made none.
	Message int `json:"message"`
	// Event is the number of the event in its episode, from 1.
	Event int `json:"event"`
	// Field is one of the Field constants; Offset and End are the byte range of the occurrence in it.
	Field  string `json:"field"`
	Offset int    `json:"offset"`
	End    int    `json:"end"`
	Snippet
}

// Snippet is an occurrence as people are shown it, Match, and the text around it on the same line, at most 60 characters on
// each side.
type Snippet struct {
	Before string `json:"before"`
	Match  string `json:"match"`
	After  string `json:"after"`
}

// Fields of an event that [Run.Grep] searches, in this order. The thought is a part of the reply.
const (
	// FieldMessage is the text of a message that the program added, including texts stored beside the log. A match
	// within an observation that the message repeats is listed only there.
	FieldMessage   = "message"
	FieldReply     = "reply"
	FieldReasoning = "reasoning"
	// FieldArguments is a string in the arguments of a native call, or of any call whose canonical form has no match.
	FieldArguments = "arguments"
	// FieldAction is the call in canonical form, FieldActionLaTeX the same with LaTeX commands kept.
	FieldAction      = "action"
	FieldActionLaTeX = "action_latex"
	FieldParseError  = "parse_error"
	FieldObservation = "observation"
	// FieldFull is the text of an observation before truncation.
	FieldFull = "full"
	// FieldAttempt is the error of a request.
	FieldAttempt = "attempt"
	FieldReason  = "reason"
	// FieldAnswer is the answer as Python's str() prints it, FieldAnswerLaTeX the same with LaTeX commands kept.
	FieldAnswer      = "answer"
	FieldAnswerLaTeX = "answer_latex"
)

// ErrNoText is returned by [Run.Grep] for a text without visible characters.
var ErrNoText = errors.New("the text to search for is empty")

// Grep yields the occurrences of a text in all episodes, in the order of the log and without overlaps within a field, of which
// the first 100 count. It compares every decoded field as [Pattern] does, and in the rows of a result the texts of cells as
// well. Damaged attempts that were started over are left out, as by [Run.Episodes].
//
// A [LineError] is an event that could not be decoded, and a [BlobError] a text beside the log that
// could not be read; iteration continues after both. Any other error, such as that of ctx, ends it.
func (r *Run) Grep(ctx context.Context, text string) iter.Seq2[Hit, error] {
	return func(yield func(Hit, error) bool) {
		pattern := CompilePattern(text)
		if pattern.Empty() {
			yield(Hit{}, ErrNoText)
			return
		}
		file, err := OpenFile(r.Dir, LogFile)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(Hit{}, err)
			return
		}
		defer func() { _ = file.Close() }()
		g := &grep{run: r, log: file, pattern: pattern, messages: r.messageIndexes(), failed: make(map[string]bool)}
		g.search(ctx, yield)
	}
}

// grep is one search. Batches of lines are searched at the same time; the results are read in order.
type grep struct {
	run      *Run
	log      io.ReaderAt
	pattern  *Pattern
	messages []int32 // by line, see [Run.messageIndexes]

	texts  sync.Map        // the searches of stored texts by hash
	failed map[string]bool // stored texts whose error was yielded
}

// batchSize is the size of a batch in bytes, unless one line is longer. Its hits are in memory at once.
const batchSize = 256 << 10

// batch is a range of complete lines.
type batch struct {
	offset int64
	size   int
	first  int // index of the first line
	lines  int
}

type result struct {
	hit Hit
	err error
}

func (g *grep) search(ctx context.Context, yield func(Hit, error) bool) {
	for found, err := range concurrent.Map(g.run.batches(ctx), func(b batch) []result { return g.batch(ctx, b) }) {
		if err = cmp.Or(ctx.Err(), err); err != nil {
			yield(Hit{}, err)
			return
		}
		for _, f := range found {
			_, inLine := errors.AsType[LineError](f.err)
			blob, inBlob := errors.AsType[*BlobError](f.err)
			if inBlob {
				if g.failed[blob.Name] {
					continue
				}
				g.failed[blob.Name] = true
			}
			if !yield(f.hit, f.err) || f.err != nil && !inLine && !inBlob {
				return
			}
		}
	}
}

// batches yields the log in order, until ctx ends.
func (r *Run) batches(ctx context.Context) iter.Seq2[batch, error] {
	return func(yield func(batch, error) bool) {
		var b batch
		for i, size := range r.index.Sizes {
			if b.lines > 0 && b.size+int(size) > batchSize {
				if !yield(b, ctx.Err()) {
					return
				}
				b = batch{offset: b.offset + int64(b.size), first: i}
			}
			b.size += int(size)
			b.lines++
		}
		if b.lines > 0 {
			yield(b, ctx.Err())
		}
	}
}

func (g *grep) batch(ctx context.Context, b batch) (found []result) {
	raw := make([]byte, b.size)
	if _, err := g.log.ReadAt(raw, b.offset); err != nil {
		return []result{{err: fmt.Errorf("read %s: %w", LogFile, err)}}
	}
	e := grepEvent{grep: g}
	at := line{offset: b.offset}
	for i := b.first; i < b.first+b.lines && ctx.Err() == nil; i++ {
		at.length, at.number = int(g.run.index.Sizes[i]), i+1
		if g.messages[i] != notRead {
			found = append(found, e.search(at, raw[:at.length])...)
		}
		raw = raw[at.length:]
		at.offset += int64(at.length)
	}
	return found
}

// What [Run.messageIndexes] returns for a line without a message.
const (
	noMessage = -1
	notRead   = -2 // no event, or of an attempt that was started over
)

// messageIndexes returns, for each line of the log, the index of the message that it makes in its episode.
func (r *Run) messageIndexes() []int32 {
	messages := slices.Repeat([]int32{notRead}, len(r.index.Codes))
	for _, lines := range r.lines {
		role := func(i int) uint32 {
			_, role := episodeOf(r.index.Codes[lines[i].number-1])
			return role
		}
		begin := len(lines) - 1 // of the last attempt
		for begin > 0 && role(begin) != roleStart {
			begin--
		}
		count := int32(0)
		for i, at := range lines[begin:] {
			messages[at.number-1] = noMessage
			if role(begin+i) == roleMessage {
				messages[at.number-1] = count
				count++
			}
		}
	}
	return messages
}
