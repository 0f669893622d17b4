package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"

	"airqa/qa"
	"airqa/runlog"
)

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
