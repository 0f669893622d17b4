package llm

import (
	"airqa/internal/tokens"
	"airqa/qa"
)

// Forecast returns a function that estimates the maximum usage of a request: its prompt in cl100k tokens, which differ
// from other vocabularies by about 10 %, and a reply of maxReply tokens. It caches the counts of repeated texts; calls
// may overlap.
func Forecast(maxReply int) func(qa.Request) qa.Usage {
	var counts tokens.Memo
	return func(r qa.Request) qa.Usage {
		used := estimate(&counts, r, qa.Reply{})
		used.Completion = maxReply
		return used
	}
}
