package action_test

import (
	"strings"
	"testing"

	"airqa/agent/action"
)

// repeated are replies of a model that repeats itself endlessly.
var repeated = map[string]string{
	"labels":       "[Action]:",
	"lines":        "[Action]:\n",
	"calls":        "[Action]: Query(sql=\"\"\"\n",
	"bare":         "Query(sql=\"\"\"\n",
	"fences":       "```",
	"tags":         "[Thought]: <think></think>",
	"open tags":    "[Thought]: <think>",
	"closed":       "[Action]: Query(\"\"\"</think>\n",
	"braces":       "{\"a\":",
	"objects":      "[Action]: {\"action_type\": {",
	"elements":     "<action><parameters><a>",
	"keys":         "action_type:\n",
	"observations": "[Observation]: x\n",
	"letters":      "a",
	"spaces":       " ",
	"words":        "Query Query(",
}

func BenchmarkRead(b *testing.B) {
	for _, size := range []int{50_000, 500_000} {
		for name, piece := range repeated {
			reply := strings.Repeat(piece, size/len(piece))
			for _, format := range action.Formats() {
				b.Run(name+"/"+format+"/"+map[int]string{50_000: "50KB", 500_000: "500KB"}[size], func(b *testing.B) {
					g := grammar()
					g.Format = action.Format(format)
					b.SetBytes(int64(len(reply)))
					for b.Loop() {
						g.Read(reply)
					}
				})
			}
		}
	}
}
