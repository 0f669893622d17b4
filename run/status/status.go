package status

import (
	"encoding/json"
	"sort"
	"time"

	"airqa/qa"
	"airqa/run/runlog"
)

// Status is how a run stands at one moment.
type Status struct {
	Run      string `json:"run"`
	Baseline string `json:"baseline"`
	Model    string `json:"model"`
	// Writing is true while a program writes to the run.
	Writing bool `json:"writing"`
	// Questions are those of the file, Repeats the most episodes that one of them has or, by
	// run.json, gets. Episodes is their product: the log
	// does not say which of the questions a start is to answer.
	Questions int `json:"questions"`
	Repeats   int `json:"repeats"`
	Episodes  int `json:"episodes"`
	// Done, Failed, UnderWay and Left add up to Episodes. Without a writer, those under way were interrupted.
	Done     int `json:"done"`
	UnderWay int `json:"under_way"`
	Failed   int `json:"failed"`
	Left     int `json:"left"`
	// Outcomes counts the episodes that ended, failed ones too.
	Outcomes map[qa.Outcome]int `json:"outcomes"`
	// Because is the commonest reason of the failed ones, BecauseCount how many of them have it.
	Because      string `json:"because,omitempty"`
	BecauseCount int    `json:"because_count,omitempty"`
	// Usage is that of all calls; Charged, which is not in it, what requests without a reply are taken to have used.
	Usage   qa.Usage `json:"usage"`
	Charged qa.Usage `json:"charged"`
	// CutReplies of Replies were cut off by the limit of tokens for one reply; both are left out when none was.
	Replies    int `json:"replies,omitempty"`
	CutReplies int `json:"cut_replies,omitempty"`
	// ReplyLimit is that limit in tokens; 0 when the run records none.
	ReplyLimit int `json:"reply_limit,omitempty"`
	// USD is the cost of both; nil when the price is unknown.
	USD  *float64 `json:"usd"`
	Rate *Rate    `json:"rate"`
	// SecondsLeft is an estimate for all questions of the file; nil when nothing is running or no rate is known.
	SecondsLeft *float64 `json:"seconds_left"`
	// LastEvent is the time of the newest event, Quiet the seconds since. nil without events.
	LastEvent *time.Time `json:"last_event"`
	Quiet     *float64   `json:"quiet_seconds"`
	// Oldest is the longest that an episode under way has been silent, in seconds: a long call, or one that waits.
	Oldest *float64 `json:"oldest_silence_seconds"`
	// Missing counts the questions whose papers are not in the data directory; nil when there is none.
	Missing *runlog.Lacking `json:"missing_papers,omitempty"`
	// BadLines counts lines of the log that cannot be read.
	BadLines int `json:"bad_lines"`
}

// Rate is how fast a run went lately.
type Rate struct {
	// Seconds is how far back the counts of episodes reach, at most three minutes.
	Seconds           float64 `json:"seconds"`
	EpisodesPerMinute float64 `json:"episodes_per_minute"`
	TokensPerSecond   float64 `json:"tokens_per_second"`
	// Requests of the calls that ended lately; Refused those of them with HTTP 429, Broken those that failed otherwise; Waited
	// the seconds that the calls waited between them.
	Requests int     `json:"requests"`
	Refused  int     `json:"refused"`
	Broken   int     `json:"broken"`
	Waited   float64 `json:"waited_seconds"`
}

