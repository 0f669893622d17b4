package serve

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"airqa/agent"
	"airqa/eval/stream"
	"airqa/qa"
	"airqa/tools"
)

// Session is what one client holds: a place on the host and at most one episode. Its calls are executed one at a time.
type Session struct {
	// ID cannot be guessed: who knows it may call the tools.
	ID, Face, Client string

	host    *Host
	used    atomic.Int64 // time of the last call
	closed  atomic.Bool
	retired bool          // guarded by the host
	kept    sync.Map      // what faces attach, by face
	turn    chan struct{} // holds a value while a call runs

	// The rest is guarded by turn.
	example qa.Example
	start   Start
	tools   tools.Set
	loop    *agent.Loop
	reply   qa.Reply // of the call that runs
	steps   int
	end     *End
	last    Result // of the call with key
	key     string
}

// Call is one call of a tool.
type Call struct {
	Tool      string
	Arguments json.RawMessage
	// Key identifies the request of the client; the same key in succession returns the same result without another step. A
	// call with a key runs to its end, also if the client leaves, which may ask again. It may be empty.
	Key string
}

// Result is the result of a call.
type Result struct {
	qa.Observation
	// End is set by the last call of an episode.
	End *End
}

// Failed reports whether the call was a mistake of the client, which Text explains.
func (r Result) Failed() bool { return r.Status.Failed() }

// End is the end of an episode.
type End struct {
	Outcome qa.Outcome `json:"outcome"`
	Reason  string     `json:"reason,omitempty"`
	// Reward is in [0, 1]; nil if the answer could not be scored, for the reason Problem.
	Reward  *float64 `json:"reward"`
	Problem string   `json:"problem,omitempty"`
	// Parts are the named parts of the reward, for the trainer only.
	Parts Parts `json:"parts"`
}

// Parts are what a reward consists of, besides other numbers of the episode.
type Parts struct {
	Evaluator    string     `json:"evaluator"`
	Verdict      qa.Verdict `json:"verdict"`
	Turns        int        `json:"turns"`
	FormatErrors int        `json:"format_errors"`
}

// State is what an agent may know of its episode.
type State struct {
	Episode string `json:"episode_id"`
	Steps   int    `json:"step_count"`
	Limit   int    `json:"step_limit"`
	Done    bool   `json:"done"`
}

// Start is the beginning of an episode.
type Start struct {
	Task
	Episode string `json:"episode_id"`
	// System and Prompt are the first two messages for a model: the system prompt of the baseline, and the question.
	System string `json:"system"`
	Prompt string `json:"prompt"`
}

// Touch keeps an idle session open.
func (s *Session) Touch() { s.used.Store(s.host.Now().UnixNano()) }

// lock waits until no other call of the session runs.
func (s *Session) lock(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if s.closed.Load() {
		<-s.turn
		return ErrNoSession
	}
	s.Touch()
	return nil
}

func (s *Session) unlock() {
	s.Touch()
	<-s.turn
}

// begin starts a call, which the host waits for when it closes, and whose context ends then. The caller calls end.
func (s *Session) begin(ctx context.Context) (until context.Context, end func(), err error) {
	until, release, err := s.host.Hold(ctx)
	if err != nil {
		return nil, nil, err
	}
	if err := s.lock(until); err != nil {
		release()
		return nil, nil, err
	}
	return until, func() {
		s.unlock()
		release()
	}, nil
}

// Close ends the session. An unfinished episode stays unfinished in the log.
func (s *Session) Close() {
	s.host.mu.Lock()
	if s.host.sessions[s.ID] == s && s.retired {
		s.host.retired--
	}
	delete(s.host.sessions, s.ID)
	s.host.mu.Unlock()
	s.closed.Store(true)
}

// Retire frees the place of a session whose episode has ended. Its end can still be read, until it is idle for too long.
func (s *Session) Retire() {
	s.host.mu.Lock()
	if s.host.sessions[s.ID] == s && !s.retired {
		s.retired = true
		s.host.retired++
	}
	s.host.mu.Unlock()
	if s.lock(context.Background()) == nil {
		s.start.System, s.start.Prompt, s.last = "", "", Result{} // they take memory
		s.unlock()
	}
}

// Reset begins an episode with the question of a choice and abandons an unfinished one.
func (s *Session) Reset(ctx context.Context, c Choice) (Start, error) {
	ex, err := s.host.Pick(c)
	if err != nil {
		return Start{}, err
	}
	_, end, err := s.begin(ctx)
	if err != nil {
		return Start{}, err
	}
	defer end()
	set := s.host.Solver.Tools(ex)
	s.host.mu.Lock()
	repeat := s.host.repeats[ex.UUID]
	s.host.repeats[ex.UUID]++
	s.host.mu.Unlock()
	setup := agent.Setup{
		UUID: ex.UUID, Repeat: repeat, Model: s, Env: patient{set, s.host.Limits.Call}, Now: s.host.Now,
		Redact: s.host.Writer.Redact,
	}
	if setup.Log, err = s.host.Writer.Begin(ex.UUID, setup.Repeat, nil); err != nil {
		return Start{}, fmt.Errorf("the episode cannot be recorded: %w", err)
	}
	loop, err := s.host.Solver.Start(ex, setup)
	if err != nil {
		return Start{}, fmt.Errorf("the episode cannot begin: %w", err)
	}
	t := loop.Trajectory()
	s.example, s.tools, s.loop, s.steps = ex, set, loop, 0
	s.end, s.key, s.last = nil, "", Result{}
	s.start = Start{TaskOf(ex), t.Episode, t.Messages[0].Text, t.Messages[1].Text}
	s.host.Stats.Episodes.Add(1)
	return s.start, nil
}

