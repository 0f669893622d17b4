package status

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"airqa/qa"
	"airqa/runlog"
)

// Status is the status of a run at one moment.
type Status struct {
	Run      string `json:"run"`
	Baseline string `json:"baseline"`
	Model    string `json:"model"`
	// Shard is the part of the questions that the run answers, such as "3/16"; empty for all.
	Shard string `json:"shard,omitempty"`
	// Shards is set on the total of the shards of a run; see [Totals].
	Shards *Shards `json:"shards,omitempty"`
	// Writing is true while a process writes to the run.
	Writing bool `json:"writing"`
	// Questions is the number of questions in the file, or in the shard, Repeats the maximum number of episodes per question, recorded
	// or planned in run.json. Episodes is their product: the log does not say which questions an invocation selects.
	Questions int `json:"questions"`
	Repeats   int `json:"repeats"`
	Episodes  int `json:"episodes"`
	// Done, Failed, InFlight and Left add up to Episodes. Without a writer, InFlight counts interrupted ones.
	Done     int `json:"done"`
	InFlight int `json:"in_flight"`
	Failed   int `json:"failed"`
	Left     int `json:"left"`
	// Outcomes counts the episodes that ended, including failed ones.
	Outcomes map[qa.Outcome]int `json:"outcomes"`
	// Because is the most frequent reason of failures, BecauseCount its frequency.
	Because      string `json:"because,omitempty"`
	BecauseCount int    `json:"because_count,omitempty"`
	// Usage is the usage of all calls, without Charged, the estimated usage of requests without a reply.
	Usage   qa.Usage `json:"usage"`
	Charged qa.Usage `json:"charged"`
	// CutReplies of Replies were cut off by the reply limit or the window, RefusedReplies refused by the model or a content
	// filter; all are omitted if there were none of either.
	Replies        int `json:"replies,omitempty"`
	CutReplies     int `json:"cut_replies,omitempty"`
	RefusedReplies int `json:"refused_replies,omitempty"`
	// ReplyLimit is that limit in tokens; 0 if the run records none.
	ReplyLimit int `json:"reply_limit,omitempty"`
	// USD is the cost of both; nil if the price is unknown.
	USD  *float64 `json:"usd"`
	Rate *Rate    `json:"rate"`
	// SecondsLeft is an estimate for all questions of the file; nil if nothing is running or no rate is known.
	SecondsLeft *float64 `json:"seconds_left"`
	// LastEvent is the time of the newest event, Quiet the seconds since then; nil without events.
	LastEvent *time.Time `json:"last_event"`
	Quiet     *float64   `json:"quiet_seconds"`
	// Oldest is the longest silence of an episode in flight, in seconds: a long call, or a waiting one.
	Oldest *float64 `json:"oldest_silence_seconds"`
	// Merged lists the shards of a run that was merged while others were missing; nil for other runs.
	Merged *runlog.Merged `json:"merged,omitempty"`
	// Missing counts the questions whose papers are not in the data directory; nil if there are none.
	Missing *runlog.Lacking `json:"missing_papers,omitempty"`
	// BadLines counts unreadable lines of the log.
	BadLines int `json:"bad_lines"`
}

// Rate is the recent rate of a run.
type Rate struct {
	// Seconds is the time span of the episode counts, at most three minutes.
	Seconds           float64 `json:"seconds"`
	EpisodesPerMinute float64 `json:"episodes_per_minute"`
	TokensPerSecond   float64 `json:"tokens_per_second"`
	// Requests counts the requests of recent calls: Refused those with HTTP 429, Broken other failures. Waited is the
	// total wait between them, in seconds.
	Requests int     `json:"requests"`
	Refused  int     `json:"refused"`
	Broken   int     `json:"broken"`
	Waited   float64 `json:"waited_seconds"`
}

