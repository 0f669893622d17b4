package llm

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"airqa/qa"
)

// members maps the names of members of a JSON object to their values.
type members map[string]json.RawMessage

// sealed is the content of [qa.Reply].Sealed: what a message contains beyond the members that its protocol defines.
type sealed struct {
	// By identifies the model and the address that made the reply.
	By string `json:"by"`
	// Reasoning are the names of the members with the reasoning's text, which is not repeated here.
	Reasoning []string `json:"reasoning,omitempty"`
	// Message contains the other members of the message, Calls those of its calls by id.
	Message members               `json:"message,omitempty"`
	Calls   map[string]sealedCall `json:"calls,omitempty"`
	// Blocks are Anthropic's blocks of thinking.
	Blocks []json.RawMessage `json:"blocks,omitempty"`
	// Items are all items of a response.
	Items []json.RawMessage `json:"items,omitempty"`
}

// sealedCall contains the additional members of a call and of its function.
type sealedCall struct {
	Call     members `json:"call,omitempty"`
	Function members `json:"function,omitempty"`
}

// seal keeps the additional members of a message in the form of OpenAI or Ollama; nil if there are none.
func seal(message json.RawMessage, reasoning string) *sealed {
	s := sealed{
		Message: additional(message, "role", "content", "tool_calls", "function_call", "refusal", "annotations", "audio", "images"),
		Calls:   map[string]sealedCall{},
	}
	for _, name := range slices.Sorted(maps.Keys(s.Message)) {
		var value string
		if json.Unmarshal(s.Message[name], &value) == nil && value == reasoning {
			s.Reasoning = append(s.Reasoning, name)
			delete(s.Message, name)
		}
	}
	var calls struct {
		List []json.RawMessage `json:"tool_calls"`
	}
	_ = json.Unmarshal(message, &calls) // the caller has read it
	for i, raw := range calls.List {
		var call struct {
			ID       string          `json:"id"`
			Function json.RawMessage `json:"function"`
		}
		_ = json.Unmarshal(raw, &call)
		more := sealedCall{additional(raw, "id", "type", "index", "function"), additional(call.Function, "name", "arguments", "index")}
		if len(more.Call)+len(more.Function) > 0 {
			s.Calls[cmp.Or(call.ID, fmt.Sprintf("call_%d", i))] = more
		}
	}
	if len(s.Reasoning)+len(s.Message)+len(s.Calls) == 0 {
		return nil
	}
	return &s
}

// additional returns the members of an object that are not in a list. Those without a value are left out: some endpoints
// refuse an empty text where they accept none.
func additional(object json.RawMessage, known ...string) members {
	var all members
	if json.Unmarshal(object, &all) != nil {
		return nil
	}
	maps.DeleteFunc(all, func(name string, raw json.RawMessage) bool {
		var value any
		return slices.Contains(known, name) || json.Unmarshal(raw, &value) != nil || isEmpty(value)
	})
	return all
}

// isEmpty reports whether a value is null, false, 0, an empty text, or a list or an object of nothing else.
func isEmpty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case bool:
		return !v
	case float64:
		return v == 0
	case []any:
		return !slices.ContainsFunc(v, func(item any) bool { return !isEmpty(item) })
	case map[string]any:
		return isEmpty(slices.Collect(maps.Values(v)))
	}
	return false
}

// sealedPart carries what an assistant message gets back. Only our codecs read it.
type sealedPart struct {
	llms.TextContent
	sealed
}

// unseal returns what a message gets back from the model that by identifies; ok is false if another one made it.
func unseal(m qa.Message, by string) (part sealedPart, ok bool) {
	if len(m.Sealed) == 0 || json.Unmarshal(m.Sealed, &part.sealed) != nil || part.By != by {
		return part, false
	}
	text, err := json.Marshal(m.Reasoning)
	if err != nil || m.Reasoning == "" {
		return part, true
	}
	for _, name := range part.Reasoning {
		if part.Message == nil {
			part.Message = members{}
		}
		part.Message[name] = text
	}
	return part, true
}

// sentMembers are the names of the sealed members of a conversation.
type sentMembers struct{ sent, withheld []string }