// Act executes a call. A mistake that the model can correct is a result with [Result.Failed]; the error is [ErrNoEpisode],
// [ErrEnded] with the result of the end, [ErrNoTool], or a fault of the server. Answer after an end without a reward judges the
// first answer again.
func (s *Session) Act(ctx context.Context, c Call) (r Result, err error) {
	began := time.Now()
	if c.Key != "" {
		ctx = context.WithoutCancel(ctx)
	}
	defer func() {
		if !errors.Is(err, ErrClosing) {
			s.host.Stats.called(time.Since(began), err != nil)
		}
	}()
	ctx, end, err := s.begin(ctx)
	if err != nil {
		return Result{}, err
	}
	defer end()
	switch {
	case s.example.UUID == "":
		return Result{}, ErrNoEpisode
	case c.Key != "" && c.Key == s.key && s.last.End == nil:
		return s.last, nil
	case s.tools.Find(c.Tool) == nil:
		return Result{}, fmt.Errorf("%w: %.60q", ErrNoTool, c.Tool)
	case s.end != nil:
		return s.ended(ctx, c)
	}
	r, err = s.step(ctx, c)
	if err == nil {
		if s.key, s.last = c.Key, (Result{}); c.Key != "" {
			s.last = r // without a key, nothing asks for it again
		}
	}
	return r, err
}

// ended returns the result of a call after the end.
func (s *Session) ended(ctx context.Context, c Call) (Result, error) {
	switch {
	case c.Key != "" && c.Key == s.key:
		s.judge(ctx)
		s.last.End = s.end
		return s.last, nil
	case c.Tool == tools.AnswerName && s.end.Outcome == qa.Answered && s.end.Reward == nil:
		s.judge(ctx)
		return Result{Observation: qa.Observation{Status: qa.StatusFinal, Text: answered}, End: s.end}, nil
	}
	return Result{End: s.end}, ErrEnded
}

const answered = "The answer is recorded. The episode has ended."

// step takes one turn of the loop with a call in place of a model's reply.
func (s *Session) step(ctx context.Context, c Call) (Result, error) {
	if c.Tool == tools.AnswerName && len(c.Arguments) > s.host.Limits.Answer {
		reason := fmt.Sprintf("the answer has %d bytes; the limit is %d", len(c.Arguments), s.host.Limits.Answer)
		r := Result{Observation: qa.Observation{Status: qa.StatusError, Text: "[Error]: " + reason}}
		return s.finish(ctx, r, s.loop.Finish(qa.TokenLimit, reason, qa.Answer{}))
	}
	s.steps++
	call := qa.ToolCall{ID: fmt.Sprintf("call_%d", s.steps), Name: c.Tool, Arguments: arguments(c.Arguments)}
	s.reply = qa.Reply{ToolCalls: []qa.ToolCall{call}, Model: strings.TrimSuffix(s.Face+"/"+s.Client, "/")}
	o, err := s.loop.Turn(ctx)
	var unwritten *agent.LogError
	switch {
	case errors.Is(err, ErrClosing):
		return Result{}, ErrClosing
	case err != nil && !errors.As(err, &unwritten):
		err = s.loop.Fail(err)
	}
	r := Result{Observation: o}
	if o.Status == qa.StatusFinal {
		r.Text = answered
	}
	return s.finish(ctx, r, err)
}

// finish scores an episode that has ended. An error of the log ends it without a reward.
func (s *Session) finish(ctx context.Context, r Result, err error) (Result, error) {
	t := s.loop.Trajectory()
	if err != nil {
		s.end = &End{Outcome: qa.ToolFailure, Reason: "the log cannot be written", Problem: err.Error(), Parts: s.parts(t)}
		s.host.Log.Error("an episode ended because the log cannot be written", "question", s.example.UUID, "error", err)
		s.loop = nil
		return Result{End: s.end}, errors.New("the episode ended without a reward: its log cannot be written")
	}
	if t.Outcome == "" {
		return r, nil
	}
	s.end = s.score(ctx, t)
	s.host.Stats.Ended.Add(1)
	if s.end.Reward == nil {
		s.host.Log.Warn("an episode has no reward", "question", s.example.UUID, "reason", s.end.Problem)
	} else {
		s.loop = nil // its messages take memory
	}
	if r.End = s.end; s.end.Reward == nil && errors.Is(context.Cause(ctx), ErrClosing) {
		return Result{}, ErrClosing
	}
	if r.Text == "" {
		r.Text = "The episode has ended: " + cmp.Or(t.Reason, string(t.Outcome)) + "."
	}
	return r, nil
}

