package trace

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

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

// list makes the rows of a run. cached are the facts of an earlier list, or of the file beside the log, by key.
func (r *Run) list(ctx context.Context, cached map[string]Facts) error {
	names := r.Log.UUIDs()
	r.Rows = make([]Row, len(names))
	r.keys = make([]string, len(names))
	r.places = make(map[string]int, len(names))
	var todo []int
	for i, name := range names {
		r.places[name] = i
		uuid, repeat := qa.SplitEpisodeID(name)
		w := &r.Rows[i]
		*w = Row{Run: r.Name, Episode: name, UUID: uuid, Repeat: repeat}
		w.fill(r.examples[uuid])
		r.keys[i] = r.key(name)
		if facts, ok := cached[r.keys[i]]; ok {
			w.Facts = facts
		} else {
			todo = append(todo, i)
		}
	}
	if err := r.compute(ctx, todo); err != nil {
		return err
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

// compute computes the facts of some episodes on all cores: first everything but the causes, then the causes, which
// depend on the other answers to a question.
func (r *Run) compute(ctx context.Context, todo []int) error {
	r.repeats = make(map[string][]*Row)
	err := r.each(ctx, todo, func(w *Row, rec runlog.Recorded, err error) {
		if err != nil {
			w.Facts = Facts{Status: Damaged, Reason: err.Error()}
			return
		}
		w.Facts = r.factsOf(r.examples[w.UUID], rec)
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
const rules = "1"

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
		score, _ := json.Marshal(r.scores[id])          // of plain values
		_, _ = fmt.Fprintf(h, "%s %s\n", extent, score) // a hash takes everything
	}
	return fmt.Sprintf("%s %x", episode, h.Sum(nil))
}

// cachedRow is one line of rows.idx.
type cachedRow struct {
	Key   string `json:"key"`
	Facts Facts  `json:"facts"`
}

// facts are the facts of the rows of a run by key; nil for a run that was not read.
func (r *Run) facts() map[string]Facts {
	if r == nil || len(r.keys) == 0 {
		return nil
	}
	cached := make(map[string]Facts, len(r.keys))
	for i, key := range r.keys {
		cached[key] = r.Rows[i].Facts
	}
	return cached
}

// readCache reads the facts beside the log. If they are unusable there are none.
func (r *Run) readCache() map[string]Facts {
	raw, ok := r.Log.ReadRows(r.version())
	if !ok {
		return nil
	}
	parts := halves(raw)
	lines := make([][]cachedRow, len(parts))
	var group errgroup.Group
	for i, part := range parts {
		group.Go(func() (err error) {
			lines[i], err = readLines(part)
			return err
		})
	}
	if group.Wait() != nil {
		return nil
	}
	cached := make(map[string]Facts, len(r.Log.UUIDs()))
	for _, l := range slices.Concat(lines...) {
		cached[l.Key] = l.Facts
	}
	return cached
}

// halves cuts lines in two parts, which two processors read.
func halves(raw []byte) [][]byte {
	cut := len(raw) / 2
	cut += bytes.IndexByte(raw[cut:], '\n') + 1
	return [][]byte{raw[:cut], raw[cut:]}
}

func readLines(raw []byte) ([]cachedRow, error) {
	var lines []cachedRow
	for part := range bytes.Lines(raw) {
		var l cachedRow
		if err := json.Unmarshal(part, &l); err != nil {
			return nil, err
		}
		lines = append(lines, l)
	}
	return lines, nil
}

// writeCache writes the facts beside a long log. A read-only directory has none.
func (r *Run) writeCache() {
	if !r.Log.KeepsRows() {
		return
	}
	var raw bytes.Buffer
	enc := json.NewEncoder(&raw)
	for i, key := range r.keys {
		_ = enc.Encode(cachedRow{key, r.Rows[i].Facts}) // plain values into memory
	}
	r.Log.WriteRows(r.version(), raw.Bytes())
}

// version identifies the rules, the questions and the configuration of the run.
func (r *Run) version() string {
	questions, _ := os.ReadFile(filepath.Join(r.Name, runlog.QuestionsFile)) // loaded at the same time, which reports errors
	id, _ := r.Log.ID()
	return rules + " " + id + " " + runlog.Hash(string(questions))
}
