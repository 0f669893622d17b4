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
	"airqa/qa/dataset"
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
	// order has the episodes to copy.
	order []copied
}

// source is the run directory of a shard.
type source struct {
	*runlog.Run
	part    shard.Part
	writing bool
	// outcomes are those of its episodes, "" for one that did not end or is damaged.
	outcomes map[string]qa.Outcome
}

// copied is an episode with the shard that it is copied from.
type copied struct {
	episode string
	from    *source
}

// plan reads the shards of a job and checks that they belong together.
func (m Merger) plan(job Job, out string) (*plan, error) {
	p := &plan{Session: m.Session, Result: Result{Out: filepath.Clean(out)}}
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
	if err := p.findEpisodes(); err != nil {
		return nil, err
	}
	return p, p.checkOut()
}

// open reads a shard.
func (m Merger) open(dir string) (*source, error) {
	r, err := runlog.Open(dir)
	if err != nil {
		return nil, err
	}
	s := &source{Run: r, outcomes: make(map[string]qa.Outcome)}
	if s.part, err = shard.Parse(r.Config.Shape.Shard); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, runlog.RunFile), err)
	}
	if s.writing, err = runlog.Writing(dir); err != nil {
		return nil, err
	}
	for _, bad := range r.BadLines {
		m.Notify.Warnf("%s: %v (left out)", dir, bad)
	}
	if r.Unknown > 0 {
		m.Notify.Warnf("%s: %d events of unknown types are left out", dir, r.Unknown)
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
func (p *plan) findEpisodes() error {
	examples, _, err := dataset.Load(filepath.Join(p.shards[0].Dir, runlog.QuestionsFile), nil)
	if err != nil {
		return err
	}
	shardOf := make(map[string]*source)
	repeats := 1
	for _, s := range p.shards {
		repeats = max(repeats, s.Config.Note.Repeats)
		for _, id := range s.UUIDs() {
			_, repeat := qa.SplitEpisodeID(id)
			repeats, shardOf[id] = max(repeats, repeat+1), s
		}
	}
	for repeat := range repeats {
		for _, ex := range examples {
			id := qa.EpisodeID(ex.UUID, repeat)
			if s := shardOf[id]; s != nil {
				p.order = append(p.order, copied{id, s})
				delete(shardOf, id) // a question may be listed twice
			}
		}
	}
	questions := make(map[string]bool)
	for _, c := range p.order {
		uuid, _ := qa.SplitEpisodeID(c.episode)
		questions[uuid] = true
		if c.from.outcomes[c.episode].Failed() {
			p.Failed = append(p.Failed, c.episode)
		}
	}
	slices.Sort(p.Failed)
	p.Result.Questions, p.Episodes = len(questions), len(p.order)
	p.findGaps(repeats)
	return nil
}

// findGaps lists the shards that are missing, and those with episodes that did not end.
func (p *plan) findGaps(repeats int) {
	skipped := p.skipped()
	for i := 1; i <= p.Of; i++ {
		at := slices.IndexFunc(p.shards, func(s *source) bool { return s.part.Index == i })
		if at < 0 {
			part := shard.Part{Index: i, Of: p.Of}
			p.MissingShards = append(p.MissingShards, MissingShard{part.String(), filepath.Join(filepath.Dir(p.shards[0].Dir), part.Folder())})
			continue
		}
		p.Shards = append(p.Shards, i)
		if g := p.shards[at].gap(repeats, skipped); len(g.Missing)+len(g.Unfinished) > 0 {
			p.Incomplete = append(p.Incomplete, g)
		}
	}
}

// gap lists the episodes of a shard that did not end.
func (s *source) gap(repeats int, skipped []string) Gap {
	g := Gap{Shard: s.part.String(), Dir: s.Dir, Writing: s.writing, Episodes: len(s.Config.Note.ShardQuestions) * repeats}
	for repeat := range repeats {
		for _, uuid := range s.Config.Note.ShardQuestions {
			id := qa.EpisodeID(uuid, repeat)
			outcome, begun := s.outcomes[id]
			switch {
			case !begun && slices.Contains(skipped, uuid):
				g.Episodes--
			case !begun:
				g.Missing = append(g.Missing, id)
			case outcome == "":
				g.Unfinished = append(g.Unfinished, id)
			}
		}
	}
	return g
}

// skipped are the questions that were left out because their papers are missing.
func (p *plan) skipped() []string {
	if m := p.shards[0].Config.Note.Missing; m != nil && p.choice() == runlog.MissingSkip {
		return slices.Concat(m.Named, m.Searched)
	}
	return nil
}
