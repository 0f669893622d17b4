package trace

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"hash"
	"hash/fnv"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"golang.org/x/sync/errgroup"

	"airqa/eval"
	"airqa/internal/files"
	"airqa/qa"
	"airqa/runlog"
	"airqa/trace/cause"
)

// stamp shows whether a run has changed.
type stamp struct {
	log, scores int64
	writing     bool
}

func readStamp(dir string) (s stamp, err error) {
	if info, err := os.Stat(filepath.Join(dir, runlog.LogFile)); err == nil {
		s.log = info.Size()
	}
	if info, err := os.Stat(filepath.Join(dir, "scores")); err == nil {
		s.scores = info.ModTime().UnixNano()
	}
	s.writing, err = runlog.Writing(dir)
	return s, err
}

// rewriteShare is the inverse of the share of rows that must be new for writing the file beside the log: a run in progress
// does not write it with every step.
const rewriteShare = 10

// list makes the rows of a run. Those of an earlier list, or of the file beside the log, are kept.
func (r *Run) list(ctx context.Context, earlier *Run, lazy bool) error {
	names := r.Log.UUIDs()
	r.name(names)
	todo := r.keep(earlier)
	if len(todo) > 0 || len(names) < longRun {
		var err error
		if r.examples, err = r.allExamples(); err != nil {
			return err
		}
	}
	if err := r.compute(ctx, todo, lazy); err != nil {
		return err
	}
	if len(names) >= longRun {
		r.examples = nil
	}
	shorten(r.Rows)
	for _, w := range r.Rows {
		if w.Status == Damaged {
			r.Notices = append(r.Notices, fmt.Sprintf("%s: %s", w.Episode, w.Reason))
		}
	}
	if rewriteShare*len(todo) > len(names) {
		r.writeCache(r.Rows)
	}
	return nil
}

// name makes the rows with their names and keys alone. A key identifies everything that the facts of an episode depend
// on, within one run: its lines, its score, and those of the other repeats.
func (r *Run) name(names []string) {
	r.Rows = make([]Row, len(names))
	r.keys = make([]string, len(names))
	states := make(map[string]hash.Hash) // by question
	for i, name := range names {
		uuid, repeat := qa.SplitEpisodeID(name)
		r.Rows[i] = Row{Run: r.Name, Episode: name, UUID: uuid, Repeat: repeat}
		if states[uuid] == nil {
			states[uuid] = fnv.New128a()
		}
		line := []byte(name + " " + r.Log.Extent(name) + " ")
		if score := r.scores[name]; score != nil {
			text, _ := jsonv2.Marshal(score, jsonv2.Deterministic(true)) // of plain values
			line = append(line, text...)
		}
		_, _ = states[uuid].Write(append(line, '\n')) // a hash takes everything
	}
	sums := make(map[string]string, len(states))
	for uuid, h := range states {
		sums[uuid] = " " + hex.EncodeToString(h.Sum(nil))
	}
	for i, name := range names {
		r.keys[i] = name + sums[r.Rows[i].UUID]
	}
}

// keep fills the rows that an earlier list, or the file beside the log, has under the same key. It returns the others.
func (r *Run) keep(earlier *Run) (todo []int) {
	kept := make([]bool, len(r.Rows))
	keep := func(row *keptRow) {
		episode, _, _ := strings.Cut(row.Key, " ")
		if i, ok := r.Log.Index(episode); ok && r.keys[i] == row.Key {
			r.Rows[i].Asked, r.Rows[i].Facts, kept[i] = row.Asked, row.Facts, true
		}
	}
	if len(earlier.keys) > 0 {
		for i, key := range earlier.keys {
			keep(&keptRow{key, earlier.Rows[i].Asked, earlier.Rows[i].Facts})
		}
	} else {
		r.readCache(keep)
	}
	for i := range kept {
		if !kept[i] {
			todo = append(todo, i)
		}
	}
	return todo
}

