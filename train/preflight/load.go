package preflight

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"airqa/internal/python"
	"airqa/train/preflight/rows"
	"airqa/train/preflight/template"
)

// writerBatch is the number of converted rows that are written at once. The first batch fixes the types.
const writerBatch = 1000

// load follows the batches in which the trainer converts and encodes a file, in one process or in several that each take
// a shard of the rows. A batch may stop the load although each of its rows is fine.
type load struct {
	k            *Checker
	total        int
	shards       int
	shard, start int // the current shard and its first row
	next         int // index of the next row
	converting   error
	encoding     error
	unknown      error   // the first row that is not checked
	convert      columns // of the current shard
	features     []columns
	encode       encoder
	kept         int
	trainer      int // rows that the trainer gets
}

func newLoad(k *Checker, total int) *load {
	l := &load{k: k, total: total, shards: max(min(k.c.Workers, total), 1)}
	l.encode.k = k
	return l
}

// end of the shard with index i.
func (l *load) bound(i int) int {
	return l.total/l.shards*i + min(i, l.total%l.shards)
}

func (l *load) add(r result) {
	inShard := l.next - l.start
	switch {
	case r.Outcome == NotChecked:
		l.unknown = cmp.Or(l.unknown, r.notChecked())
	case r.err != nil:
		l.converting = cmp.Or(l.converting, r.err)
	default:
		l.convert.add(r.row)
	}
	l.encode.add(l, r)
	l.next++
	last := l.next == l.bound(l.shard+1)
	if last || (inShard+1)%writerBatch == 0 {
		l.converting = cmp.Or(l.converting, l.convert.flush())
	}
	if last || (inShard+1)%l.k.c.BatchSize == 0 {
		l.encoding = cmp.Or(l.encoding, l.encode.flush(l))
	}
	if last {
		l.features = append(l.features, l.convert)
		l.convert, l.start = columns{}, l.next
		l.encode = encoder{k: l.k}
		l.shard++
	}
}

// end returns the number of rows that the trainer gets, or the error that stops the load.
func (l *load) end() (int, error) {
	err := cmp.Or(l.converting, aligned(l.features))
	if err = cmp.Or(err, l.encoding, l.unknown); err == nil && l.kept == 0 {
		err = errNoRows
	}
	return l.trainer, err
}

// fill is how far a column has a type.
type fill uint8

const (
	nulls fill = iota // no type: every value is null
	empty             // lists without items
	full
)

var columnNames = [...]string{"_prompt", "_response", "_system", "_tools", "_images", "_videos", "_audios"}

// columns are the types of the converted rows of a shard: those of the first batch are fixed.
type columns struct {
	batch, fixed [len(columnNames)]fill
	set          bool
}

func (c *columns) add(r rows.Row) {
	values := [...]fill{
		listFill(len(r.Prompt)), listFill(len(r.Response)), scalarFill(r.System), scalarFill(r.Tools),
		mediaFill(r.Images), mediaFill(r.Videos), mediaFill(r.Audios),
	}
	for i, f := range values {
		c.batch[i] = max(c.batch[i], f)
	}
}

func listFill(n int) fill {
	if n == 0 {
		return empty
	}
	return full
}

func scalarFill(v python.Value) fill {
	if v == nil {
		return nulls
	}
	return full
}

// mediaFill is the fill of a list of files; an empty list counts as null.
func mediaFill(list []python.Value) fill {
	if len(list) == 0 {
		return nulls
	}
	return full
}

// flush ends a batch.
func (c *columns) flush() (err error) {
	if c.set {
		for i, f := range c.batch {
			if f > c.fixed[i] && err == nil {
				err = fmt.Errorf("TypeError: Couldn't cast array of type %s to null: %s is null or empty in the first %d rows",
					castNames[i], columnNames[i], writerBatch)
			}
		}
	} else {
		c.fixed, c.set = c.batch, true
	}
	c.batch = [len(columnNames)]fill{}
	return err
}

// castNames are the types of columnNames in the trainer's words.
var castNames = [...]string{
	"struct<role: string, content: string>", "struct<role: string, content: string>", "string", "string",
	"list<item: string>", "list<item: string>", "list<item: string>",
}

