// Package merge combines the shards of a run into one run directory, the same as a single machine would write: the log in
// the order of the questions, the texts, images, notes and verdicts of all shards, and their scores. Start from [Find] and
// [Merger.Merge].
//
// The log is copied line by line; only the positions of its lines are in memory. A merged run is written aside and then
// renamed, so that a killed merge leaves the old state.
package merge

import (
	"path/filepath"
	"slices"
	"strings"

	"airqa/qa"
	"airqa/run/session"
)

// Merger merges shards. All fields but Partial are required.
type Merger struct {
	session.Session
	// Out is the run directory to make, or the folder of several.
	Out string
	// Partial accepts missing shards and questions.
	Partial bool
}

// Merge merges the shards of each job. It writes nothing unless all of them can be merged. The results are valid even
// with an error: shards or questions may be missing, or questions may have failed.
func (m Merger) Merge(jobs []Job) ([]Result, error) {
	plans := make([]*plan, len(jobs))
	var results []Result
	missing := false
	for i, job := range jobs {
		out := m.Out
		if len(jobs) > 1 {
			out = filepath.Join(m.Out, job.Name)
		}
		p, err := m.plan(job, out)
		if err != nil {
			return nil, err
		}
		plans[i], results = p, append(results, p.Result)
		missing = missing || p.lacks()
	}
	if missing && !m.Partial {
		return results, qa.Failedf("%s\n  Nothing was written. Run what is missing with the same settings and merge again, or allow a partial merge",
			strings.Join(lacking(results), "\n"))
	}
	failed := 0
	for i, p := range plans {
		if err := p.write(); err != nil {
			return results[:i], err
		}
		p.Written = true
		results[i] = p.Result
		failed += len(p.Failed)
	}
	if !slices.ContainsFunc(results, func(r Result) bool { return len(r.Scores) > 0 }) {
		m.Notify.Infof("next: airqa score %s", m.Out)
	}
	if failed > 0 && !m.Partial {
		return results, qa.Failedf("merged, but %d episodes failed; airqa run in the same directory, with the same settings, retries them", failed)
	}
	return results, nil
}

// plan is a merge that can be written.
type plan struct {
	session.Session
	Result
	shards []*source
	// chosen has the shard of each episode.
	chosen map[string]*source
	// repeats is the number of episodes per question.
	repeats int
}

// plan reads the shards of a job and checks that they belong together.
func (m Merger) plan(job Job, out string) (*plan, error) {
	p := &plan{Session: m.Session, Result: Result{Out: out}, repeats: 1}
	for _, dir := range job.Dirs {
		s, err := m.open(dir)
		if err != nil {
			return nil, err
		}
		p.shards = append(p.shards, s)
	}
	p.sort()
	if err := p.checkShapes(); err != nil {
		return nil, err
	}
	if err := p.checkOut(); err != nil {
		return nil, err
	}
	if err := p.choose(); err != nil {
		return nil, err
	}
	p.findGaps()
	return p, p.checkSubset()
}
