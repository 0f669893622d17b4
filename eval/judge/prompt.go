package judge

import (
	"fmt"
	"strconv"
	"strings"

	"airqa/eval"
	"airqa/internal/files"
	"airqa/prompts"
)

// Prompt renders the question of r as a system and a user message; own prompts may have no system message. The prediction is delimited by two marks derived
// from its hash, so that it cannot close its own field. The fence of a guarded verdict is named in the same way.
func Prompt(set prompts.Set, r eval.JudgeRequest) (system, user string, err error) {
	enough := strconv.Itoa(r.Count) + " are enough"
	if r.Count == 1 {
		enough = "one is enough"
	}
	formulas, noun := strings.Join(r.Formulas, "\n"), "all the reference formulas"
	if r.Listed {
		formulas = dashed(r.Formulas)
	}
	if len(r.Formulas) == 1 {
		noun = "the reference formula"
	}
	order := "They must come in the order in which they are listed."
	switch {
	case r.Kind == eval.JudgeFormulas && len(r.Formulas) < 2:
		order = "There is one formula."
	case r.IgnoreOrder:
		order = "They may come in any order."
	}
	candidates := make([]string, len(r.Candidates))
	for i, s := range r.Candidates {
		candidates[i] = fmt.Sprintf("## Reference Answer %d\n\n%s", i+1, s)
	}
	return set.Judge(string(r.Kind), prompts.Data{
		"question":   r.Question,
		"reference":  r.Reference,
		"number":     strconv.Itoa(max(len(r.Candidates), len(r.Points))),
		"candidates": strings.Join(candidates, "\n\n"),
		"points":     dashed(r.Points),
		"count":      strconv.Itoa(r.Count),
		"enough":     enough,
		"formulas":   formulas,
		"what":       noun,
		"order":      order,
		"mark":       "=====" + nonce(r, "") + "=====", // no prediction can be written to contain its own hash
		"fence":      fence(set, r),
		"prediction": r.Prediction,
	})
}

// PromptNames are the names of the texts that a judge may be asked with.
func PromptNames() []string {
	return []string{
		"judge_reference", "judge_candidates", "judge_points", "judge_partial_points", "judge_reference_and_points",
		"judge_formulas", "judge_again",
	}
}

// plainFence is the fence name of a verdict that is not guarded, as in the authors' prompts.
const plainFence = "txt"

// fence returns the name of the block that holds the verdict. A prompt that does not name it gets the plain one.
func fence(set prompts.Set, r eval.JudgeRequest) string {
	if !r.Guarded || !set.Shows("judge_"+string(r.Kind), "fence") {
		return plainFence
	}
	return "txt-" + nonce(r, "verdict")
}

// nonce returns 12 hexadecimal digits that do not occur in the prediction.
func nonce(r eval.JudgeRequest, salt string) string {
	for {
		digits := files.Hash(r.Question + "\x00" + r.Prediction + salt)[:12]
		if !strings.Contains(r.Prediction, digits) {
			return digits
		}
		salt += "\x00"
	}
}

func dashed(items []string) string {
	if len(items) == 0 {
		return ""
	}
	return "- " + strings.Join(items, "\n- ")
}
