package report

import (
	"slices"

	"airqa/eval"
	"airqa/qa"
	"airqa/runlog"
)

// question is one question with its results.
type question struct {
	qa.Example
	// tries are its repeats, by number. A question that was not started has one empty try.
	tries []try
	// dropped is set if only some repeats have a verdict; see [Options.IncludePartial].
	dropped bool
}

// try is one repeat of a question.
type try struct {
	// score is nil if the try was not scored, episode if it is not in the log.
	score   *qa.Score
	episode *episode
}

// scored reports whether a try has a verdict, unscored whether it was scored without one.
func (t try) scored() bool   { return t.score != nil && t.score.Verdict != qa.Unscored }
func (t try) unscored() bool { return t.score != nil && t.score.Verdict == qa.Unscored }

// waits reports whether a try was scored without a verdict, but may still get one.
func (t try) waits() bool { return t.unscored() && !eval.NeverScored(t.score.Reason) }

// counted are the tries that count in the accuracy.
func (q question) counted() []try {
	var some []try
	for _, t := range q.tries {
		if t.scored() && !q.dropped {
			some = append(some, t)
		}
	}
	return some
}

// value is the mean over the counted repeats, in 0..1; ok is false if there are none.
func (q question) value() (value float64, ok bool) {
	tries := q.counted()
	if len(tries) == 0 {
		return 0, false
	}
	for _, t := range tries {
		value += t.score.Value
	}
	return value / float64(len(tries)), true
}

// bounds are the lowest and highest value that the verdicts allow: every scored try without one may be wrong or right.
// It is false if nothing was scored, or if there is no evaluator.
func (q question) bounds() (low, high float64, ok bool) {
	var tries, unknown, sum float64
	for _, t := range q.tries {
		switch {
		case t.scored():
			tries, sum = tries+1, sum+t.score.Value
		case t.waits():
			tries, unknown = tries+1, unknown+1
		}
	}
	return sum / tries, (sum + unknown) / tries, tries > 0
}

// seen reports whether the question was scored at all.
func (q question) seen() bool {
	return slices.ContainsFunc(q.tries, func(t try) bool { return t.score != nil })
}

// Cluster identifies questions that are not independent, because the difficulty of a paper correlates its questions: by the
// first paper that a question is about, or the question itself.
func Cluster(ex qa.Example) string {
	if len(ex.AnchorPDF) > 0 {
		return ex.AnchorPDF[0]
	}
	return "question " + ex.UUID
}

// gather joins questions, scores and episodes, in the order of the questions.
func (o Options) gather(examples []qa.Example, scores []qa.Score, episodes []episode) []question {
	byID := make(map[string]try)
	repeats := 1
	for i, s := range scores {
		id := qa.EpisodeID(s.UUID, s.Repeat)
		byID[id] = try{score: &scores[i]}
		repeats = max(repeats, s.Repeat+1)
	}
	for i, e := range episodes {
		t := byID[e.id]
		t.episode = &episodes[i]
		byID[e.id] = t
		repeats = max(repeats, e.repeat+1)
	}
	questions := make([]question, len(examples))
	for i, ex := range examples {
		questions[i].Example = ex
		for repeat := range repeats {
			questions[i].tries = append(questions[i].tries, byID[qa.EpisodeID(ex.UUID, repeat)])
		}
		questions[i].dropped = o.drops(questions[i].tries)
	}
	return questions
}

// drops reports whether a question with these tries is only partly scored. Repeats that have not run do not matter, because
// what is missing does not depend on the answer.
func (o Options) drops(tries []try) bool {
	return !o.IncludePartial && slices.ContainsFunc(tries, try.scored) && slices.ContainsFunc(tries, try.unscored)
}

// episode is the part of an episode that a report needs.
type episode struct {
	id       string
	repeat   int
	outcome  qa.Outcome
	finished bool
	// damaged means that the log is unreadable; the other fields are empty then.
	damaged bool
	turns   int
	usage   qa.Usage
	// charged is the estimated usage of requests without a reply.
	charged qa.Usage
	// working and waiting are in seconds: requests and actions, and pauses before requests.
	working, waiting float64
	actions          Actions
}

func readEpisodes(run *runlog.Run) []episode {
	var list []episode
	for rec, err := range run.Episodes() {
		if err != nil {
			list = append(list, episode{id: rec.Episode, repeat: rec.Repeat, damaged: true})
			continue
		}
		e := episode{
			id: rec.Episode, repeat: rec.Repeat, outcome: rec.Outcome, finished: rec.Finished(),
			turns: rec.Turns(), usage: rec.Usage(), charged: rec.Charged(),
		}
		for i, s := range rec.Steps {
			working, waiting := s.Time()
			e.working, e.waiting = e.working+working, e.waiting+waiting
			e.actions.add(qa.ActionResult(rec.Steps, i))
		}
		for _, a := range rec.FailedAttempts {
			e.working += a.Seconds
			e.waiting += a.Wait
		}
		list = append(list, e)
	}
	return list
}

// within is the share of right answers by number of model calls; see [Row].
func within(questions []question) []float64 {
	var at []float64
	n := 0.0
	for _, q := range questions {
		tries := q.counted()
		if len(tries) == 0 {
			continue
		}
		n++
		for _, t := range tries {
			if t.episode == nil || t.episode.turns == 0 {
				continue
			}
			for len(at) < t.episode.turns {
				at = append(at, 0)
			}
			at[t.episode.turns-1] += 100 * t.score.Value / float64(len(tries))
		}
	}
	sum := 0.0
	for i := range at {
		sum += at[i]
		at[i] = sum / n
	}
	return at
}
