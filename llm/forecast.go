package llm

import (
	"airqa/internal/tokens"
	"airqa/qa"
)

// Forecast returns a function that tells the most that a request may use: its prompt counted in cl100k tokens, which other
// vocabularies miss by some ten per cent, and a reply as long as maxReply allows. It remembers the counts of texts that
// come again; its calls may overlap.
func Forecast(maxReply int) func(qa.Request) qa.Usage {
	var counts tokens.Memo
	return func(r qa.Request) qa.Usage {
		used := estimate(&counts, r, qa.Reply{})
		used.Completion = maxReply
		return used
	}
}
