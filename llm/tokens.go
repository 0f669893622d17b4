package llm

import (
	"airqa/qa"

	"github.com/tiktoken-go/tokenizer"
)

// Tokens around the text of a chat, as OpenAI's cookbook counts them for models with the cl100k vocabulary.
const (
	tokensPerMessage = 4
	tokensPerReply   = 3
)

// estimate counts the usage of a call by the cl100k vocabulary, for endpoints that report none. Other vocabularies come
// out some ten per cent apart, so the result says that it is estimated.
func estimate(messages []qa.Message, reply qa.Reply) qa.Usage {
	used := qa.Usage{Prompt: tokensPerReply, Reasoning: countTokens(reply.Reasoning), Estimated: true}
	for _, message := range messages {
		used.Prompt += countTokens(message.Text) + tokensPerMessage
		for _, image := range message.Images {
			used.Prompt += imageTokens(image.Width, image.Height)
		}
	}
	used.Completion = countTokens(reply.Text) + used.Reasoning
	return used
}

// countTokens falls back to four bytes a token: a reply that was paid for is not lost over its count.
func countTokens(text string) int {
	codec, err := tokenizer.Get(tokenizer.Cl100kBase)
	if err != nil {
		return len(text) / 4
	}
	n, err := codec.Count(text)
	if err != nil {
		return len(text) / 4
	}
	return n
}

// imageTokens is OpenAI's published rule for GPT-4o at high detail: fit into 2048×2048, then shrink the shorter side to
// 768, then 170 for each tile of 512×512 and 85 for the whole.
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