// Look reads the new part of the log and returns the status.
func (f *Follower) Look(now time.Time) (Status, error) {
	writing, err := runlog.Writing(f.dir)
	if err != nil {
		return Status{}, err
	}
	if err := f.read(); err != nil {
		return Status{}, err
	}
	s := Status{
		Run: f.dir, Baseline: f.config.Shape.Baseline, Model: f.config.Shape.ModelName(), Shard: f.config.Shape.Shard, Writing: writing,
		Questions: f.questions, Repeats: f.repeats, Episodes: f.questions * f.repeats,
		Outcomes: make(map[qa.Outcome]int), Charged: f.charged, BadLines: f.bad,
	}
	f.count(&s, now)
	s.Merged = f.config.Note.Merged
	begun := make(map[string]bool)
	for id := range f.episodes {
		uuid, _ := qa.SplitEpisodeID(id)
		begun[uuid] = true
	}
	s.Missing = f.config.Note.Missing.Lacking(begun)
	if price := f.config.Note.Price; price != nil {
		s.USD = new(price.Of(s.Usage.Add(s.Charged)))
	}
	if f.last.IsZero() {
		return s, nil
	}
	s.LastEvent, s.Quiet = &f.last, new(max(now.Sub(f.last).Seconds(), 0))
	until := f.last
	if writing && now.After(until) {
		until = now
	}
	s.Rate = f.rate(until)
	s.SecondsLeft = s.secondsLeft()
	return s, nil
}

func (s Status) secondsLeft() *float64 {
	if !s.Writing || s.Rate == nil || s.Rate.EpisodesPerMinute == 0 {
		return nil
	}
	return new(float64(s.Left+s.InFlight) / s.Rate.EpisodesPerMinute * 60)
}

// count sums over the episodes.
func (f *Follower) count(s *Status, now time.Time) {
	reasons := make(map[string]int)
	for _, e := range f.episodes {
		s.Replies, s.CutReplies, s.RefusedReplies = s.Replies+e.replies, s.CutReplies+e.cut, s.RefusedReplies+e.refused
		s.Usage = s.Usage.Add(e.dropped).Add(e.usage)
		switch {
		case e.outcome == "":
			s.InFlight++
			if silence := now.Sub(e.last).Seconds(); s.Writing && (s.Oldest == nil || silence > *s.Oldest) {
				s.Oldest = &silence
			}
			continue
		case e.outcome.Failed():
			s.Failed++
			reasons[e.reason]++
		default:
			s.Done++
		}
		s.Outcomes[e.outcome]++
	}
	if s.CutReplies+s.RefusedReplies == 0 {
		s.Replies = 0
	}
	if s.CutReplies > 0 {
		s.ReplyLimit = f.config.Shape.ReplyLimit()
	}
	s.Left = max(s.Episodes-s.Done-s.Failed-s.InFlight, 0)
	if sorted := byCount(reasons); len(sorted) > 0 {
		s.Because, s.BecauseCount = sorted[0], reasons[sorted[0]]
	}
}

// byCount sorts names by their counts, the highest first, then by name.
func byCount[K ~string](counts map[K]int) []K {
	return slices.SortedFunc(maps.Keys(counts), func(a, b K) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}

// rate is the rate before a moment; nil if nothing happened in the window.
func (f *Follower) rate(until time.Time) *Rate {
	begin := until
	done := 0
	for _, e := range f.events {
		if e.at.Before(until.Add(-window)) || e.at.After(until) {
			continue
		}
		if e.at.Before(begin) {
			begin = e.at
		}
		if e.done {
			done++
		}
	}
	seconds := until.Sub(begin).Seconds()
	if seconds <= 0 {
		return nil
	}
	r := &Rate{Seconds: seconds, EpisodesPerMinute: float64(done) / seconds * 60}
	f.tokens(r, until)
	return r
}

// tokens adds the rates of calls, which may cover less time than the episodes.
func (f *Follower) tokens(r *Rate, until time.Time) {
	recent := f.calls[max(len(f.calls)-recentCalls, 0):]
	begin, used := until.Add(-time.Duration(r.Seconds*float64(time.Second))), 0
	if len(recent) == recentCalls && recent[0].Time.After(begin) {
		begin = recent[0].Time
	}
	for _, c := range recent {
		if c.Time.Before(begin) || c.Time.After(until) {
			continue
		}
		used += c.Usage.Prompt + c.Usage.Completion
		for _, a := range c.Attempts {
			r.Requests++
			r.Waited += a.Wait
			switch {
			case a.Status == 429:
				r.Refused++
			case a.Error != "":
				r.Broken++
			}
		}
	}
	if seconds := until.Sub(begin).Seconds(); seconds > 0 {
		r.TokensPerSecond = float64(used) / seconds
	}
}
