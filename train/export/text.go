package export

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"airqa/internal/ledger"
	"airqa/qa"
	"airqa/train/preflight"
)

// texts prepares texts for files. Some words of a paper are commands to a trainer: it counts "<image>" as an image, reads
// the special tokens of the model, such as "<|im_end|>", as the end of a turn and replaces "{{idx}}" by a number. They get a
// space after their first character.
type texts struct {
	commands *preflight.Special
	// changed counts the changed words, and invalid UTF-8 under that name.
	changed map[string]int
	// tools is the list of toolsOf as JSON, which the rows of a run share.
	tools   json.RawMessage
	toolsOf []qa.ToolSpec
}

// commands are the words to change, besides special tokens.
var commands = []string{"<image>", "<video>", "<audio>", "{{idx}}"}

// invalidUTF8 is the name under which replaced bytes are counted.
const invalidUTF8 = "invalid UTF-8"

func add(counts, more map[string]int) {
	for word, n := range more {
		counts[word] += n
	}
}

// safe returns a text without commands.
func (t *texts) safe(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
		t.changed[invalidUTF8]++
	}
	var b strings.Builder
	done := 0
	for {
		word, at := t.commands.Find(s, done)
		b.WriteString(s[done:at])
		if done = at; word == "" {
			break
		}
		t.changed[word]++
		_, size := utf8.DecodeRuneInString(word)
		b.WriteString(word[:size] + " ")
		done += size
	}
	if b.Len() == len(s) {
		return s
	}
	return b.String()
}

// safeJSON returns JSON without commands in its strings, however they are escaped; what is no JSON is a text.
func (t *texts) safeJSON(raw json.RawMessage) json.RawMessage {
	if !json.Valid(raw) {
		return json.RawMessage(t.safe(string(raw)))
	}
	return ledger.EditStrings(raw, t.safe)
}

// Safe returns a text without the commands of trainers, for a model that is not known.
func Safe(text string) string {
	t := texts{commands: preflight.NewSpecial(commands...), changed: make(map[string]int)}
	return t.safe(text)
}

// safeCall returns a call without commands. Its id is of an endpoint.
func (t *texts) safeCall(c qa.ToolCall) qa.ToolCall {
	c.ID, c.Name = t.safe(c.ID), t.safe(c.Name)
	c.Arguments = t.safeJSON(c.Arguments)
	return c
}
