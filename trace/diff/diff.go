// Package diff compares trajectories. [Of] aligns the steps of two episodes by function and normalized arguments, and names
// the first different action and the first different observation; [OfRuns] lists the questions whose verdict differs
// between two runs, and where their trajectories diverge. [Results] compares two observations, and [SQLLines] lays
// out a statement. The package executes nothing and prints nothing (package trace/text does).
package diff

import (
	"maps"
	"slices"
	"strings"

	"airqa/qa"
	"airqa/runlog"
)

// Kind classifies a [Pair].
type Kind string

// The kinds.
const (
	// Equal is the same action with the same result.
	Equal Kind = "equal"
	// OtherResult is the same action with another result: what the tools act on has changed.
	OtherResult Kind = "other_result"
	// ChangedArgs is the same function with other arguments.
	ChangedArgs Kind = "changed_args"
	// OnlyA and OnlyB are steps without a counterpart.
	OnlyA Kind = "only_a"
	OnlyB Kind = "only_b"
)

// Diff compares two trajectories, A and B.
type Diff struct {
	A Side `json:"a"`
	B Side `json:"b"`
	// Prompt lists the messages before the first reply that differ.
	Prompt []PromptChange `json:"prompt,omitempty"`
	// FirstAction is the first step with different actions, the same number on both sides; nil if all are equal.
	FirstAction *Point `json:"first_action"`
	// FirstResult is the first pair after which the models had seen different observations; nil if there is none.
	FirstResult *Point `json:"first_result"`
	// Diverged classifies where the trajectories part.
	Diverged Divergence `json:"diverged"`
	// Pairs hold every step of both sides once, in order.
	Pairs []Pair `json:"pairs"`
}

// Side is one of the two trajectories. Run, Baseline, Model, Scoring, Judge and Score are empty from [Of].
type Side struct {
	Run      string     `json:"run,omitempty"`
	Baseline string     `json:"baseline,omitempty"`
	Model    string     `json:"model,omitempty"`
	Scoring  string     `json:"scoring,omitempty"`
	Judge    string     `json:"judge,omitempty"`
	Score    *qa.Score  `json:"score,omitempty"`
	Episode  string     `json:"episode"`
	Outcome  qa.Outcome `json:"outcome"`
	Answer   qa.Answer  `json:"answer"`
	Steps    int        `json:"steps"`
}

// Pair is a step of A, a step of B, or one of each.
type Pair struct {
	Kind Kind  `json:"kind"`
	A    *Step `json:"a,omitempty"`
	B    *Step `json:"b,omitempty"`
	// Arguments are the names of the arguments that differ; only of [ChangedArgs].
	Arguments []string `json:"arguments,omitempty"`
	// Result is the difference of the two observations; nil if they are equal, or if a step is missing.
	Result *Change `json:"result,omitempty"`
}

// Point is a pair by the numbers of its steps, 0 for one that is missing.
type Point struct {
	Pair int  `json:"pair"` // index in [Diff.Pairs]
	Kind Kind `json:"kind"`
	A    int  `json:"a"`
	B    int  `json:"b"`
}

// Divergence is where two trajectories part.
type Divergence string

// The divergences.
const (
	// Never means that all actions before the final answer are equal, with equal results.
	Never Divergence = "never"
	// AtFirst means that the first action differs.
	AtFirst Divergence = "first_action"
	// AfterResult means that an equal action had another result before any action differed.
	AfterResult Divergence = "other_result"
	// Later means that a later action differs, after equal actions and equal results.
	Later Divergence = "later_action"
)

// Functions of steps without an action.
const (
	NoAction   = "(no action)" // an unreadable reply
	PlainReply = "(reply)"     // a reply of a baseline without tools
)

// Step is a step for display. Text is its action, or the reply if it has none.
type Step struct {
	N        int       `json:"n"`
	By       string    `json:"by"`
	Function string    `json:"function"`
	Text     string    `json:"text"`
	Thought  string    `json:"thought,omitempty"`
	Status   qa.Status `json:"status,omitempty"`
	Result   string    `json:"result,omitempty"`
	// Images are the hashes of the images shown.
	Images []string `json:"images,omitempty"`

	key         string
	action      *qa.Action
	observation *qa.Observation
	// final is true for the step with the answer, which has no observation.
	final bool
}

