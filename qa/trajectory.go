package qa

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Span is a range of message indexes, from First up to but not including End.
type Span struct {
	First int `json:"first"`
	End   int `json:"end"`
}

// Step is one turn of an episode: a call of the model, its parsed reply, and the observation.
type Step struct {
	// N counts from 1.
	N int `json:"n"`
	// By is [ByModel], or [ByProgram] for an action of a baseline itself.
	By string `json:"by"`
	// Shown are the indexes of the messages that the model saw.
	Shown []Span `json:"shown,omitempty"`
	Reply *Reply `json:"reply,omitempty"`
	// Kept is the number of bytes of the reply that stay in the history: text after a parsed action is dropped.
	Kept int `json:"kept,omitempty"`
	// Called is the native call with the action; nil if the action was read from the text.
	Called *ToolCall `json:"called,omitempty"`
	// Others are the results of the reply's other native calls.
	Others []CallResult `json:"others,omitempty"`
	// Unlabelled means that the prompt does not use the label "[Observation]:", because tools are called natively.
	Unlabelled bool `json:"unlabelled,omitempty"`
	// ThoughtAt is the byte range of the thought in the reply; empty if there is none.
	ThoughtAt   Span         `json:"thought_at"`
	Action      *Action      `json:"action,omitempty"`
	ParseError  *ParseError  `json:"parse_error,omitempty"`
	Observation *Observation `json:"observation,omitempty"`
	Started     time.Time    `json:"started"`
	// Acted is when the reply had arrived and the action began; zero before that.
	Acted time.Time `json:"acted,omitzero"`
	Ended time.Time `json:"ended"`
}

// CheckPlaces returns an error if a place in the reply is outside its text. The reader of a log calls it: a turn must not
// silently be empty.
func (s Step) CheckPlaces() error {
	if s.Reply == nil {
		return nil
	}
	places := map[string]Span{"kept part": {End: s.Kept}, "thought": s.ThoughtAt}
	if s.Action != nil {
		places["action"] = Span{s.Action.Start, s.Action.End}
	}
	if s.ParseError != nil {
		places["parse error"] = Span{s.ParseError.Offset, s.ParseError.Offset}
	}
	for _, name := range slices.Sorted(maps.Keys(places)) {
		if p := places[name]; p.First < 0 || p.First > p.End || p.End > len(s.Reply.Text) {
			return fmt.Errorf("the %s of step %d, bytes %d to %d, is outside its reply of %d bytes", name, s.N, p.First, p.End, len(s.Reply.Text))
		}
	}
	return nil
}

// Thought returns the text of the step's thought, empty if the reply has none.
func (s Step) Thought() string {
	if s.Reply == nil || s.ThoughtAt.First < 0 || s.ThoughtAt.First > s.ThoughtAt.End || s.ThoughtAt.End > len(s.Reply.Text) {
		return ""
	}
	return s.Reply.Text[s.ThoughtAt.First:s.ThoughtAt.End]
}

// Time is the duration of the step in seconds: the sum over its requests and its action, and the pauses before requests. It
// is not the span from start to end, which may include the night between two invocations.
func (s Step) Time() (working, waiting float64) {
	if !s.Acted.IsZero() {
		working = s.Ended.Sub(s.Acted).Seconds()
	}
	if s.Reply == nil {
		return working, 0
	}
	for _, a := range s.Reply.Attempts {
		working += a.Seconds
		waiting += a.Wait
	}
	if len(s.Reply.Attempts) > 0 {
		return working, waiting
	}
	// A model in process makes no requests.
	replied := s.Ended
	if !s.Acted.IsZero() {
		replied = s.Acted
	}
	return working + replied.Sub(s.Started).Seconds(), waiting
}

// Message returns the assistant message that represents the step's reply in the history: the reply up to the end of its
// action. Text after the action (a model inventing its own observation) is dropped.
func (s Step) Message() Message {
	m := Message{Role: Assistant}
	if s.Called != nil {
		m.ToolCalls = []ToolCall{*s.Called}
	}
	if len(s.Others) > 0 {
		m.ToolCalls = s.Reply.ToolCalls
	}
	if s.Reply == nil || s.Kept < 0 || s.Kept > len(s.Reply.Text) {
		return m // never in a log, see CheckPlaces
	}
	m.Text = s.Reply.Text[:s.Kept]
	if len(s.Reply.Sealed) > 0 {
		m.Reasoning, m.Sealed = s.Reply.Reasoning, s.Reply.Sealed
	}
	return m
}

// ObservationMessage returns the message that shows the step's observation to the model: the result of its native call,
// or a user message, with the label "[Observation]:" if the prompt uses it.
func (s Step) ObservationMessage() Message {
	o := *s.Observation
	switch {
	case s.Called != nil:
		return Message{Role: ToolResult, Text: o.Text, Images: o.Images, ToolCallID: s.Called.ID, Others: s.Others}
	case !s.Unlabelled:
		return ObservationMessage(o)
	case s.Action != nil:
		o.Text = "Result of " + s.Action.Name + ":\n" + o.Text
	}
	return Message{Role: User, Text: o.Text, Images: o.Images}
}

