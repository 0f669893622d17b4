package action

import (
	"regexp"
	"strings"
)

var blockPattern = regexp.MustCompile("(?s)```(?:[\\w+-]*[ \t]*\n)?(.*?)```")

// LastBlock returns the content of the last fenced block of a reply, trimmed, and the whole reply, trimmed, when it
// has none. The baselines that ask once read their answer so.
func LastBlock(reply string) string {
	blocks := blockPattern.FindAllStringSubmatch(reply[afterThinking(reply):], -1)
	if len(blocks) == 0 {
		return strings.TrimSpace(strings.Trim(strings.TrimSpace(reply[afterThinking(reply):]), "`"))
	}
	return strings.TrimSpace(blocks[len(blocks)-1][1])
}
