package train

import (
	"cmp"
	"slices"

	"airqa/agent/action"
	"airqa/qa"
	"airqa/runlog"
	"airqa/tools"
)

// Rows returns the rows of an episode in the order of its turns, and the turns that cannot be trained. Every turn of the
// model is in exactly one of the two lists.
func (r *Run) Rows(rec runlog.Recorded, o RowOptions) (rows []Row, dropped []Drop) {
	for i, s := range rec.Steps {
		if s.Reply == nil {
			continue
		}
		reason, detail := Failure(rec, i)
		_, fault, _ := qa.ActionResult(rec.Steps, i)
		if reason == "" || fault != "" && o.Errors == KeepErrors {
			row := r.RowAt(rec, i, o)
			if fault != "" {
				row.Errors = 1
			}
			if row.Target.Text != "" || len(row.Target.ToolCalls) > 0 {
				rows = append(rows, row)
				continue
			}
			reason = EmptyTarget
		}
		dropped = append(dropped, Drop{r.Turn(rec, i), reason, detail})
	}
	return rows, dropped
}

// RowAt returns the row of the turn at an index of the steps, even of one that should not be trained. The step must have
// a reply.
func (r *Run) RowAt(rec runlog.Recorded, i int, o RowOptions) Row {
	s := rec.Steps[i]
	n := 0
	for _, span := range s.Shown {
		n += span.End - span.First
	}
	shown := slices.Grow([]qa.Message(nil), max(0, min(n, len(rec.Messages))))
	for _, span := range s.Shown {
		shown = append(shown, rec.Messages[span.First:span.End]...)
	}
	if o.Thinking == ThinkingLast || o.Thinking == ThinkingDrop {
		grammar := r.grammar()
		for i, m := range shown {
			if m.Role == qa.Assistant {
				shown[i].Text = grammar.WithoutThinking(m.Text)
			}
		}
	}
	return Row{
		ID: r.Turn(rec, i), Run: r.ID, UUID: rec.UUID, Repeat: rec.Repeat, Turn: s.N,
		Context: shown, Target: r.target(s, o), Tools: r.Tools,
	}
}

// Turns returns the ids of all turns of the model in an episode.
func (r *Run) Turns(rec runlog.Recorded) []string {
	var ids []string
	for i, s := range rec.Steps {
		if s.Reply != nil {
			ids = append(ids, r.Turn(rec, i))
		}
	}
	return ids
}

// Turn returns the id of the turn at an index of the steps.
func (r *Run) Turn(rec runlog.Recorded, i int) string {
	return RowID(r.ID, rec.UUID, rec.Repeat, rec.Steps[i].N)
}

// parseFailures are the reasons of replies without a runnable action.
var parseFailures = map[string]Reason{
	qa.ErrNoAction: NoAction, qa.ErrSyntax: BadSyntax, qa.ErrUnknownAction: UnknownAction, qa.ErrParameter: BadParameter,
}

// Failure returns why the turn at an index of the steps cannot be a target; empty if it can.
func Failure(rec runlog.Recorded, i int) (Reason, string) {
	s := rec.Steps[i]
	o, fault, _ := qa.ActionResult(rec.Steps, i)
	switch {
	case s.ParseError != nil:
		return cmp.Or(parseFailures[fault], BadSyntax), s.ParseError.Reason
	case fault != "":
		text := o.Text
		if at := slices.IndexFunc(s.Others, qa.CallResult.Failed); at >= 0 {
			text = s.Others[at].Text
		}
		return ActionFailed, firstLine(text)
	case o == nil && (rec.Outcome != qa.Answered || i < len(rec.Steps)-1): // not the answer that ended the episode
		return NoResult, string(rec.Outcome)
	}
	return "", ""
}

func (r *Run) target(s qa.Step, o RowOptions) qa.Message {
	m := s.Message()
	m.Reasoning, m.Sealed = "", nil
	if o.Turns == Raw {
		m.Text, m.ToolCalls = s.Reply.Text, s.Reply.ToolCalls
	} else {
		m.Text, m.ToolCalls = r.canonical(s), nil
		for i, call := range s.Message().ToolCalls {
			if i == 0 || i <= len(s.Others) && s.Others[i-1].Status != "" {
				m.ToolCalls = append(m.ToolCalls, call) // without the calls that did not run
			}
		}
	}
	switch {
	case o.Thinking == ThinkingDrop:
		m.Text = r.grammar().WithoutThinking(m.Text)
	case s.Reply.Reasoning != "":
		m.Text = "<think>\n" + s.Reply.Reasoning + "\n</think>\n\n" + m.Text
	}
	return m
}

// grammar reads the actions of the run's replies; it knows all tools.
func (r *Run) grammar() action.Grammar {
	return action.Grammar{Specs: tools.Called(nil).Specs(), Format: r.format}
}

// canonical returns the kept part of a reply with its action as the program prints it. If the printed action would be
// read differently, the reply stays as it is.
func (r *Run) canonical(s qa.Step) string {
	kept := s.Message().Text
	a := s.Action
	if a == nil || s.Called != nil || a.Start >= a.End || a.End > len(kept) {
		return kept
	}
	specs := tools.Called(a.Args).Specs()
	at := slices.IndexFunc(specs, func(s action.Spec) bool { return s.Name == a.Name })
	if at < 0 {
		return kept
	}
	printed := cmp.Or(a.LaTeX, a.Text)
	if r.format != "" && r.format != action.Python {
		printed = r.format.Write(specs[at], a.Args)
	}
	text := kept[:a.Start] + printed + kept[a.End:]
	again := action.Grammar{Specs: specs, Format: r.format}.Read(text)
	if again.Action == nil || cmp.Or(again.Action.LaTeX, again.Action.Text) != cmp.Or(a.LaTeX, a.Text) {
		return kept
	}
	return text[:again.Kept]
}

// firstLine shortens a text for a detail.
func firstLine(text string) string {
	const limit = 200
	for i, r := range text {
		if r == '\n' || i >= limit {
			return text[:i]
		}
	}
	return text
}

// Turns is the form of the targets.
type Turns string

// The forms.
const (
	// Canonical is the turn as later prompts show it, with the action as the program prints it in the run's format.
	Canonical Turns = "canonical"
	// Raw is the whole reply as received.
	Raw Turns = "raw"
)

// Thinking is what happens to thinking: reasoning that the endpoint returned separately, and <think> blocks in replies.
type Thinking string

// The rules for thinking.
const (
	// ThinkingKeep leaves the context as the model saw it and trains the thinking of the target.
	ThinkingKeep Thinking = "keep"
	// ThinkingLast removes it from the context and trains that of the target.
	ThinkingLast Thinking = "last"
	// ThinkingDrop removes it everywhere.
	ThinkingDrop Thinking = "drop"
)

// Errors is what happens to turns whose action failed, see [qa.ActionResult].
type Errors string

// KeepErrors trains them like others.
const KeepErrors Errors = "keep"

// RowOptions define the rows, as flags of a command line. The zero value is [Canonical] and [ThinkingKeep], without error
// actions.
type RowOptions struct {
	Turns    Turns    `default:"canonical" enum:"canonical,raw" help:"Text of the trained turn: canonical (the action in airqa's format, nothing after it) or raw (the reply as received)."`
	Thinking Thinking `default:"keep" enum:"keep,last,drop" help:"Reasoning and <think> blocks: keep, keep in the last turn, or drop."`
	Errors   Errors   `default:"drop" enum:"drop,keep" help:"Turns whose action failed: drop (the paper's error removal; they stay in the context of later turns) or keep (train them too)."`
}
