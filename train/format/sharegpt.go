package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"airqa/qa"
)

// imageMarker stands for an image in a text.
const imageMarker = "<image>"

var turnRoles = map[string]qa.Role{
	roleSystem: qa.System, roleHuman: qa.User, roleGPT: qa.Assistant, roleObservation: qa.ToolResult, roleFunctionCall: qa.Assistant,
}

func readShareGPT(row map[string]json.RawMessage) (c Conversation, err error) {
	f := fields{of: row}
	c.ID = f.text("id")
	system := f.text("system")
	c.Tools = f.tools()
	images := f.images()
	if f.err != nil {
		return c, f.err
	}
	if system != "" {
		c.Messages = append(c.Messages, Message{Role: qa.System, Parts: text(system)})
	}
	var turns []map[string]json.RawMessage
	if err := json.Unmarshal(row["conversations"], &turns); err != nil {
		return c, fmt.Errorf("conversations: %w", err)
	}
	for i, t := range turns {
		m, err := readTurn(t, &images)
		if err != nil {
			return c, fmt.Errorf("turn %d: %w", i+1, err)
		}
		c.Messages = append(c.Messages, m)
	}
	if len(images) > 0 {
		return c, fmt.Errorf("%d images without a marker %s", len(images), imageMarker)
	}
	return c, nil
}

// readRanking reads a preference pair: an odd number of turns and two answers.
func readRanking(row map[string]json.RawMessage) (Conversation, error) {
	c, err := readShareGPT(row)
	if err != nil {
		return c, err
	}
	var answers [2]Message
	for i, key := range []string{"chosen", "rejected"} {
		var turn map[string]json.RawMessage
		if err := json.Unmarshal(row[key], &turn); err != nil {
			return c, fmt.Errorf("%s: %w", key, err)
		}
		if answers[i], err = readTurn(turn, new([]string)); err != nil {
			return c, fmt.Errorf("%s: %w", key, err)
		}
		if answers[i].Role != qa.Assistant {
			return c, fmt.Errorf("%s: want a turn of gpt", key)
		}
	}
	c.Messages, c.Rejected = append(c.Messages, answers[0]), &answers[1]
	return c, c.CheckTurns()
}

// CheckTurns returns an error if the turns of a conversation do not alternate, the first one of the user or a tool and the
// last one of the model: LLaMA-Factory drops such a row of ShareGPT.
func (c Conversation) CheckTurns() error {
	turns := c.Messages
	if len(turns) > 0 && turns[0].Role == qa.System {
		turns = turns[1:]
	}
	for i, m := range turns {
		switch {
		case m.Role == qa.System:
			return fmt.Errorf("turn %d: a system prompt after the start", i+1)
		case (m.Role == qa.Assistant) != (i%2 == 1):
			return fmt.Errorf("turn %d: human (or observation) and gpt (or function_call) do not alternate", i+1)
		}
	}
	if len(turns)%2 == 1 {
		return errors.New("the last turn is not of gpt (or function_call)")
	}
	return nil
}

// readTurn reads a turn. Each marker takes the next image.
func readTurn(t map[string]json.RawMessage, images *[]string) (m Message, err error) {
	f := fields{of: t}
	from, value := f.text("from"), f.text("value")
	if raw := string(t["value"]); raw == "" || raw == "null" {
		f.fail(errors.New("no value"))
	}
	role, ok := turnRoles[from]
	if !ok {
		f.fail(fmt.Errorf("unknown role %.40q", from))
	}
	m.Role, m.Trained = role, f.trained()
	if f.err != nil {
		return m, f.err
	}
	if from == roleFunctionCall {
		m.Calls, err = readFunctions(value)
		return m, err
	}
	for {
		before, after, found := strings.Cut(value, imageMarker)
		if before != "" {
			m.Parts = append(m.Parts, Part{Text: before})
		}
		if !found {
			return m, nil
		}
		if len(*images) == 0 {
			return m, fmt.Errorf("a marker %s without an image", imageMarker)
		}
		m.Parts = append(m.Parts, Part{Image: (*images)[0]})
		*images, value = (*images)[1:], after
	}
}

// readFunctions reads a function_call: an object or a list of them.
func readFunctions(value string) ([]qa.ToolCall, error) {
	type function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	var several []function
	if json.Unmarshal([]byte(value), &several) != nil {
		several = make([]function, 1)
		if err := json.Unmarshal([]byte(value), &several[0]); err != nil {
			return nil, fmt.Errorf("function_call: %w", err)
		}
	}
	var calls []qa.ToolCall
	for _, f := range several {
		if f.Name == "" {
			return nil, errors.New("function_call without a name")
		}
		calls = append(calls, qa.ToolCall{Name: f.Name, Arguments: arguments(f.Arguments)})
	}
	return calls, nil
}

func (m Message) turn() turn {
	text := ""
	for _, p := range m.Parts {
		if p.Image != "" {
			text += imageMarker
		} else {
			text += p.Text
		}
	}
	switch m.Role {
	case qa.Assistant:
		return answer(text, m.Calls)
	case qa.ToolResult:
		return turn{roleObservation, text}
	}
	return turn{roleHuman, text}
}

// answer returns a turn of the model. A call without words is a function_call, which the trainer renders in the form of
// its template. It has no place for words before a call, so these turns are text.
func answer(text string, calls []qa.ToolCall) turn {
	if len(calls) == 0 || text != "" {
		return turn{roleGPT, withCalls(text, calls)}
	}
	list := make([]string, len(calls))
	for i, c := range calls {
		list[i] = callText(c)
	}
	if len(list) == 1 {
		return turn{roleFunctionCall, list[0]}
	}
	return turn{roleFunctionCall, "[" + strings.Join(list, ", ") + "]"}
}
