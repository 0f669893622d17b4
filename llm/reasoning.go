package llm

import (
	"strings"

	"airqa/qa"
)

// The tags around the reasoning of open models.
const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

// apart moves the reasoning at the start of a reply out of its text. A reply cut off inside its reasoning has no text.
// With unopened, the reasoning may begin without a tag, because the templates of several models end in the opening tag.
func apart(reply *qa.Reply, unopened bool) {
	head := strings.TrimLeft(reply.Text, " \t\r\n")
	opened := strings.HasPrefix(head, thinkOpen) || unopened && strings.Contains(head, thinkClose)
	if !opened {
		return
	}
	thought, rest, _ := strings.Cut(strings.TrimPrefix(head, thinkOpen), thinkClose)
	thought = strings.TrimSpace(thought)
	if reply.Reasoning == "" {
		reply.Reasoning = thought
	}
	reply.Text = strings.TrimLeft(rest, " \t\r\n")
}