// aligned reports shards whose types do not fit together.
func aligned(shards []columns) error {
	for i, name := range columnNames {
		var seen []fill
		for _, s := range shards {
			if f := s.fixed[i]; f != nulls && !slices.Contains(seen, f) {
				seen = append(seen, f)
			}
		}
		if len(seen) > 1 {
			return fmt.Errorf("ValueError: The features can't be aligned because the key %s has unexpected type: "+
				"every row of one worker's shard is dropped", name)
		}
	}
	return nil
}

// encoder follows the batches of the second step in one shard.
type encoder struct {
	k       *Checker
	batch   batch
	written written
	images  bool // the first batch had images
}

// batch is what is known of the rows of a batch.
type batch struct {
	kept    int
	images  bool     // of some row
	lengths []int    // of the kept rows, in tokens
	rows    []result // of feedback training, in which a row uses the answer of the row before
}

// written is what the first batch wrote.
type written uint8

const (
	nothing written = iota
	hollow          // every row was dropped
	typed
)

func (e *encoder) add(l *load, r result) {
	if e.k.c.Stage == KTO {
		e.batch.rows = append(e.batch.rows, r)
	}
	switch r.Outcome {
	case Crash:
		if r.err == nil {
			l.encoding = cmp.Or(l.encoding, errors.New(r.Reasons[0]))
		}
	case NotChecked:
		e.batch.kept++ // it may be
	case Kept:
		e.batch.kept++
		l.kept++
		e.batch.images = e.batch.images || len(r.row.Images)+len(r.row.Videos) > 0
		e.batch.lengths = append(e.batch.lengths, r.Tokens)
	}
}

var (
	errHollow = errors.New("ValueError: Schema and number of arrays unequal: every row of a batch is dropped")
	errImages = errors.New("TypeError: Couldn't cast array of type list<item: string> to null: the first batch has no images")
)

// flush ends a batch.
func (e *encoder) flush(l *load) error {
	b := e.batch
	e.batch = batch{}
	if e.k.c.Packing && e.k.c.Stage == SFT {
		l.trainer += packed(b.lengths, e.k.c.Limit())
	} else {
		l.trainer += b.kept
	}
	if e.k.c.Stage == KTO {
		if err := e.neighbours(b.rows); err != nil || b.kept == 0 {
			return err // a batch without rows is skipped
		}
	}
	return e.write(b)
}

// write follows the types of the written batches.
func (e *encoder) write(b batch) error {
	is := typed
	if b.kept == 0 {
		is = hollow
	}
	switch {
	case e.written == nothing:
		e.written, e.images = is, b.images
	case e.written != is:
		return errHollow
	case b.images && !e.images:
		return errImages
	}
	return nil
}

// neighbours returns the error of a feedback row whose predecessor in the batch has no answer: the trainer pairs each
// prompt with the answer of the row before, the first with that of the last.
func (e *encoder) neighbours(rows []result) error {
	for i, r := range rows {
		if r.Outcome != Kept {
			continue
		}
		before := rows[(i+len(rows)-1)%len(rows)].row.Response
		if len(before) == 0 || len(before) == 1 && answerOf(before) == 1 {
			return errors.New("IndexError: list index out of range: the row before in the batch is dropped")
		}
		answer := before[answerOf(before)]
		if _, text := answer.Content.(string); answer.Role != template.Function && text && e.k.template.Vision == nil {
			continue
		}
		if _, err := e.k.render(r.row, answer); err != nil {
			return err
		}
	}
	return nil
}

// packed returns the number of packed rows: the longest row that fits is always taken next.
func packed(lengths []int, limit int) (n int) {
	slices.Sort(lengths)
	for ; len(lengths) > 0; n++ {
		for room := limit; len(lengths) > 0; {
			i, _ := slices.BinarySearch(lengths, room+1)
			if i == 0 {
				break
			}
			room -= lengths[i-1]
			lengths = slices.Delete(lengths, i-1, i)
		}
	}
	return n
}
