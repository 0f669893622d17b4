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
	Right bool `json:"right"`
	// Reply is the text with the verdict; empty if it came from a cache.
	Reply string `json:"reply,omitempty"`
	// Asks counts the replies needed, and Usage sums their tokens; both are 0 for a cached verdict.
	Asks  int      `json:"asks"`
	Usage qa.Usage `json:"usage"`
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

// ending matches what may follow a verdict: tokens that end a reply.
var ending = lazyregexp.New(`(?:\s|<[^<>\n]*>)*$`)

// lastVerdict returns the word in the block with the given name that ends a text: words after a verdict may take it back. A block
// with the plain name need not have it.
func lastVerdict(text, fence string) string {
	text = ending.ReplaceAllString(text, "")
	if fence == plainFence {
		if end := closing.FindStringSubmatch(text); end != nil {
			return end[1]
		}
		return ""
	}
	at := strings.LastIndex(text, "```"+fence)
	if at < 0 {
		return ""
	}
	word, rest, _ := strings.Cut(text[at+len("```"+fence):], "```")
	if rest != "" {
		return ""
	}
	return word
}
