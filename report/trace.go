package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/run/runlog"
)

// Traced is one trajectory with its question and score, for [Traced.Write] and as JSON.
type Traced struct {
	Question     string   `json:"question"`
	AnswerFormat string   `json:"answer_format"`
	Tags         []string `json:"tags"`
	// Evaluator holds the function and its arguments, including the gold answer.
	Evaluator qa.Evaluator `json:"evaluator"`
	Score     *qa.Score    `json:"score"`
	Usage     qa.Usage     `json:"usage"`
	Turns     int          `json:"turns"`
	// Fork is the point where the run of the episode was forked from another; usually nil.
	Fork *runlog.Fork `json:"fork,omitempty"`
	// CutReplies counts replies cut off by the token limit for one reply.
	CutReplies int `json:"cut_replies,omitempty"`
	runlog.Recorded
	// Thoughts holds the thought of each step, in order.
	Thoughts []string `json:"thoughts"`
}

// NewTraced combines the parts of one episode; score may be nil.
func NewTraced(ex qa.Example, rec runlog.Recorded, score *qa.Score) Traced {
	thoughts := make([]string, len(rec.Steps))
	for i, s := range rec.Steps {
		thoughts[i] = s.Thought()
	}
	return Traced{
		Question: ex.Question, AnswerFormat: ex.AnswerFormat, Tags: ex.Tags, Evaluator: ex.Evaluator, Score: score,
		Usage: rec.Usage(), Turns: rec.Turns(), CutReplies: rec.CutReplies(), Recorded: rec, Thoughts: thoughts,
	}
}

// WriteJSON prints a trajectory as one line of JSON.
func (t Traced) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(t)
}

// Write prints a trajectory for reading: the question, every turn with thought, action and observation, the outcome and
// the score. Untrusted text is made safe for a terminal.
func (t Traced) Write(w io.Writer) error {
	p := &printer{w: w}
	p.line("Question  %s", terminal.Line(t.Question))
	p.line("Format    %s", terminal.Line(t.AnswerFormat))
	p.line("Tags      %s", terminal.Line(strings.Join(t.Tags, ", ")))
	p.line("Episode   %s", terminal.Line(t.Episode))
	if t.Fork != nil {
		p.line("Fork      %s", ForkText(*t.Fork))
	}
	for _, m := range t.Messages {
		if m.Role == qa.System {
			p.block("system prompt", fmt.Sprintf("(%d characters; --json shows it)", len(m.Text)))
			continue
		}
		if m.Role == qa.Assistant {
			break
		}
		p.block(string(m.Role), m.Text)
	}
	for _, s := range t.Steps {
		p.step(s)
	}
	p.line("")
	p.line("Outcome   %s", strings.TrimSuffix(t.outcome()+": "+terminal.Line(t.Reason), ": "))
	answer := "(none)"
	if t.Answer.Given {
		answer = terminal.Safe(t.Answer.Text)
	}
	p.line("Answer    %s", answer)
	p.line("Gold      %s %s", terminal.Line(t.Evaluator.Func), terminal.Line(string(t.Evaluator.Kwargs)))
	p.line("Score     %s", t.score())
	p.line("Turns     %d, tokens %d prompt + %d completion%s", t.Turns, t.Usage.Prompt, t.Usage.Completion, when(t.Usage.Estimated, estimated)+t.cut("; %d of %d replies cut off at the limit of tokens"))
	return p.err
}

// ForkText describes a fork: "of runs/a, step 2: reply changed by someone".
func ForkText(f runlog.Fork) string {
	text := fmt.Sprintf("of %s, step %d: %s changed", f.Run, f.Step, f.Changed)
	if f.By != "" {
		text += " by " + f.By
	}
	return terminal.Line(text)
}

// cut formats the number of replies that were cut off; "" if there are none.
func (t Traced) cut(format string) string {
	if t.CutReplies == 0 {
		return ""
	}
	return fmt.Sprintf(format, t.CutReplies, t.Turns)
}

