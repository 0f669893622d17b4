package judge

import (
	"context"
	"errors"
	"strings"

	"airqa/eval"
	"airqa/internal/lazyregexp"
	"airqa/qa"
)

// ErrNoVerdict is returned when a model gave no verdict in the required format.
var ErrNoVerdict = errors.New("the judge gave no verdict")

// Verdict is a judge's decision on one request and its cost.
type Verdict struct {
	Right bool
	// Reply is the text with the verdict; empty if it came from a cache.
	Reply string
	// Asks counts the replies needed, and Usage sums their tokens; both are 0 for a cached verdict.
	Asks  int
	Usage qa.Usage
}

// Source returns verdicts with their cost. With an error, only the cost is valid.
type Source interface {
	Decide(ctx context.Context, r eval.JudgeRequest) (Verdict, error)
}

// blank approximates what Python treats as whitespace in a pattern.
const blank = `[\s\v\p{Z}\x1c-\x1f\x85]`

var (
	// closing matches a verdict at the end of a reply.
	closing = lazyregexp.New("```(?:txt)?" + blank + "+((?i:true|false))" + blank + "+```" + blank + "*$")
	// fenced matches blocks between triple backticks, separated by whitespace.
	fenced = lazyregexp.New("(?s)```(?:txt)?" + blank + "(.*?)" + blank + "```")
)

// readVerdict reads the last block with the given fence name; ok is false unless it is True or False in any case.
func readVerdict(reply, fence string) (right, ok bool) {
	word := plainVerdict(reply)
	if fence != plainFence {
		word = guardedVerdict(reply, fence)
	}
	word = strings.ToLower(strings.TrimSpace(word))
	return word == "true", word == "true" || word == "false"
}

// plainVerdict returns the content of the last block of a reply. A block at the very end takes precedence, because
// backticks in a quoted answer may open a block that would swallow it.
func plainVerdict(reply string) string {
	if end := closing.FindStringSubmatch(reply); end != nil {
		return end[1]
	}
	if blocks := fenced.FindAllStringSubmatch(reply, -1); len(blocks) > 0 {
		return blocks[len(blocks)-1][1]
	}
	return ""
}

// guardedVerdict returns the word in the last block with the secret name. Other blocks may be quotations.
func guardedVerdict(reply, fence string) string {
	open := "```" + fence
	at := strings.LastIndex(reply, open)
	if at < 0 {
		return ""
	}
	word, _, closed := strings.Cut(reply[at+len(open):], "```")
	if !closed {
		return ""
	}
	return word
}
