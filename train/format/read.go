package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"airqa/qa"
)

// Read reads a row of a format, or of the format that its keys show if f is empty. It returns the format with the
// conversation, of which the trained turn is the last message. The error names the wrong message and the reason.
func Read(raw []byte, f Format) (Format, Conversation, error) {
	var row map[string]json.RawMessage
	other := ""
	raw = Finite(raw, func(number string) { other = number })
	if err := json.Unmarshal(raw, &row); err != nil {
		return f, Conversation{}, fmt.Errorf("want an object: %w", err)
	}
	if f == "" {
		f = formatOf(row)
	}
	if other != "" && f != ATIF { // whose metrics have them, such as the probability of a masked token
		return f, Conversation{}, fmt.Errorf("%s is not a number of JSON", other)
	}
	c, err := read(f, raw, row)
	if err == nil && len(c.Messages) == 0 {
		err = errors.New("no messages")
	}
	return f, c, err
}

func read(f Format, raw []byte, row map[string]json.RawMessage) (c Conversation, err error) {
	switch f {
	case ATIF:
		return readATIF(raw)
	case ShareGPT:
		if c, err = readShareGPT(row); err == nil {
			err = c.CheckTurns()
		}
		return c, err
	case OpenAI:
		return readChatRow(row, "messages")
	case TRL:
		if hasAny(row, "messages") {
			return readChatRow(row, "messages")
		}
		return readTRL(row)
	case DPO:
		return readPair(row)
	case KTO:
		return readLabelled(row)
	}
	keys := strings.Join(slices.Sorted(maps.Keys(row)), ", ")
	return c, fmt.Errorf("unknown format, with the keys %.200q: want messages (OpenAI), conversations (ShareGPT), "+
		"prompt and completion (TRL), chosen and rejected (pairs), or agent and steps (ATIF)", keys)
}

// formatOf returns the format of a row by its keys; "" for none.
func formatOf(row map[string]json.RawMessage) Format {
	switch {
	case hasAny(row, "chosen", "rejected", "preferred_output"):
		return DPO
	case hasAny(row, "kto_tag") || hasAny(row, "completion") && hasAny(row, "label"):
		return KTO
	case hasAny(row, "steps") && hasAny(row, "agent"):
		return ATIF
	case hasAny(row, "conversations"):
		return ShareGPT
	case hasAny(row, "messages"):
		return OpenAI
	case hasAny(row, "prompt") && hasAny(row, "completion"):
		return TRL
	}
	return ""
}

func hasAny(row map[string]json.RawMessage, keys ...string) bool {
	return slices.ContainsFunc(keys, func(k string) bool { return row[k] != nil })
}

// readPair reads a preference pair in the form of ShareGPT, OpenAI or TRL.
func readPair(row map[string]json.RawMessage) (c Conversation, err error) {
	var rejected Conversation
	switch {
	case hasAny(row, "conversations"):
		return readRanking(row)
	case hasAny(row, "input"):
		var input map[string]json.RawMessage
		if err := json.Unmarshal(row["input"], &input); err != nil {
			return c, fmt.Errorf("input: %w", err)
		}
		if c, err = readChatMessages(input, "messages"); err != nil {
			return c, err
		}
		return c.withPair(row, "preferred_output", "non_preferred_output")
	}
	if hasAny(row, "prompt") {
		if c, err = readChatMessages(row, "prompt"); err != nil {
			return c, err
		}
		return c.withPair(row, "chosen", "rejected")
	}
	if c, err = readChatRow(row, "chosen"); err != nil {
		return c, err
	}
	if rejected, err = readChatRow(row, "rejected"); err != nil {
		return c, err
	}
	c.Rejected = &rejected.Messages[len(rejected.Messages)-1]
	return c, nil
}

func (c Conversation) withPair(row map[string]json.RawMessage, chosen, rejected string) (Conversation, error) {
	var answers [2]Message
	for i, key := range []string{chosen, rejected} {
		list, err := readChat(row[key], key)
		if err != nil {
			return c, err
		}
		if len(list) != 1 || list[0].Role != qa.Assistant {
			return c, fmt.Errorf("%s: want one message of the assistant", key)
		}
		answers[i] = list[0]
	}
	c.Messages, c.Rejected = append(c.Messages, answers[0]), &answers[1]
	return c, nil
}

// readLabelled reads a turn with a label in the form of ShareGPT or TRL.
func readLabelled(row map[string]json.RawMessage) (c Conversation, err error) {
	label := "label"
	if hasAny(row, "conversations") {
		label = "kto_tag"
		if c, err = readShareGPT(row); err == nil {
			err = c.CheckTurns()
		}
	} else {
		c, err = readTRL(row)
	}
	if value := string(row[label]); err == nil && value != "true" && value != "false" {
		err = fmt.Errorf("%s: want true or false", label)
	}
	return c, err
}

// fields reads the values of an object. The first error stays.
type fields struct {
	of  map[string]json.RawMessage
	err error
}

func (f *fields) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

// text reads a JSON text; a missing one and null are empty.
func (f *fields) text(key string) (s string) {
	if raw := f.of[key]; len(raw) > 0 && json.Unmarshal(raw, &s) != nil {
		f.fail(fmt.Errorf("%s: want a text, not %.40s", key, raw))
	}
	return s
}

// tools reads tools: a list, or a text with one, as readers of tables need it.
func (f *fields) tools() json.RawMessage {
	raw := f.of["tools"]
	if len(raw) > 0 && raw[0] == '"' {
		raw = json.RawMessage(f.text("tools"))
	}
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var tools []map[string]json.RawMessage
	if err := json.Unmarshal(raw, &tools); err != nil {
		f.fail(fmt.Errorf("tools: want a list of objects: %w", err))
	}
	if len(tools) == 0 {
		return nil
	}
	return Compact(raw)
}

func (f *fields) images() (list []string) {
	if raw := f.of["images"]; len(raw) > 0 {
		if err := json.Unmarshal(raw, &list); err != nil {
			f.fail(fmt.Errorf("images: %w", err))
		}
	}
	return list
}

// trained reads a weight of 0 or 1: whether the message is trained.
func (f *fields) trained() *bool {
	raw := string(f.of["weight"])
	if raw == "" || raw == "null" {
		return nil
	}
	if raw != "0" && raw != "1" {
		f.fail(fmt.Errorf("weight is %.40s; want 0 or 1", raw))
	}
	return new(raw == "1")
}