// Look reads what is new in the log and says how the run stands.
func (f *Follower) Look(now time.Time) (Status, error) {
	writing, err := runlog.Writing(f.dir)
	if err != nil {
		return Status{}, err
	}
	if err := f.read(); err != nil {
		return Status{}, err
	}
	s := Status{
		Run: f.dir, Baseline: f.config.Shape.Baseline, Model: f.config.Shape.ModelName(), Writing: writing,
		Questions: f.questions, Repeats: f.repeats, Episodes: f.questions * f.repeats,
		Outcomes: make(map[qa.Outcome]int), Charged: f.charged, BadLines: f.bad,
	}
	f.count(&s, now)
	s.Missing = f.config.Note.Missing.Lacking(f.begun())
	if price := f.config.Note.Price; price != nil {
		usd := price.Of(s.Usage.Add(s.Charged))
		s.USD = &usd
	}
	if f.last.IsZero() {
		return s, nil
	}
	quiet := max(now.Sub(f.last).Seconds(), 0)
	s.LastEvent, s.Quiet = &f.last, &quiet
	until := f.last
	if writing && now.After(until) {
		until = now
	}
	s.Rate = f.rate(until)
	if ahead := s.Left + s.UnderWay; writing && s.Rate != nil && s.Rate.EpisodesPerMinute > 0 {
		left := float64(ahead) / s.Rate.EpisodesPerMinute * 60
		s.SecondsLeft = &left
	}
	return s, nil
}

// count sums over the episodes.
func (f *Follower) count(s *Status, now time.Time) {
	reasons := make(map[string]int)
	for _, e := range f.episodes {
		s.Replies, s.CutReplies = s.Replies+e.replies, s.CutReplies+e.cut
		s.Usage = s.Usage.Add(e.dropped).Add(e.ended).Add(f.usage(e))
		switch {
		case e.outcome == "":
			s.UnderWay++
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
	if s.CutReplies == 0 {
		s.Replies = 0
	} else {
		s.ReplyLimit = f.config.Shape.ReplyLimit()
	}
	s.Left = max(s.Episodes-s.Done-s.Failed-s.UnderWay, 0)
	s.Because, s.BecauseCount = commonest(reasons)
}

// begun are the questions with an episode.
func (f *Follower) begun() map[string]bool {
	ran := make(map[string]bool)
	for id := range f.episodes {
		uuid, _ := qa.SplitEpisodeID(id)
		ran[uuid] = true
	}
	return ran
}

// usage sums the calls of an episode since its last end.
func (f *Follower) usage(e *episode) qa.Usage {
	var sum qa.Usage
	for _, c := range e.open {
		sum = sum.Add(billOf(c).Usage)
	}
	return sum
}

// billOf reads the costs of a call; a line that cannot be read costs nothing that is known.
func billOf(c call) runlog.Bill {
	bill, err := runlog.Mark{Line: c.line}.Bill()
	if err != nil {
		return runlog.Bill{}
	}
	return bill
}

func commonest(reasons map[string]int) (reason string, count int) {
	var all []string
	for r := range reasons {
		all = append(all, r)
	}
	sort.Slice(all, func(i, j int) bool {
		if reasons[all[i]] != reasons[all[j]] {
			return reasons[all[i]] > reasons[all[j]]
		}
		return all[i] < all[j]
	})
	if len(all) == 0 {
		return "", 0
	}
	return all[0], reasons[all[0]]
}

// rate looks back from a moment; nil when nothing happened in the window.
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

// tokens fills in what is known from the calls, which may reach back less far than the episodes.
func (f *Follower) tokens(r *Rate, until time.Time) {
	recent := f.calls[max(len(f.calls)-recentCalls, 0):]
	begin, used := until.Add(-time.Duration(r.Seconds*float64(time.Second))), 0
	if len(recent) == recentCalls && recent[0].at.After(begin) {
		begin = recent[0].at
	}
	for _, c := range recent {
		if c.at.Before(begin) || c.at.After(until) {
			continue
		}
		bill := billOf(c)
		used += bill.Usage.Prompt + bill.Usage.Completion
		for _, a := range bill.Attempts {
			r.add(a)
		}
	}
	if seconds := until.Sub(begin).Seconds(); seconds > 0 {
		r.TokensPerSecond = float64(used) / seconds
	}
}

func (r *Rate) add(a qa.Attempt) {
	r.Requests++
	r.Waited += a.Wait
	switch {
	case a.Status == 429:
		r.Refused++
	case a.Error != "":
		r.Broken++
	}
}

// JSON is a standing as one line.
func (s Status) JSON() (string, error) {
	raw, err := json.Marshal(s)
	return string(raw), err
}
