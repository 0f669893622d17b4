package trace

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

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

// readStamp reads the sizes and times of a run's files.
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
func (r *Run) list(ctx context.Context, earlier *Run, beside keptRows) error {
	names := r.Log.UUIDs()
	r.name(names)
	todo := r.keep(earlier, beside)
	if len(todo) > 0 || len(names) < longRun {
		if err := r.loadExamples(); err != nil {
			return err
		}
	}
	if err := r.compute(ctx, todo); err != nil {
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
		r.writeCache()
	}
	return nil
}

// name makes the rows with their names and keys alone.
func (r *Run) name(names []string) {
	r.Rows = make([]Row, len(names))
	r.keys = make([]string, len(names))
	var both sync.WaitGroup
	for _, span := range [][2]int{{0, len(names) / 2}, {len(names) / 2, len(names)}} {
		both.Go(func() {
			for i := span[0]; i < span[1]; i++ {
				r.keys[i] = r.key(names[i])
			}
		})
	}
	for i, name := range names {
		uuid, repeat := qa.SplitEpisodeID(name)
		r.Rows[i] = Row{Run: r.Name, Episode: name, UUID: uuid, Repeat: repeat}
	}
	both.Wait()
}

// keep fills the rows that an earlier list, or the file beside the log, has under the same key. It returns the others.
func (r *Run) keep(earlier *Run, beside keptRows) (todo []int) {
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
		r.readCache(beside, keep)
	}
	for i := range kept {
		if !kept[i] {
			todo = append(todo, i)
		}
	}
	return todo
}

// compute computes the facts of some episodes on all cores: first everything but the causes, then the causes, which
// depend on the other answers to a question.
func (r *Run) compute(ctx context.Context, todo []int) error {
	r.repeats = make(map[string][]*Row)
	err := r.each(ctx, todo, func(w *Row, rec runlog.Recorded, err error) {
		ex := r.examples[w.UUID]
		w.Asked = Asked{Question: ex.Question, Tags: ex.Tags, Function: ex.Evaluator.Func}
		if w.Tags == nil {
			w.Tags = []string{}
		}
		w.Gold, _ = eval.GoldAnswer(ex.Evaluator)
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
	var wrong []int
	for _, i := range todo {
		if r.Rows[i].Status == Wrong {
			wrong = append(wrong, i)
		}
	}
	return r.each(ctx, wrong, func(w *Row, rec runlog.Recorded, err error) {
		if err != nil {
			return
		}
		ex := r.examples[w.UUID]
		c := r.cause(ctx, ex, rec, cause.FindLoss(ex, rec, r.scores[w.Episode], r.Log.Config.Note.Missing))
		w.Cause, w.Rule = c.Code, c.Rule
	})
}

// each reads some episodes, by their index in Rows, on all cores. do may be called by several goroutines.
func (r *Run) each(ctx context.Context, list []int, do func(*Row, runlog.Recorded, error)) error {
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
			k := 0
			for rec, err := range r.Log.Episodes(names...) {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				do(&r.Rows[part[k]], rec, err)
				k++
			}
			return nil
		})
	}
	return group.Wait()
}

// rules is the version of the rules that make [Facts]: rows that another version kept are computed again. Change it with
// every change of evidence, cause or Facts.
const rules = "2"

// key identifies everything that the facts of an episode depend on, within one run: its lines, its score, and those of
// the other repeats.
func (r *Run) key(episode string) string {
	h := fnv.New128a()
	uuid, own := qa.SplitEpisodeID(episode)
	for repeat := 0; ; repeat++ {
		id := qa.EpisodeID(uuid, repeat)
		extent := r.Log.Extent(id)
		if extent == "" && repeat > own {
			break
		}
		line := append([]byte(extent), ' ')
		if score := r.scores[id]; score != nil {
			text, _ := json.Marshal(score) // of plain values
			line = append(line, text...)
		}
		_, _ = h.Write(append(line, '\n')) // a hash takes everything
	}
	return episode + " " + hex.EncodeToString(h.Sum(nil))
}

// keptRow is one line of rows.idx.
type keptRow struct {
	Key   string `json:"key"`
	Asked Asked  `json:"asked"`
	Facts Facts  `json:"facts"`
}

// readCache reads the rows beside the log. keep is called by two goroutines, for different rows. Lines that cannot be read are
// left out, and their rows computed again.
func (r *Run) readCache(beside keptRows, keep func(*keptRow)) {
	raw, ok := r.Log.ReadRows(beside.rows, r.version(beside.questions))
	if !ok {
		return
	}
	var both sync.WaitGroup
	cut := len(raw) / 2
	cut += bytes.IndexByte(raw[cut:], '\n') + 1
	for _, part := range [][]byte{raw[:cut], raw[cut:]} {
		both.Go(func() {
			for line := range bytes.Lines(part) {
				var row keptRow
				if jsonv2.Unmarshal(line, &row) == nil {
					keep(&row)
				}
			}
		})
	}
	both.Wait()
}

// writeCache writes the facts beside a long log. A read-only directory has none.
func (r *Run) writeCache() {
	if !r.Log.KeepsRows() {
		return
	}
	var raw bytes.Buffer
	for i, key := range r.keys {
		row := keptRow{key, r.Rows[i].Asked, r.Rows[i].Facts}
		_ = jsonv2.MarshalWrite(&raw, row, jsonv2.OmitZeroStructFields(true)) // plain values into memory
		raw.WriteByte('\n')
	}
	questions, _ := files.HashFile(r.questionsFile()) // who reads them reports errors
	r.Log.WriteRows(r.version(questions), raw.Bytes())
}

// keptRows are the file beside the log and the hash of the questions, read while the log is opened.
type keptRows struct {
	rows      runlog.KeptRows
	questions string
}

// version identifies the rules, the questions and the configuration of the run.
func (r *Run) version(questions string) string {
	id, _ := r.Log.ID()
	return rules + " " + id + " " + questions
}