// Trajectory is the complete record of one question: the messages in order, and the steps that produced them.
type Trajectory struct {
	// Episode is UUID, a '#', and the repeat index.
	Episode  string    `json:"episode"`
	UUID     string    `json:"uuid"`
	Repeat   int       `json:"repeat"`
	Messages []Message `json:"messages"`
	Steps    []Step    `json:"steps"`
	// Outcome is empty while the episode is unfinished.
	Outcome Outcome `json:"outcome"`
	Reason  string  `json:"reason,omitempty"`
	Answer  Answer  `json:"answer"`
	// Transient means that a [ToolFailure] was caused by an [UnavailableError], or that an [EndpointError] lasted until the
	// deadline of the question.
	Transient bool `json:"transient,omitempty"`
	// FailedAttempts are the requests of calls without a reply, including those of earlier invocations.
	FailedAttempts []Attempt `json:"failed_attempts,omitempty"`
	Started        time.Time `json:"started"`
	Ended          time.Time `json:"ended"`
}

// Usage sums the tokens of all steps. Cached replies count as zero.
func (t Trajectory) Usage() Usage {
	var sum Usage
	for _, s := range t.Steps {
		if s.Reply != nil && !s.Reply.Cached {
			sum = sum.Add(s.Reply.Usage)
		}
	}
	return sum
}

// Charged sums the assumed cost of requests without a reply, see [Attempt].
func (t Trajectory) Charged() Usage {
	sum := charged(t.FailedAttempts)
	for _, s := range t.Steps {
		if s.Reply != nil {
			sum = sum.Add(charged(s.Reply.Attempts))
		}
	}
	return sum
}

func charged(attempts []Attempt) Usage {
	var sum Usage
	for _, a := range attempts {
		if a.Charged != nil {
			sum = sum.Add(*a.Charged)
		}
	}
	return sum
}

// Turns counts the calls of the model.
func (t Trajectory) Turns() int {
	n := 0
	for _, s := range t.Steps {
		if s.Reply != nil {
			n++
		}
	}
	return n
}

// CutReplies counts the replies truncated by the token limit.
func (t Trajectory) CutReplies() int {
	n := 0
	for _, s := range t.Steps {
		if s.Reply != nil && s.Reply.Finish == FinishLength {
			n++
		}
	}
	return n
}

// EpisodeID returns the name of an episode: the question's UUID, a '#' and the repeat index, from 0.
func EpisodeID(uuid string, repeat int) string { return uuid + "#" + strconv.Itoa(repeat) }

// SplitEpisodeID returns the UUID and the repeat index of an episode's name. The UUID itself may contain a '#'.
func SplitEpisodeID(id string) (uuid string, repeat int) {
	at := strings.LastIndexByte(id, '#')
	if at < 0 {
		return id, 0
	}
	repeat, _ = strconv.Atoi(id[at+1:])
	return id[:at], repeat
}

// NamedEpisodes returns the elements of a list whose episode begins with what a user gave. A prefix of the uuid may be followed by
// the whole number of a repeat, as lists show it: "1e6bccdd#1" is not "1e6bccdd#10".
func NamedEpisodes[T any](list []T, episode func(T) string, given string) (found []T) {
	prefix, repeat := SplitEpisodeID(given)
	whole := given == EpisodeID(prefix, repeat)
	var exact []T
	for _, v := range list {
		id := episode(v)
		if strings.HasPrefix(id, given) {
			found = append(found, v)
		}
		if uuid, n := SplitEpisodeID(id); whole && n == repeat && strings.HasPrefix(uuid, prefix) {
			exact = append(exact, v)
		}
	}
	if len(exact) > 0 {
		return exact
	}
	return found
}

// ShortEpisode names an episode as commands take it: the start of a UUID, and the repeat unless it is the first.
func ShortEpisode(uuid string, repeat int) string {
	const digits = 8
	if IsUUID(uuid) {
		uuid = uuid[:digits]
	}
	if repeat > 0 {
		return EpisodeID(uuid, repeat)
	}
	return uuid
}

// Who acted in a [Step].
const (
	ByModel   = "model"
	ByProgram = "program"
)

// ToolError is the kind of an error action that was read and failed.
const ToolError = "tool_error"

// ActionResult returns the observation of the action in the reply at an index of the steps, which may be nil, and whether
// there is an action at all, or a reply that lacks one. The program's own action after a reply without one, such as the
// statement that text2sql asks for, is the reply's. fault is set for an error action, one whose observation is an error: a
// kind of [ParseError] or [ToolError].
func ActionResult(steps []Step, i int) (o *Observation, fault string, acts bool) {
	s := steps[i]
	o = s.Observation
	if s.Action == nil && i+1 < len(steps) && steps[i+1].By == ByProgram {
		o = steps[i+1].Observation
	}
	switch {
	case s.Reply == nil || s.Action == nil && s.ParseError == nil && o == nil:
		return o, "", false
	case s.ParseError != nil:
		return o, s.ParseError.Kind, true
	case o != nil && (o.Status.Failed() || slices.ContainsFunc(s.Others, CallResult.Failed)):
		return o, ToolError, true
	}
	return o, "", true
}

// Map returns what f makes of each element.
func Map[T, U any](list []T, f func(T) U) []U {
	made := make([]U, len(list))
	for i, v := range list {
		made[i] = f(v)
	}
	return made
}
