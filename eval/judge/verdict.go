package judge

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"airqa/eval"
	"airqa/qa"
)

// ErrNoVerdict is returned when a model did not give a verdict in the form it was asked for.
var ErrNoVerdict = errors.New("the judge gave no verdict")

// Verdict is what a judge said of one request, and what it cost to hear it.
type Verdict struct {
	Right bool
	// Reply is the text that the verdict was read from; empty when it came from a cache.
	Reply string
	// Asks counts the replies that were needed, and Usage sums their tokens; both are 0 for a verdict from a cache.
	Asks  int
	Usage qa.Usage
}

// Source gives verdicts with their cost. Where the error is not nil the verdict holds nothing but the cost.
type Source interface {
	Decide(ctx context.Context, r eval.JudgeRequest) (Verdict, error)
}

// blank is what Python takes for white space in a pattern, or nearly so.
const blank = `[\s\v\p{Z}\x1c-\x1f\x85]`

var (
	// closing finds a verdict at the end of a reply.
	closing = regexp.MustCompile("```(?:txt)?" + blank + "+((?i:true|false))" + blank + "+```" + blank + "*$")
	// fenced finds the blocks between three backticks that are on lines of their own, or at least apart.
	fenced = regexp.MustCompile("(?s)```(?:txt)?" + blank + "(.*?)" + blank + "```")
)

// readVerdict reads the last block of a reply that has the name of the fence; ok is false when it is neither True nor
// False in any case.
func readVerdict(reply, fence string) (right, ok bool) {
	word := plainVerdict(reply)
	if fence != plainFence {
		word = guardedVerdict(reply, fence)
	}
	word = strings.ToLower(strings.TrimSpace(word))
	return word == "true", word == "true" || word == "false"
}

// plainVerdict returns what the last block of a reply holds. A block that ends the reply is the last one even where backticks
// before it, of an answer that was quoted, leave a block open that would swallow it.
func plainVerdict(reply string) string {
	if end := closing.FindStringSubmatch(reply); end != nil {
		return end[1]
	}
	if blocks := fenced.FindAllStringSubmatch(reply, -1); len(blocks) > 0 {
		return blocks[len(blocks)-1][1]
	}
	return ""
}

// guardedVerdict returns the word in the last block of a name that only the judge was given. Other blocks may be quotations.
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
