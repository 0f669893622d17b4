package status

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"airqa/qa"
	"airqa/run/shard"
)

// Shards are the numbers of the shards of a run that have not ended. Waiting ones were interrupted or have not begun.
type Shards struct {
	Of      int   `json:"of"`
	Running []int `json:"running"`
	Waiting []int `json:"waiting"`

	begun int
}

// Totals adds up the shards of each run that has several. Questions are an estimate while shards have not begun.
func Totals(all []Status) []Status {
	var totals []*Status
	known := make(map[[4]string]*Status)
	for _, s := range all {
		part, err := shard.Parse(s.Shard)
		if err != nil {
			continue
		}
		folder, rest, ok := strings.Cut("/"+s.Run, "/"+part.Folder())
		if folder = filepath.Clean(strings.TrimPrefix(folder+rest, "/")); !ok {
			folder = filepath.Dir(s.Run)
		}
		key := [4]string{folder, fmt.Sprint(part.Of), s.Baseline, s.Model}
		if known[key] == nil {
			known[key] = &Status{
				Run: folder, Baseline: s.Baseline, Model: s.Model, Outcomes: make(map[qa.Outcome]int), USD: new(0.0),
				Shards: &Shards{Of: part.Of, Running: []int{}, Waiting: make([]int, part.Of)},
			}
			for i := range part.Of {
				known[key].Shards.Waiting[i] = i + 1
			}
			totals = append(totals, known[key])
		}
		known[key].add(s, part.Index)
	}
	var list []Status
	for _, s := range totals {
		begun, of := s.Shards.begun, s.Shards.Of
		if begun <= 1 {
			continue
		}
		if begun < of { // the others have as many
			s.Questions = (s.Questions*of + begun/2) / begun
		}
		s.Episodes = s.Questions * s.Repeats
		s.Left = max(s.Episodes-s.Done-s.Failed-s.InFlight, 0)
		s.SecondsLeft = s.secondsLeft()
		list = append(list, *s)
	}
	return list
}

// add adds a shard.
func (s *Status) add(one Status, index int) {
	at := slices.Index(s.Shards.Waiting, index)
	skipped := 0
	if one.Missing != nil {
		skipped = one.Missing.Skipped * one.Repeats
	}
	if ended := one.Left+one.InFlight <= skipped; at >= 0 && (one.Writing || ended) {
		s.Shards.Waiting = slices.Delete(s.Shards.Waiting, at, at+1)
	}
	if one.Writing {
		s.Writing, s.Shards.Running = true, append(s.Shards.Running, index)
	}
	s.Shards.begun++
	s.Repeats, s.Questions, s.ReplyLimit = max(s.Repeats, one.Repeats), s.Questions+one.Questions, one.ReplyLimit
	s.Done, s.InFlight, s.Failed, s.BadLines = s.Done+one.Done, s.InFlight+one.InFlight, s.Failed+one.Failed, s.BadLines+one.BadLines
	s.Replies, s.CutReplies, s.RefusedReplies = s.Replies+one.Replies, s.CutReplies+one.CutReplies, s.RefusedReplies+one.RefusedReplies
	s.Usage, s.Charged = s.Usage.Add(one.Usage), s.Charged.Add(one.Charged)
	for o, n := range one.Outcomes {
		s.Outcomes[o] += n
	}
	if one.BecauseCount > s.BecauseCount {
		s.Because, s.BecauseCount = one.Because, one.BecauseCount
	}
	if s.USD != nil && one.USD != nil {
		s.USD = new(*s.USD + *one.USD)
	} else {
		s.USD = nil
	}
	s.addTimes(one)
}

// addTimes adds the rates of shards that run at a time.
func (s *Status) addTimes(one Status) {
	if one.LastEvent != nil && (s.LastEvent == nil || one.LastEvent.After(*s.LastEvent)) {
		s.LastEvent, s.Quiet = one.LastEvent, one.Quiet
	}
	if r := one.Rate; r != nil && one.Writing {
		if s.Rate == nil {
			s.Rate = &Rate{}
		}
		s.Rate.Seconds = max(s.Rate.Seconds, r.Seconds)
		s.Rate.EpisodesPerMinute += r.EpisodesPerMinute
		s.Rate.TokensPerSecond += r.TokensPerSecond
		s.Rate.Requests, s.Rate.Refused, s.Rate.Broken = s.Rate.Requests+r.Requests, s.Rate.Refused+r.Refused, s.Rate.Broken+r.Broken
		s.Rate.Waited += r.Waited
	}
}

// text counts the shards, and lists the first of those that have not ended.
func (s Shards) text() string {
	const most = 8
	parts := []string{fmt.Sprintf("%d of %d shards ended", s.Of-len(s.Running)-len(s.Waiting), s.Of)}
	for i, list := range [][]int{s.Running, s.Waiting} {
		if n := len(list); n > 0 {
			more := strings.Repeat(" …", min(n/(most+1), 1))
			parts = append(parts, fmt.Sprintf("%d %s: %s%s", n, []string{"running", "waiting"}[i], strings.Trim(fmt.Sprint(list[:min(n, most)]), "[]"), more))
		}
	}
	return strings.Join(parts, "; ")
}