// withhold removes the members that the endpoint has refused from a conversation.
func (q *quirks) withhold(chat []llms.MessageContent) (m sentMembers) {
	q.mu.Lock()
	defer q.mu.Unlock()
	drop := func(name string, _ json.RawMessage) bool {
		needed, known := q.members[name]
		if known && !needed {
			m.withheld = append(m.withheld, name)
			return true
		}
		m.sent = append(m.sent, name)
		return false
	}
	for _, message := range chat {
		for i, p := range message.Parts {
			part, ok := p.(sealedPart)
			if !ok {
				continue
			}
			maps.DeleteFunc(part.Message, drop)
			for _, call := range part.Calls {
				maps.DeleteFunc(call.Call, drop)
				maps.DeleteFunc(call.Function, drop)
			}
			part.Items = withheldItems(part.Items, drop)
			message.Parts[i] = part
		}
	}
	slices.Sort(m.sent)
	return m
}

// withheldItems are the items of a response without what the endpoint has refused. Azure refuses the ids of items that it
// has not stored; a refusal of encrypted content leaves no item, and the message is sent as that of another endpoint.
func withheldItems(items []json.RawMessage, drop func(string, json.RawMessage) bool) []json.RawMessage {
	if len(items) == 0 || drop(encryptedMember, nil) {
		return nil
	}
	if !drop("id", nil) {
		return items
	}
	bare := make([]json.RawMessage, len(items))
	for i, item := range items {
		bare[i], _ = json.Marshal(withMember(item, "id", nil)) // it was read from JSON
	}
	return bare
}

// encryptedMember stands for all items of a response.
const encryptedMember = "encrypted_content"

// judge learns from an error that names a member of messages. A member that was sent is withheld in later requests, until
// an error names it again: then the endpoint had missed it in some message. again reports whether the next request differs.
func (q *quirks) judge(m sentMembers, text string) (notice string, again bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	named := func(name string) bool {
		return names(text, regexp.QuoteMeta(strings.ToLower(name))) || name == encryptedMember && names(text, "(encrypted content|reasoning)")
	}
	for _, name := range m.sent {
		needed, known := q.members[name]
		if needed || !named(name) {
			continue
		}
		if !known {
			q.members[name], notice = false, "refuses "+name+", which is not sent"
		}
		return notice, true
	}
	for _, name := range m.withheld {
		if named(name) {
			if !q.members[name] {
				q.members[name], notice = true, "needs "+name+", which is sent again"
			}
			return notice, true
		}
	}
	return "", false
}

// extended is an object with the members that the endpoint gets back.
type extended struct {
	object any
	more   members
}

// MarshalJSON writes the object with the members at its end.
func (e extended) MarshalJSON() ([]byte, error) {
	raw, err := json.Marshal(e.object)
	if err != nil || len(e.more) == 0 {
		return raw, err
	}
	added, err := json.Marshal(e.more)
	return append(append(raw[:len(raw)-1], ','), added[1:]...), err
}

// joined adds a piece to a value of a stream. Texts grow only if growing is set, and not those that identify an item.
func joined(value, piece any, growing bool) any {
	switch p := piece.(type) {
	case nil:
		return value
	case string:
		switch before := value.(type) {
		case string:
			if growing {
				return before + p
			}
		case []any:
			return append(before, p)
		}
	case []any:
		return joinedItems(value, p, growing)
	case map[string]any:
		object, ok := value.(map[string]any)
		if !ok {
			return p
		}
		for name, v := range p {
			object[name] = joined(object[name], v, growing && !slices.Contains([]string{"id", "type", "format"}, name))
		}
		return object
	}
	return piece
}

// joinedItems adds pieces to a list, or to a list of what came before it.
func joinedItems(value any, pieces []any, growing bool) []any {
	list, ok := value.([]any)
	if !ok && value != nil {
		list = []any{value}
	}
	for _, item := range pieces {
		b, _ := item.(map[string]any)
		// A further piece of an earlier item has the same index, and the same id if both have any.
		at := slices.IndexFunc(list, func(before any) bool {
			a, _ := before.(map[string]any)
			return b["index"] != nil && reflect.DeepEqual(a["index"], b["index"]) &&
				(a["id"] == nil || b["id"] == nil || reflect.DeepEqual(a["id"], b["id"]))
		})
		if at < 0 {
			list = append(list, item)
		} else {
			list[at] = joined(list[at], item, growing)
		}
	}
	return list
}
