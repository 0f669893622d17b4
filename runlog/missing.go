package runlog

import (
	"fmt"
	"slices"
	"strings"
)

// How a run treats questions whose papers are missing.
const (
	MissingStop = "stop" // run nothing
	MissingSkip = "skip" // skip them
	MissingRun  = "run"  // run them anyway
)

// MissingPapers records what the questions of a run need and its data directory lacks. Neither changes during a run, so
// it holds for every invocation.
type MissingPapers struct {
	// Choice is the first invocation's: one of [MissingStop] (none of its questions lacked a paper), [MissingSkip] and
	// [MissingRun].
	Choice string `json:"choice"`
	// Papers counts the missing papers; Collections are the venues without papers.
	Papers      int      `json:"papers"`
	Collections []string `json:"collections,omitempty"`
	// Named and Searched are the uuids of the questions that name such a paper or search such a collection.
	Named    []string `json:"named,omitempty"`
	Searched []string `json:"searched,omitempty"`
}

// Lacking counts the questions with missing papers among those that ran.
type Lacking struct {
	Ran      int `json:"ran"`
	Named    int `json:"named"`
	Searched int `json:"searched"`
	// Skipped counts the questions with missing papers that were skipped.
	Skipped int `json:"skipped"`
}

// Lacking counts the given questions. It returns nil if none lacked a paper and none was skipped; m may be nil.
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

// String is the note for users.
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
