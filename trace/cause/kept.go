package cause

import (
	"path/filepath"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"airqa/internal/files"
	"airqa/qa"
	"airqa/runlog"
)

// Version identifies the rules that make causes and lists of episodes: what another version kept beside a log is computed
// again. Change it with every change of evidence, causes or the facts of a list.
const Version = "4"

// kept is the part of a [Run] that is kept beside a long log, in causes.idx.
type kept struct {
	Answers, Right int
	Rows           []Row
}

// keptAs encodes what is kept, so that it is the same when it is read again.
var keptAs = jsonv2.JoinOptions(jsonv2.FormatNilSliceAsNull(true), jsonv2.FormatNilMapAsNull(true))

// version identifies everything that the causes of a run without others depend on.
func (s Source) version(scores map[string]*qa.Score) string {
	id, _ := s.ID()
	questions, _ := files.HashFile(filepath.Join(s.Dir, runlog.QuestionsFile)) // who reads them reports errors
	var b strings.Builder
	b.WriteString(Version + " " + id + " " + questions)
	for _, name := range s.UUIDs() {
		b.WriteString(" " + name + " " + s.Extent(name))
		if score := scores[name]; score != nil {
			text, _ := jsonv2.Marshal(score, jsonv2.Deterministic(true)) // of plain values
			b.Write(text)
		}
	}
	return b.String()
}

// readKept reads the causes that were kept; false if there are none of this version.
func (r *Run) readKept(s Source, version string) bool {
	raw, ok := s.ReadRows(runlog.CausesFile, version)
	var k kept
	if !ok || jsonv2.Unmarshal(raw, &k) != nil {
		return false
	}
	for i := range k.Rows {
		k.Rows[i].Run = s.Dir // which may have moved
	}
	r.Answers, r.Right, r.Rows = k.Answers, k.Right, k.Rows
	return true
}

// keep writes the causes beside a long log. Those of a run with damage are not kept.
func (r *Run) keep(s Source, version string) {
	if raw, err := jsonv2.Marshal(kept{r.Answers, r.Right, r.Rows}, keptAs); err == nil && len(r.Damaged) == 0 && s.KeepsRows() {
		s.WriteRows(runlog.CausesFile, version, raw)
	}
}