// score computes the reward as airqa score does. The end of ctx does not stop it: a judge is being paid, or it takes a moment.
func (s *Session) score(ctx context.Context, t qa.Trajectory) *End {
	const scoreTimeout = 5 * time.Minute
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), scoreTimeout)
	defer cancel()
	ex := s.example
	gold, ok := s.host.golds.Load(ex.UUID)
	if !ok {
		gold, _ = s.host.golds.LoadOrStore(ex.UUID, stream.NewGold(s.host.Scorer, ex.UUID, ex.Evaluator))
	}
	item := stream.ItemOf(gold.(*stream.Gold), t)
	score := item.Score(ctx)
	end := &End{Outcome: t.Outcome, Reason: t.Reason, Parts: s.parts(t)}
	end.Parts.Verdict = score.Verdict
	switch {
	case score.Verdict == qa.Unscored:
		end.Problem = cmp.Or(score.Reason, "unscored")
	case math.IsNaN(score.Value) || score.Value < 0 || score.Value > 1:
		end.Problem = fmt.Sprintf("the score %v is not in [0, 1]", score.Value)
	default:
		end.Reward = &score.Value
	}
	return end
}

func (s *Session) parts(t qa.Trajectory) Parts {
	p := Parts{Evaluator: s.example.Evaluator.Func, Turns: t.Turns()}
	for _, step := range t.Steps {
		if step.ParseError != nil {
			p.FormatErrors++
		}
	}
	return p
}

// End returns the end of the episode; nil while it is unfinished. An answer whose judge failed is judged again.
func (s *Session) End(ctx context.Context) (*End, error) {
	ctx, done, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	s.judge(ctx)
	return s.end, nil
}

// judge scores an answer whose judge failed again.
func (s *Session) judge(ctx context.Context) {
	if s.end != nil && s.end.Reward == nil && s.loop != nil && !s.end.Outcome.Failed() {
		if s.end = s.score(ctx, s.loop.Trajectory()); s.end.Reward != nil {
			s.loop = nil
		}
	}
}

// Started returns the beginning of the episode.
func (s *Session) Started(ctx context.Context) (Start, error) {
	if err := s.lock(ctx); err != nil {
		return Start{}, err
	}
	defer s.unlock()
	if s.example.UUID == "" {
		return Start{}, ErrNoEpisode
	}
	return s.start, nil
}

// State returns what an agent may know.
func (s *Session) State(ctx context.Context) (State, error) {
	if err := s.lock(ctx); err != nil {
		return State{}, err
	}
	defer s.unlock()
	return State{Episode: s.start.Episode, Steps: s.steps, Limit: s.host.Solver.Settings().Turns, Done: s.end != nil}, nil
}

// GiveUp ends an unfinished episode without an answer.
func (s *Session) GiveUp(ctx context.Context) error {
	ctx, done, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer done()
	if s.end != nil || s.loop == nil {
		return nil
	}
	_, err = s.finish(ctx, Result{}, s.loop.Finish(qa.TurnLimit, "the client ended the episode without an answer", qa.Answer{}))
	return err
}

// Attach returns what a face keeps with the session; the first call makes it.
func (s *Session) Attach(face string, create func() any) any {
	kept, ok := s.kept.Load(face)
	if !ok {
		kept, _ = s.kept.LoadOrStore(face, create())
	}
	return kept
}

// AnswerField is the argument of Answer that has the answer.
func (h *Host) AnswerField() string { return tools.Answer{Kind: h.Kind()}.Field() }

// AnswerWith is the call of Answer with a text.
func (s *Session) AnswerWith(text string) Call {
	raw, _ := json.Marshal(map[string]string{s.host.AnswerField(): text}) // of strings
	return Call{Tool: tools.AnswerName, Arguments: raw}
}

// Complete returns the call of the client as the reply of a model, for the loop.
func (s *Session) Complete(context.Context, qa.Request) (qa.Reply, error) { return s.reply, nil }

// arguments are the arguments of a call as a log can have them: JSON, or a JSON string with a text that is none.
func arguments(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage("{}")
	}
	var compact bytes.Buffer // the whitespace is the client's, not the model's
	if json.Compact(&compact, raw) == nil {
		return compact.Bytes()
	}
	text, _ := json.Marshal(string(raw)) // of a string
	return text
}

// patient executes actions under the timeout of a call. A call that takes too long, or whose client has gone, is a mistake like
// a slow statement: the episode continues.
type patient struct {
	tools.Set
	limit time.Duration
}

func (p patient) Act(ctx context.Context, a qa.Action) (qa.Observation, error) {
	bounded, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	o, err := p.Set.Act(bounded, a)
	switch {
	case err == nil || bounded.Err() == nil:
		return o, err
	case errors.Is(context.Cause(ctx), ErrClosing):
		return o, ErrClosing
	case ctx.Err() != nil:
		return qa.Observation{Status: qa.StatusError, Text: "[Error]: the call was cancelled by the client."}, nil
	}
	return qa.Observation{Status: qa.StatusError, Text: fmt.Sprintf("[Error]: the call took longer than %s and was stopped.", p.limit)}, nil
}
