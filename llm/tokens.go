package llm

import (
	"airqa/internal/tokens"
	"airqa/qa"
)

// estimate counts the usage of a call with the cl100k vocabulary, for endpoints that report none. Other vocabularies
// differ by about 10 %, so the result is marked as estimated. A message costs four tokens more than its text, and a reply
// three, as OpenAI's cookbook counts.
func estimate(r qa.Request, reply qa.Reply) qa.Usage {
	used := qa.Usage{Prompt: 3, Reasoning: tokens.Count(reply.Reasoning), Estimated: true}
	for _, tool := range r.Tools {
		used.Prompt += tokens.Count(tool.Name) + tokens.Count(tool.Description) + tokens.Count(string(tool.Parameters))
	}
	for _, message := range r.Messages {
		used.Prompt += tokens.Count(message.Text) + 4 + callTokens(message.ToolCalls)
		used.Prompt += tokens.Count(message.Reasoning) + tokens.Count(string(message.Sealed))
		for _, image := range message.Images {
			used.Prompt += imageTokens(image.Width, image.Height)
		}
	}
	used.Completion = tokens.Count(reply.Text) + used.Reasoning + callTokens(reply.ToolCalls)
	return used
}

func callTokens(calls []qa.ToolCall) int {
	sum := 0
	for _, call := range calls {
		sum += tokens.Count(call.Name + string(call.Arguments))
	}
	return sum
}

// imageTokens is OpenAI's published rule for GPT-4o at high detail: fit into 2048×2048, shrink the shorter side to 768,
// then 170 per tile of 512×512 plus 85.
func imageTokens(width, height int) int {
	long, short := float64(max(width, height)), float64(min(width, height))
	if short <= 0 {
		return 85
	}
	scale := min(1, 2048/long)
	scale *= min(1, 768/(short*scale))
	return 85 + 170*tiles(long*scale)*tiles(short*scale)
}

func tiles(pixels float64) int {
	const tile = 512
	return max(1, (int(pixels+0.5)+tile-1)/tile)
}

// Forecast returns a function that estimates the maximum usage of a request: its prompt in cl100k tokens, which differ
// from other vocabularies by about 10 %, and a reply of maxReply tokens. Calls may overlap.
func Forecast(maxReply int) func(qa.Request) qa.Usage {
	return func(r qa.Request) qa.Usage {
		used := estimate(r, qa.Reply{})
		used.Completion = maxReply
		return used
	}
}
