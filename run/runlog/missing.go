package runlog

import (
	"fmt"
	"slices"
	"strings"
)

// What a run does with questions whose papers are missing.
const (
	MissingStop = "stop" // nothing runs
	MissingSkip = "skip" // they are left out
	MissingRun  = "run"  // they run all the same
)

// MissingPapers records what the questions of a run need and its data directory does not hold. Neither changes while the
// run directory is used, so this is true of every invocation.
type MissingPapers struct {
	// Choice is that of the first invocation: one of [MissingStop] (none of its questions lacked a paper), [MissingSkip] and
	// [MissingRun].
	Choice string `json:"choice"`
	// Papers counts the missing papers; Collections are the venues with no paper.
	Papers      int      `json:"papers"`
	Collections []string `json:"collections,omitempty"`
	// Named and Searched are the uuids of the questions that name such a paper, or search such a collection.
	Named    []string `json:"named,omitempty"`
	Searched []string `json:"searched,omitempty"`
}

// Lacking counts the questions with missing papers among those that ran.
type Lacking struct {
	Ran      int `json:"ran"`
	Named    int `json:"named"`
	Searched int `json:"searched"`
	// Skipped counts the questions with missing papers that did not run, in a run that leaves them out.
	Skipped int `json:"skipped"`
}

// Lacking counts among the questions that ran. It returns nil when none lacked a paper and none was left out; m may be nil.
func (m *MissingPapers) Lacking(ran map[string]bool) *Lacking {
	if m == nil {
		return nil
	}
	count := func(uuids []string) (n int) {
		for _, uuid := range uuids {
			if ran[uuid] {
				n++
			}
		}
		return n
	}
	l := Lacking{Ran: len(ran), Named: count(m.Named), Searched: count(m.Searched)}
	if m.Choice == MissingSkip {
		all := slices.Concat(m.Named, m.Searched)
		slices.Sort(all)
		all = slices.Compact(all)
		l.Skipped = len(all) - count(all)
	}
	if l.Named+l.Searched+l.Skipped == 0 {
		return nil
	}
	return &l
}

// String is the note for people.
func (l Lacking) String() string {
	var parts []string
	if l.Named > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d questions had a named paper missing", l.Named, l.Ran))
	}
	if l.Searched > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d questions searched a collection with no papers", l.Searched, l.Ran))
	}
	if l.Skipped > 0 {
		parts = append(parts, fmt.Sprintf("%d questions with missing papers were skipped", l.Skipped))
	}
	return strings.Join(parts, "; ")
}
