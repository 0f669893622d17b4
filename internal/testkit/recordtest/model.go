package recordtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"

	"airqa/agent/action"
	"airqa/qa"
	"airqa/tools"
)

// Complete replies to a request. Long conversations are sometimes refused.
func (m *model) Complete(ctx context.Context, r qa.Request) (qa.Reply, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stop != nil {
		if m.left == 0 {
			m.stop()
			return qa.Reply{}, ctx.Err()
		}
		m.left--
	}
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%s %d", r.UUID, r.Step)
	if r.Step > m.Shared {
		_, _ = fmt.Fprintf(h, " %d", r.Repeat)
	}
	random := rand.New(rand.NewPCG(m.Seed, h.Sum64()))
	if len(r.Messages) > 6 && random.IntN(3) == 0 {
		return qa.Reply{}, &qa.CallError{
			Class: qa.FailContextOverflow, Attempts: []qa.Attempt{{Started: clock, Status: 400, Error: qa.FailContextOverflow}}, Err: errors.New("too long"),
		}
	}
	m.requests[Key{r.UUID, r.Repeat, r.Step}] = r
	reply := qa.Reply{
		Usage: qa.Usage{Prompt: 900 + r.Step, Completion: 30}, Model: "policy", ID: fmt.Sprint("reply-", h.Sum64()), Finish: "stop",
		Attempts: []qa.Attempt{{Started: clock, Seconds: 1, Status: 200}},
	}
	m.fill(&reply, r, random)
	if m.Private != "" {
		m.addPrivate(&reply, random)
	}
	return reply, nil
}

// fill writes the text and the calls of a reply.
func (m *model) fill(reply *qa.Reply, r qa.Request, random *rand.Rand) {
	thought := fmt.Sprintf("step %d of the search, café ≤ 日本 \"quoted\" </b>", r.Step)
	if m.Thinking && random.IntN(2) == 0 {
		reply.Text = "<think>\nhm, [Action]: Query() is one way\n</think>\n\n"
	}
	if m.Thinking && random.IntN(2) == 0 {
		reply.Reasoning = "first, look at the paper"
	}
	name, args := m.pick(r, random)
	if len(r.Tools) > 0 && (m.Settings.Protocol == qa.NativeTools || random.IntN(2) == 0) {
		if random.IntN(3) > 0 {
			reply.Text += thought
		}
		reply.ToolCalls = calls(r.Step, name, args, random)
		return
	}
	if !strings.Contains(r.Messages[0].Text, "your turn again") {
		reply.Text += "The result follows.\n```\n" + map[bool]string{true: "42", false: "SELECT broken"}[random.IntN(2) == 0] + "\n```"
		return
	}
	reply.Text += "[Thought]: " + thought + "\n[Action]: " + m.written(name, args, random)
	if random.IntN(4) == 0 {
		reply.Text += "\n[Observation]: invented by the model"
	}
}

// addPrivate puts the private text into some of its places.
func (m *model) addPrivate(reply *qa.Reply, random *rand.Rand) {
	places := random.IntN(32)
	add := func(place int, text *string, old, now string) {
		if places>>place&1 == 1 {
			*text = strings.Replace(*text, old, now, 1)
		}
	}
	add(0, &reply.Text, "", m.Private+"\n")
	add(1, &reply.Text, "of the search", "of the search in "+m.Private+" and")
	add(2, &reply.Text, "-- it's", "-- "+m.Private+" it's")
	add(3, &reply.Reasoning, "first", m.Private)
	if places>>4&1 == 1 {
		reply.Text += "\n" + m.Private
	}
	for i, call := range reply.ToolCalls {
		args := string(call.Arguments)
		add(2, &args, "-- it's", "-- "+m.Private+" it's")
		reply.ToolCalls[i].Arguments = json.RawMessage(args)
	}
}

// calls returns one to three native calls of a tool.
func calls(step int, name string, args map[string]any, random *rand.Rand) (list []qa.ToolCall) {
	raw, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	for i := range 1 + random.IntN(2)*random.IntN(3) {
		list = append(list, qa.ToolCall{ID: fmt.Sprintf("call-%d-%d", step, i), Name: name, Arguments: raw})
	}
	return list
}

// pick returns an action, often one that fails.
func (m *model) pick(r qa.Request, random *rand.Rand) (string, map[string]any) {
	switch n := random.IntN(12); {
	case n < 2:
		return "Query", map[string]any{"sql": "SELECT broken"}
	case n < 3:
		return "Guess", map[string]any{"x": "y"}
	case n < 4:
		return "Query", map[string]any{"statement": "SELECT 1"}
	case n < 6 && r.Step > 2:
		return "Answer", map[string]any{"answer": int64(42 + r.Repeat%2)}
	case n < 8:
		return "View", map[string]any{"paper_id": "p1", "page_number": int64(1 + random.IntN(2))}
	case n < 9:
		return "Retrieve", map[string]any{"query": "a \\frac{1}{2} of it"}
	case n < 10:
		return "Answer", map[string]any{"answer": "\\frac{1}{2}"}
	}
	return "Query", map[string]any{"sql": fmt.Sprintf("SELECT %d AS x -- it's", r.Step)}
}

// written formats a call as models do, sometimes badly.
func (m *model) written(name string, args map[string]any, random *rand.Rand) string {
	spec := action.Spec{Name: name}
	for _, t := range tools.Called(nil) {
		if t.Spec().Name == name {
			spec = t.Spec()
		}
	}
	for key := range args {
		if len(spec.Params) == 0 || name == "Query" && key != "sql" {
			spec.Params = []action.Param{{Name: key, Kind: action.Str}}
		}
	}
	text := action.Format(m.Settings.Protocol.Format()).Write(spec, args)
	switch random.IntN(8) {
	case 0:
		return strings.TrimRight(text, ")}> \n") // cut off
	case 1:
		return "```\n" + text + "\n```"
	case 2:
		return "let me think about it again"
	}
	return text
}