func (t Traced) outcome() string {
	if t.Outcome == "" {
		return "unfinished"
	}
	return string(t.Outcome)
}

func (t Traced) score() string {
	if t.Score == nil {
		return "not scored yet (run airqa score)"
	}
	s := fmt.Sprintf("%g (%s) by %s", t.Score.Value, t.Score.Verdict, t.Score.Func)
	if t.Score.Reason != "" {
		s += ": " + terminal.Line(t.Score.Reason)
	}
	return s
}

// estimated marks tokens that the endpoint did not report.
const estimated = " (counted by airqa: the endpoint reported none)"

func when(condition bool, text string) string {
	if condition {
		return text
	}
	return ""
}

func overflowed(a qa.Attempt) bool { return a.Error == qa.FailContextOverflow }

// mostShown is the maximum number of bytes printed of one text: a reply may have megabytes.
const mostShown = 40_000

// printer keeps the first error, so that callers need not check each line.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// block prints a text under a head, indented.
func (p *printer) block(head, text string) {
	p.line("")
	p.line("%s", head)
	if n := len(text) - mostShown; n > 0 {
		text = strings.ToValidUTF8(text[:mostShown], "") + fmt.Sprintf("\n(%d more bytes; --json shows them)", n)
	}
	for line := range strings.Lines(terminal.Safe(text)) {
		p.line("    %s", strings.TrimRight(line, "\n"))
	}
}

func (p *printer) step(s qa.Step) {
	p.line("")
	if s.Reply == nil {
		p.line("── step %d, by the program", s.N)
	} else {
		u := s.Reply.Usage
		working, waiting := StepTime(s)
		p.line("── step %d, %.1f s, tokens %d + %d%s%s, %s%s", s.N, working+waiting, u.Prompt, u.Completion,
			when(u.Estimated, estimated), when(s.Reply.Cached, " (from the cache, not counted)"), shown(s.Shown),
			when(slices.ContainsFunc(s.Reply.Attempts, overflowed), " (shortened: the window did not fit the model)")+cutOff[s.Reply.Finish])
	}
	switch {
	case s.ParseError != nil:
		p.block("reply without an action", s.Reply.Text)
	case s.Action == nil && s.Reply != nil:
		p.block("reply", s.Reply.Text)
	default:
		if thought := s.Thought(); thought != "" {
			p.block("thought", thought)
		}
		p.block("action", s.Action.Text)
	}
	p.notRun(s)
	if o := s.Observation; o != nil {
		p.block("observation ("+string(o.Status)+")", o.Text)
		for _, im := range o.Images {
			p.line("    image images/%s.png, %d x %d pixels", im.SHA256, im.Width, im.Height)
		}
	}
}

// notRun lists the native calls that were not executed.
func (p *printer) notRun(s qa.Step) {
	if s.Reply == nil || s.Called == nil || len(s.Reply.ToolCalls) < 2 {
		return
	}
	lines := []string{fmt.Sprintf("%s was run. Only one call runs per turn; not run:", s.Called.Name)}
	for _, call := range s.Reply.ToolCalls[1:] {
		lines = append(lines, call.Name+" "+string(call.Arguments))
	}
	p.block("several calls", strings.Join(lines, "\n"))
}

// cutOff marks a reply that the endpoint ended, not the model.
var cutOff = map[string]string{
	qa.FinishLength: ", cut off at the limit of tokens", "content_filter": ", stopped by the endpoint's content filter", "refusal": ", refused",
}

// shown lists the messages that the model saw, counted from 0.
func shown(spans []qa.Span) string {
	var parts []string
	for _, s := range spans {
		if s.First < s.End {
			parts = append(parts, fmt.Sprintf("%d-%d", s.First, s.End-1))
		}
	}
	return "messages " + strings.Join(parts, ", ")
}
