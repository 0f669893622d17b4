package episodes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"

	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/run/runlog"
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

// line is one line of rows.idx.
type line struct {
	Key   string `json:"key"`
	Facts Facts  `json:"facts"`
}

// kept are the facts of the rows of a run by key; nil for a run that was not read.
func (r *Run) kept() map[string]Facts {
	if r == nil || len(r.keys) == 0 {
		return nil
	}
	kept := make(map[string]Facts, len(r.keys))
	for i, key := range r.keys {
		kept[key] = r.Rows[i].Facts
	}
	return kept
}

// readKept reads the facts beside the log. If they are unusable there are none.
func (r *Run) readKept() map[string]Facts {
	raw, ok := r.Log.ReadRows(r.version())
	if !ok {
		return nil
	}
	kept := make(map[string]Facts, len(r.Log.UUIDs()))
	for part := range bytes.Lines(raw) {
		var l line
		if json.Unmarshal(part, &l) != nil {
			return nil
		}
		kept[l.Key] = l.Facts
	}
	return kept
}

// writeKept writes the facts beside a long log. A read-only directory has none.
func (r *Run) writeKept() {
	if !r.Log.KeepsRows() {
		return
	}
	var raw bytes.Buffer
	enc := json.NewEncoder(&raw)
	for i, key := range r.keys {
		_ = enc.Encode(line{key, r.Rows[i].Facts}) // plain values into memory
	}
	r.Log.WriteRows(r.version(), raw.Bytes())
}

// version identifies the rules, the questions and the configuration of the run.
func (r *Run) version() string {
	questions, _ := dataset.Lines(r.Examples) // read from such lines
	id, _ := r.Log.ID()
	return rules + " " + id + " " + runlog.Hash(string(questions))
}
