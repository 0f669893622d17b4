package format

import (
	"encoding/json"

	"airqa/qa"
)

func readTRL(record map[string]json.RawMessage, l Losses) (Conversation, error) {
	c := Conversation{ID: str(record["id"]), Tools: list(record["tools"])}
	for _, key := range []string{"prompt", "completion"} {
		trained := key == "completion"
		raw := record[key]
		if raw[0] == '"' {
			role := qa.User
			if trained {
				role = qa.Assistant
			}
			l.Add("text outside of a message")
			c.Messages = append(c.Messages, Message{Role: role, Parts: text(str(raw)), Trained: &trained})
			continue
		}
		messages, err := readChat(raw, l)
		if err != nil {
			return c, err
		}
		for _, m := range messages {
			m.Trained = &trained
			c.Messages = append(c.Messages, m)
		}
	}
	l.lose(record, "key of a row", "id", "prompt", "completion", "tools")
	return c, nil
}