// Of compares two trajectories, of one question or of any two. It does no I/O, and Of(b, a) is Of(a, b) with the sides
// swapped. Its result refers to the texts of both.
func Of(a, b runlog.Recorded) Diff {
	side := func(rec runlog.Recorded) Side {
		return Side{Episode: rec.Episode, Outcome: rec.Outcome, Answer: rec.Answer, Steps: len(rec.Steps)}
	}
	d := Diff{A: side(a), B: side(b), Prompt: prompts(a.Messages, b.Messages), Pairs: pairs(stepsOf(a), stepsOf(b))}
	d.Diverged = Never
	for i, p := range d.Pairs {
		at := p.at(i)
		if d.FirstAction == nil && p.Kind != Equal && p.Kind != OtherResult {
			// The steps before it are paired by their numbers.
			at = Point{Pair: i, Kind: p.Kind}
			if i < d.A.Steps {
				at.A = i + 1
			}
			if i < d.B.Steps {
				at.B = i + 1
			}
			d.FirstAction = &at
		}
		if d.FirstResult == nil && p.otherResult() {
			d.FirstResult = &at
		}
		if d.Diverged == Never && p.Kind != Equal && !p.final() {
			d.Diverged = p.divergence(i)
		}
	}
	return d
}

func stepsOf(rec runlog.Recorded) []Step {
	list := make([]Step, len(rec.Steps))
	for i, s := range rec.Steps {
		step := Step{N: s.N, By: s.By, Thought: s.Thought(), action: s.Action, observation: s.Observation}
		if s.Reply != nil {
			step.Text = s.Reply.Text
		}
		switch {
		case s.ParseError != nil:
			step.Function, step.key = NoAction, NoAction+s.ParseError.Reason
		case s.Action == nil:
			step.Function, step.key = PlainReply, PlainReply+strings.Join(strings.Fields(step.Text), " ")
		default:
			step.Function, step.Text, step.key = s.Action.Name, s.Action.Text, s.Action.Name
			normal := arguments(s.Action)
			for _, name := range slices.Sorted(maps.Keys(normal)) {
				step.key += "\x00" + name + "=" + normal[name]
			}
		}
		if o := s.Observation; o != nil {
			step.Status, step.Result = o.Status, o.Text
			for _, im := range o.Images {
				step.Images = append(step.Images, im.SHA256)
			}
		}
		list[i] = step
	}
	if n := len(list); n > 0 {
		list[n-1].final = list[n-1].observation == nil && rec.Steps[n-1].ParseError == nil
	}
	return list
}

// pairs aligns the steps by their actions. Steps between two equal actions are aligned by function.
func pairs(a, b []Step) []Pair {
	action := func(s Step) string { return s.key }
	function := func(s Step) string { return s.Function }
	return aligned(a, b, action, func(a, b []Step) []Pair {
		return aligned(a, b, function, func(a, b []Step) (list []Pair) {
			for i := range a {
				list = append(list, Pair{Kind: OnlyA, A: &a[i]})
			}
			for i := range b {
				list = append(list, Pair{Kind: OnlyB, B: &b[i]})
			}
			return list
		})
	})
}

// aligned pairs the steps with equal keys. between returns the pairs of the steps between two of them.
func aligned(a, b []Step, key func(Step) string, between func(a, b []Step) []Pair) (list []Pair) {
	i, j := 0, 0
	for _, m := range append(align(texts(a, key), texts(b, key)), match{len(a), len(b)}) {
		if m.a > i || m.b > j {
			list = append(list, between(a[i:m.a], b[j:m.b])...)
		}
		if m.a < len(a) {
			x, y := &a[m.a], &b[m.b]
			p := Pair{Kind: Equal, A: x, B: y, Result: Results(x.observation, y.observation)}
			switch {
			case x.key != y.key:
				p.Kind, p.Arguments = ChangedArgs, otherArguments(x.action, y.action)
			case p.Result != nil:
				p.Kind = OtherResult
			}
			list = append(list, p)
		}
		i, j = m.a+1, m.b+1
	}
	return list
}

func texts(steps []Step, of func(Step) string) []string {
	list := make([]string, len(steps))
	for i, s := range steps {
		list[i] = of(s)
	}
	return list
}

// divergence classifies the first pair that is not equal, by its index.
func (p Pair) divergence(i int) Divergence {
	switch {
	case p.Kind == OtherResult:
		return AfterResult
	case i == 0:
		return AtFirst
	}
	return Later
}

func (p Pair) at(i int) Point {
	at := Point{Pair: i, Kind: p.Kind}
	if p.A != nil {
		at.A = p.A.N
	}
	if p.B != nil {
		at.B = p.B.N
	}
	return at
}

// otherResult reports whether the models saw different observations at this pair.
func (p Pair) otherResult() bool {
	switch p.Kind {
	case OnlyA:
		return p.A.observation != nil
	case OnlyB:
		return p.B.observation != nil
	}
	return p.Result != nil
}

// final reports whether the steps of the pair are final answers.
func (p Pair) final() bool { return (p.A == nil || p.A.final) && (p.B == nil || p.B.final) }

// StepsAt returns the steps of a point; nil for a missing one.
func (d Diff) StepsAt(at Point) (a, b *Step) {
	for _, p := range d.Pairs[at.Pair:] {
		if p.A != nil && p.A.N == at.A {
			a = p.A
		}
		if p.B != nil && p.B.N == at.B {
			b = p.B
		}
	}
	return a, b
}
