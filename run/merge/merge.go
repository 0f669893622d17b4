// Package merge copies the shards of a run into one run directory, the same as a single machine would write: the log in the
// order of the questions, the texts and images, and the verdicts, by which the answers are scored again. Start from [Find]
// and [Merger.Merge].
//
// A merged run is written aside and then renamed, so that a killed merge leaves the old state.
package merge

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"airqa/qa"
	"airqa/run/session"
	"airqa/run/shard"
	"airqa/runlog"
)

// Merger merges shards. All fields but Partial are required.
type Merger struct {
	session.Session
	// Out is the run directory to make, or the folder of several.
	Out string
	// Partial accepts missing shards and questions.
	Partial bool
}

// Merge merges the shards of each job. It writes nothing if the shards of one do not belong together. The results are valid
// even with an error: shards or questions may be missing, or questions may have failed.
func (m Merger) Merge(jobs []Job) ([]Result, error) {
	plans := make([]*plan, len(jobs))
	results := make([]Result, len(jobs))
	var lacking []string
	for i, job := range jobs {
		out := m.Out
		if len(jobs) > 1 {
			out = filepath.Join(m.Out, job.Name)
		}
		p, err := m.plan(job, out)
		if err != nil {
			return nil, err
		}
		plans[i], results[i] = p, p.Result
		if gaps := p.gaps(); len(gaps) > 0 {
			lacking = append(lacking, fmt.Sprintf("%s is incomplete (%s, %s):", p.Out, p.Baseline, p.Model))
			lacking = append(lacking, gaps...)
		}
	}
	if len(lacking) > 0 && !m.Partial {
		return results, qa.Failedf("%s\n  Nothing was written. Run what is missing and merge again, or allow a partial merge",
			strings.Join(lacking, "\n"))
	}
	failed := 0
	for i, p := range plans {
		if err := p.write(); err != nil {
			return results[:i], err
		}
		results[i] = p.Result
		failed += len(p.Failed)
	}
	if failed > 0 && !m.Partial {
		return results, qa.Failedf("merged, but %d episodes failed; airqa run in the same directory retries them", failed)
	}
	return results, nil
}

// plan is a merge that can be written.
type plan struct {
	session.Session
	Result
	shards []*source
	// choice is the treatment of questions with missing papers; empty without any.
	choice string
	// order has the episodes to copy, and from the shard of each.
	order []string
	from  map[string]*source
}

// source is the run directory of a shard.
type source struct {
	*runlog.Run
	part      shard.Part
	questions []qa.Example
	// outcomes has the outcome of each episode, "" for one that did not end or is damaged.
	outcomes map[string]qa.Outcome
}

// plan reads the shards of a job and checks that they belong together.
func (m Merger) plan(job Job, out string) (*plan, error) {
	p := &plan{Session: m.Session, Result: Result{Out: filepath.Clean(out)}, from: make(map[string]*source)}
	for _, dir := range job.Dirs {
		s, err := m.open(dir)
		if err != nil {
			return nil, err
		}
		p.shards = append(p.shards, s)
	}
	slices.SortStableFunc(p.shards, func(a, b *source) int { return cmp.Compare(a.part.Index, b.part.Index) })
	first := p.shards[0]
	p.Baseline, p.Model, p.Of = first.Config.Shape.Baseline, first.Config.Shape.ModelName(), first.part.Of
	if err := p.checkShards(); err != nil {
		return nil, err
	}
	p.findEpisodes()
	return p, p.checkOut()
}

// open reads a shard.
func (m Merger) open(dir string) (*source, error) {
	r, questions, err := m.OpenRun(dir)
	if err != nil {
		return nil, err
	}
	s := &source{Run: r, questions: questions, outcomes: make(map[string]qa.Outcome)}
	if s.part, err = shard.Parse(r.Config.Shape.Shard); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, runlog.RunFile), err)
	}
	names := r.UUIDs()
	for rec, err := range r.Episodes() {
		id := names[len(s.outcomes)]
		s.outcomes[id] = rec.Outcome
		if err != nil {
			m.Notify.Warnf("%s: %v (this episode is damaged; airqa run starts it again)", dir, err)
			s.outcomes[id] = ""
		}
	}
	return s, nil
}

// findEpisodes orders the episodes as one machine runs them, one round of all questions per repeat, and lists what is missing
// and what failed.
func (p *plan) findEpisodes() {
	repeats := 1
	for _, s := range p.shards {
		repeats = max(repeats, s.Config.Note.Repeats)
		for _, id := range s.UUIDs() {
			_, repeat := qa.SplitEpisodeID(id)
			repeats, p.from[id] = max(repeats, repeat+1), s
		}
	}
	questions := make(map[string]bool)
	for repeat := range repeats {
		for _, ex := range p.shards[0].questions {
			id := qa.EpisodeID(ex.UUID, repeat)
			s := p.from[id]
			if s == nil {
				continue
			}
			p.order = append(p.order, id)
			questions[ex.UUID] = true
			if s.outcomes[id].Failed() {
				p.Failed = append(p.Failed, id)
			}
		}
	}
	p.Result.Questions, p.Episodes = len(questions), len(p.order)
	for i := 1; i <= p.Of; i++ {
		at := slices.IndexFunc(p.shards, func(s *source) bool { return s.part.Index == i })
		if at < 0 {
			p.MissingShards = append(p.MissingShards, shard.Part{Index: i, Of: p.Of}.String())
			continue
		}
		p.Shards = append(p.Shards, i)
		if missing := p.shards[at].missing(repeats); len(missing) > 0 {
			p.Incomplete = append(p.Incomplete, Gap{p.shards[at].part.String(), p.shards[at].Dir, missing})
		}
	}
}

// missing lists the episodes that did not end, but not those that were left out because their papers are missing.
func (s *source) missing(repeats int) (list []string) {
	var skipped []string
	if m := s.Config.Note.Missing; m != nil && m.Choice == runlog.MissingSkip {
		skipped = slices.Concat(m.Named, m.Searched)
	}
	for repeat := range repeats {
		for _, uuid := range s.Config.Note.ShardQuestions {
			id := qa.EpisodeID(uuid, repeat)
			outcome, begun := s.outcomes[id]
			if outcome == "" && (begun || !slices.Contains(skipped, uuid)) {
				list = append(list, id)
			}
		}
	}
	return list
}