// compute computes the facts of some episodes on all cores: first everything but the causes, then the causes, which
// depend on the other answers to a question. Those of a lazy library are left out if they are many.
func (r *Run) compute(ctx context.Context, todo []int, lazy bool) error {
	r.repeats = make(map[string][]*Row)
	err := r.each(ctx, todo, func(_ *cause.Finder, i int, rec runlog.Recorded, err error) {
		w := &r.Rows[i]
		ex := r.examples[w.UUID]
		w.Asked = Asked{Question: ex.Question, Tags: ex.Tags, Function: ex.Evaluator.Func}
		if w.Tags == nil {
			w.Tags = []string{}
		}
		w.Gold = eval.GoldOf(ex)
		if err != nil {
			w.Facts = Facts{Status: Damaged, Reason: err.Error()}
			return
		}
		w.Facts = r.factsOf(ex, rec)
	})
	if err != nil {
		return err
	}
	for i := range r.Rows {
		w := &r.Rows[i]
		r.repeats[w.UUID] = append(r.repeats[w.UUID], w)
	}
	if lazy && r.pending() > fewCauses {
		return nil
	}
	_, err = r.explain(ctx, r.Rows)
	return err
}

// explain finds the causes of the pending rows of the run among some rows, which may be copies, and returns their number.
func (r *Run) explain(ctx context.Context, rows []Row) (n int, err error) {
	var todo []int
	pending := make(map[int]*Row)
	for i := range rows {
		if w := &rows[i]; w.Run == r.Name && w.Pending() {
			at, _ := r.Log.Index(w.Episode)
			todo, pending[at] = append(todo, at), w
		}
	}
	examples := r.examples
	if examples == nil && len(todo) > 0 {
		if examples, err = r.allExamples(); err != nil {
			return 0, err
		}
	}
	return len(todo), r.each(ctx, todo, func(f *cause.Finder, i int, rec runlog.Recorded, err error) {
		if err == nil {
			loss, why := r.cause(ctx, f, examples[rec.UUID], rec)
			pending[i].found(loss, why)
		}
	})
}

// each reads some episodes, by their index in Rows, on all cores. do may be called by several goroutines, each with a
// finder of its own.
func (r *Run) each(ctx context.Context, list []int, do func(f *cause.Finder, i int, rec runlog.Recorded, err error)) error {
	group, ctx := errgroup.WithContext(ctx)
	workers := min(runtime.GOMAXPROCS(0), max(1, len(list)/8))
	for n := range workers {
		part := list[n*len(list)/workers : (n+1)*len(list)/workers]
		group.Go(func() error {
			if len(part) == 0 {
				return nil
			}
			names := make([]string, len(part))
			for k, i := range part {
				names[k] = r.Rows[i].Episode
			}
			k, finder := 0, new(cause.Finder)
			for rec, err := range r.Log.Episodes(names...) {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				do(finder, part[k], rec, err)
				k++
			}
			return nil
		})
	}
	return group.Wait()
}

// fewCauses is the number of causes up to which a lazy library does not wait until they are asked for.
const fewCauses = 200

// keptRow is one line of rows.idx.
type keptRow struct {
	Key   string `json:"key"`
	Asked Asked  `json:"asked"`
	Facts Facts  `json:"facts"`
}

// readCache reads the rows beside the log. Lines that cannot be read are left out, and their rows computed again.
func (r *Run) readCache(keep func(*keptRow)) {
	raw, ok := r.Log.ReadRows(runlog.RowsFile, r.version())
	if !ok {
		return
	}
	for line := range bytes.Lines(raw) {
		var row keptRow
		if jsonv2.Unmarshal(line, &row) == nil {
			keep(&row)
		}
	}
}

// writeCache writes the facts beside a long log. A read-only directory has none.
func (r *Run) writeCache(rows []Row) {
	if !r.Log.KeepsRows() {
		return
	}
	var raw bytes.Buffer
	for i, key := range r.keys {
		row := keptRow{key, rows[i].Asked, rows[i].Facts}
		_ = jsonv2.MarshalWrite(&raw, row, jsonv2.OmitZeroStructFields(true)) // plain values into memory
		raw.WriteByte('\n')
	}
	r.Log.WriteRows(runlog.RowsFile, r.version(), raw.Bytes())
}

// version identifies the rules, the questions and the configuration of the run.
func (r *Run) version() string {
	id, _ := r.Log.ID()
	questions, _ := files.HashFile(r.questionsFile()) // who reads them reports errors
	return cause.Version + " " + id + " " + questions
}
