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
	"thoughts":     "<thought>a\n",
	"unknown":      "<musing>\n</other>\n",
	"nested":       "<think>\n<musing>\n",
	"closing":      "x\n</think>\n",
	"closed late":  "<think>a</musing>",
	"brackets":     "[reasoning]\n[Plan] {a} ",
	"shouted":      "x [THINK] y",
	"comments":     "x <!-- y ",
	"channels":     "<|channel|>analysis<|message|>",
	"messages":     "<|channel|>final<|message|>x<|end|>",
	"harmony":      "assistantfinal",
	"phrases":      "Here is my thought process:\n",
	"considered":   "Answer(answer=1) would\n",
	"quoted":       "\"[Action]: Answer(answer=1)\"\n",
	"placeholders": "Answer(answer=...)\n",
	"asked":        "[Action]: do not call Answer(answer=1) yet\n",
	"results":      "Result: 5\n",
	"result tags":  "<result>5</result>\n",
	"slashes":      "[/",
	"less":         "<",
	"pipes":        "<|",
	"open braces":  "{{",
	"scalars":      "action_type: Answer\nparameters:\n  answer: |\n    Action: x\n",
	"negations":    "not ",
	"newlines":     "\n",
	"answers":      "Answer(answer=1)\n<think>x</think>\n",
}

func BenchmarkRead(b *testing.B) {
	for _, size := range []int{50_000, 500_000} {
		if testing.Short() && size > 50_000 {
			break
		}
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

// BenchmarkVisible reads what baselines that ask once, and exports, see of a reply.
func BenchmarkVisible(b *testing.B) {
	for name, piece := range repeated {
		reply := strings.Repeat(piece, 200_000/len(piece))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(reply)))
			for b.Loop() {
				action.LastBlock(reply)
				grammar().WithoutThinking(reply)
			}
		})
	}
}
