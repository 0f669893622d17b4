package offline

import (
	"context"
	"strings"

	"airqa/internal/pyliteral"
	"airqa/internal/tokens"
	"airqa/llm/offline/task"
	"airqa/qa"
)

// Model answers by rules. The same messages give the same reply. It remembers nothing but token counts, and calls may
// overlap.
type Model struct{ counts tokens.Memo }

// New returns the model. It needs nothing.
func New() *Model { return &Model{} }

// Complete answers the prompts of the baselines in the form that they ask for. Any other text gets a guess between
// fences. The error is that of the context.
func (m *Model) Complete(ctx context.Context, r qa.Request) (qa.Reply, error) {
	if err := ctx.Err(); err != nil {
		return qa.Reply{}, err
	}
	if len(r.Tools) > 0 {
		return m.callTools(r.Messages, r.Tools), nil
	}
	return m.write(r.Messages), nil
}

func (m *Model) write(messages []qa.Message) qa.Reply {
	text := policy{task.Read(messages)}.reply()
	used := qa.Usage{Completion: tokens.Count(text), Estimated: true}
	for _, message := range messages {
		used.Prompt += m.counts.Count(message.Text)
	}
	return qa.Reply{Text: text, Model: "offline", Finish: "stop", Usage: used}
}

// reply words the next step.
func (p policy) reply() string {
	switch p.Form {
	case task.FormSQL:
		thought, sql := p.oneStatement()
		return thought + "\n\n```sql\n" + unfenced(sql) + "\n```"
	case task.FormLoop:
		s := p.next()
		return "[Thought]: " + p.Numbered(s.thought) + "\n[Action]: " + s.action
	}
	thought, value := p.answer()
	return thought + "\n\n```txt\n" + unfenced(pyliteral.Str(value)) + "\n```"
}

// unfenced keeps a text from ending the fence it stands in.
func unfenced(s string) string { return strings.ReplaceAll(s, "```", "'''") }
