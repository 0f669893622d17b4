package trace

import (
	"math"
	"slices"
	"time"

	"airqa/qa"
	"airqa/runlog"
	"airqa/trace/cause"
)

// Status is the state of an answer. Each episode has exactly one.
type Status string

// The statuses. An episode that failed, or that has no verdict, is neither right nor wrong.
const (
	Right    Status = "right"
	Wrong    Status = "wrong"
	Unscored Status = "unscored"
	// Failed means that the endpoint or a tool failed, or that the run was cancelled.
	Failed Status = "failed"
	// Unfinished means that the episode has no outcome yet.
	Unfinished Status = "unfinished"
	// Damaged means that a part of the episode cannot be read.
	Damaged Status = "damaged"
)

// Statuses returns all statuses in the order of lists.
func Statuses() []Status { return []Status{Right, Wrong, Unscored, Failed, Unfinished, Damaged} }

// Row is one episode in a list.
type Row struct {
	// Run is the directory as given, or below the folder that was given.
	Run     string `json:"run"`
	Episode string `json:"episode"`
	UUID    string `json:"uuid"`
	Repeat  int    `json:"repeat"`
	// Short is the shortest prefix of UUID, of eight characters or more, that no other question of the run has.
	Short string `json:"short"`

	Asked
	Facts
}

// Asked is the part of a [Row] that is from the question.
type Asked struct {
	Question string   `json:"question"`
	Tags     []string `json:"tags"`
	Function string   `json:"function"`
	Gold     string   `json:"gold"`
}

// Facts are the part of a [Row] that is computed from the log and the scores.
type Facts struct {
	Status Status `json:"status"`
	// Verdict is empty for an episode without a score.
	Verdict qa.Verdict `json:"verdict,omitempty"`
	// Score is nil without a verdict.
	Score   *float64   `json:"score"`
	Outcome qa.Outcome `json:"outcome"`
	Reason  string     `json:"reason,omitempty"`
	// Given reports whether there is an answer.
	Given  bool   `json:"answer_given"`
	Answer string `json:"answer"`

	Turns int `json:"turns"`
	Steps int `json:"steps"`
	// Prompt and Completion are tokens.
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	// CostUSD is nil if the price of the model was not recorded.
	CostUSD *float64 `json:"cost_usd"`
	// Seconds is the time of requests and actions, without the waits between them.
	Seconds float64   `json:"seconds"`
	Started time.Time `json:"started,omitzero"`
	// CutReplies counts replies cut off by the token limit for one reply.
	CutReplies int `json:"cut_replies,omitempty"`

	// LostAt is empty for a right answer.
	LostAt     cause.Level `json:"lost_at,omitempty"`
	LostAtWeak bool        `json:"lost_at_weak,omitempty"`
	// Cause is empty unless the answer is wrong. Rule is the rule that found it.
	Cause cause.Code `json:"cause,omitempty"`
	Rule  string     `json:"cause_rule,omitempty"`
	// Errors are the kinds of errors of the episode, sorted: those of the field "error" of [Fields].
	Errors []string `json:"errors,omitempty"`
	// Marks counts the marks of the steps by kind; Wasted is the tokens of repeated steps.
	Marks  map[MarkKind]int `json:"marks,omitempty"`
	Wasted int              `json:"wasted_tokens,omitempty"`
}

// Key names an episode among several runs: the run as in [Row], and the episode.
type Key struct{ Run, Episode string }

// Key names the episode of the row.
func (w Row) Key() Key { return Key{w.Run, w.Episode} }

// Tokens is the sum of prompt and completion tokens.
func (f Facts) Tokens() int { return f.Prompt + f.Completion }

// statusOf is the status of an episode with a score, which may be nil.
func statusOf(rec runlog.Recorded, score *qa.Score) Status {
	switch {
	case rec.Outcome == "":
		return Unfinished
	case rec.Outcome.Failed():
		return Failed
	case score == nil || score.Verdict == qa.Unscored:
		return Unscored
	case score.Verdict == qa.Right:
		return Right
	}
	return Wrong
}

// Pending reports whether the cause of a wrong answer, and where its evidence was lost, has not been looked for yet.
func (w *Row) Pending() bool { return w.Status == Wrong && w.Cause == "" }

// found adds what was found about a wrong answer.
func (f *Facts) found(loss cause.Loss, why cause.Cause) {
	f.LostAt, f.LostAtWeak, f.Cause, f.Rule = loss.Level, loss.Weak, why.Code, why.Rule
}

// factsOf computes the facts of an episode except for those of a wrong answer that [Facts.found] adds.
func (r *Run) factsOf(ex qa.Example, rec runlog.Recorded) Facts {
	score := r.scores[rec.Episode]
	usage, seconds := rec.Usage(), 0.0
	failures := classes(rec.FailedAttempts)
	for _, s := range rec.Steps {
		working, _ := s.Time()
		seconds += working
		if s.ParseError != nil {
			failures = append(failures, s.ParseError.Kind)
		}
		if s.Reply != nil {
			failures = append(failures, classes(s.Reply.Attempts)...)
		}
	}
	f := Facts{
		Status: statusOf(rec, score), Outcome: rec.Outcome, Reason: rec.Reason, Given: rec.Answer.Given, Answer: rec.Answer.Text,
		Turns: rec.Turns(), Steps: len(rec.Steps), Prompt: usage.Prompt, Completion: usage.Completion, Started: rec.Started,
		CutReplies: rec.CutReplies(), Seconds: math.Round(1000*seconds) / 1000,
	}
	if price := r.Log.Config.Note.Price; price != nil {
		cost := price.Of(usage.Add(rec.Charged()))
		f.CostUSD = &cost
	}
	if score != nil {
		f.Verdict = score.Verdict
		if score.Verdict != qa.Unscored {
			f.Score = &score.Value
		}
	}
	if f.Status != Wrong {
		f.found(new(cause.Finder).FindLoss(ex, rec, score, runlog.Config{}), cause.Cause{})
	}
	f.Marks, f.Wasted = TallyMarks(Marks(rec))
	for _, kind := range []MarkKind{MarkError, MarkEmpty, MarkReply, MarkRepeated} {
		if f.Marks[kind] > 0 {
			failures = append(failures, string(kind))
		}
	}
	slices.Sort(failures)
	f.Errors = slices.Compact(failures)
	return f
}

// shorten sets the shortest unique prefix of each uuid of a run.
func shorten(rows []Row) {
	const least = 8
	var ids []string
	for _, w := range rows {
		ids = append(ids, w.UUID)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	short := make(map[string]string, len(ids))
	for i, id := range ids {
		n := least
		if i > 0 {
			n = max(n, common(id, ids[i-1])+1)
		}
		if i+1 < len(ids) {
			n = max(n, common(id, ids[i+1])+1)
		}
		short[id] = id[:min(n, len(id))]
	}
	for i := range rows {
		rows[i].Short = short[rows[i].UUID]
	}
}

// common is the length of the common prefix.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
