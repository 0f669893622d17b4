package diff

import (
	"context"
	"slices"

	"airqa/qa"
	"airqa/runlog"
)

// Runs lists the episodes whose verdict differs between two runs.
type Runs struct {
	// A and B are the runs; the fields of an episode are empty.
	A, B Side
	// Settings are the keys of run.json that differ.
	Settings []runlog.Change
	// Both counts the episodes with a score in both runs, Other those in one of them only.
	Both, Other int
	Flips       []Flip
	// Damaged are the errors of episodes that could not be read.
	Damaged []error
}

// Flip is an episode whose verdict differs between two runs.
type Flip struct {
	Episode  string `json:"episode"`
	UUID     string `json:"uuid"`
	Repeat   int    `json:"repeat"`
	Question string `json:"question"`
	Gold     string `json:"gold"`
	// Change is [Lost], [Won] or [NoVerdict].
	Change   Flipped    `json:"change"`
	Diverged Divergence `json:"diverged"`
	// Step is the first one whose action or result differs; 0 if there is none.
	Step int `json:"step"`
	// Result is the difference of its results if its action is equal; otherwise nil.
	Result *Change     `json:"result,omitempty"`
	A      FlippedSide `json:"a"`
	B      FlippedSide `json:"b"`
}

// FlippedSide is one of the two episodes of a [Flip].
type FlippedSide struct {
	Run     string     `json:"run"`
	Verdict qa.Verdict `json:"verdict"`
	Outcome qa.Outcome `json:"outcome"`
	Answer  string     `json:"answer"`
	// Action is that of the diverging step; empty if the episode ended before it.
	Action string `json:"action"`
}

// Flipped is the direction of a [Flip].
type Flipped string

// The directions.
const (
	Lost      Flipped = "lost"       // right in A, wrong in B
	Won       Flipped = "won"        // wrong in A, right in B
	NoVerdict Flipped = "no_verdict" // unscored in one of them
)

// Divergences lists them in the order of a report.
func Divergences() []Divergence { return []Divergence{Never, AtFirst, AfterResult, Later} }

// OfRuns lists the flips between two scored runs, in the order of A. Repeats are paired by their number.
func OfRuns(ctx context.Context, a, b Source) (Runs, error) {
	r := Runs{Settings: append([]runlog.Change{}, runlog.Changes(a.Config.Shape, b.Config.Shape)...), Flips: []Flip{}}
	inA, err := a.describe(&r.A)
	if err != nil {
		return Runs{}, err
	}
	inB, err := b.describe(&r.B)
	if err != nil {
		return Runs{}, err
	}
	for _, name := range a.UUIDs() {
		x, y := inA[name], inB[name]
		if x == nil || y == nil {
			continue
		}
		r.Both++
		change := changeOf(x.Verdict, y.Verdict)
		if change == "" {
			continue
		}
		if err := ctx.Err(); err != nil {
			return r, context.Cause(ctx)
		}
		q, err := episodes(a, b, name, name)
		if err != nil {
			r.Damaged = append(r.Damaged, err)
			continue
		}
		f := flipOf(q, x, y)
		f.Change, f.A.Run, f.B.Run = change, a.Dir, b.Dir
		r.Flips = append(r.Flips, f)
	}
	r.Other = len(inA) + len(inB) - 2*r.Both
	return r, nil
}

// changeOf returns the direction of a flip; "" for none.
func changeOf(a, b qa.Verdict) Flipped {
	switch {
	case (a == qa.Unscored) != (b == qa.Unscored):
		return NoVerdict
	case (a == qa.Right) == (b == qa.Right):
		return ""
	case a == qa.Right:
		return Lost
	}
	return Won
}

func flipOf(q Question, a, b *qa.Score) Flip {
	f := Flip{
		Episode: q.A.Episode, UUID: a.UUID, Repeat: a.Repeat, Question: q.Question, Gold: q.Gold, Diverged: q.Diverged,
		A: FlippedSide{Verdict: a.Verdict, Outcome: q.A.Outcome, Answer: q.A.Answer.Text},
		B: FlippedSide{Verdict: b.Verdict, Outcome: q.B.Outcome, Answer: q.B.Answer.Text},
	}
	i := slices.IndexFunc(q.Pairs, func(p Pair) bool { return p.Kind != Equal })
	if i < 0 {
		return f
	}
	f.Step = i + 1 // up to here the steps are paired by their numbers
	if q.Pairs[i].Kind == OtherResult {
		f.Result = q.Pairs[i].Result
	}
	x, y := q.StepsAt(Point{Pair: i, A: f.Step, B: f.Step})
	if x != nil {
		f.A.Action = x.Text
	}
	if y != nil {
		f.B.Action = y.Text
	}
	return f
}
