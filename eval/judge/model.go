package judge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"airqa/eval"
	texts "airqa/prompts/judge"
)

// Asker puts one question to a chat model and returns the text of its reply.
type Asker interface {
	Ask(ctx context.Context, system, user string) (string, error)
}

// ErrNoVerdict is returned when a model did not give a verdict in the form it was asked for.
var ErrNoVerdict = errors.New("the judge gave no verdict")

// maxAsks is how often a model is asked for one verdict.
const maxAsks = 3

// Model is an [eval.Judge] that asks a chat model with the texts of prompts/judge. The paper's judge is
// gpt-4o-mini-2024-07-18 at temperature 0 (section 3.2). Its calls may overlap if the asker's may.
type Model struct{ asker Asker }

// NewModel returns a judge that asks a.
func NewModel(a Asker) *Model { return &Model{a} }

// Judge implements [eval.Judge]. A reply without a verdict is asked for again, twice at most; then the error is
// [ErrNoVerdict]. An error of the asker comes back at once.
func (j *Model) Judge(ctx context.Context, r eval.JudgeRequest) (bool, error) {
	system, user, err := Prompt(r)
	if err != nil {
		return false, err
	}
	asked := user
	for range maxAsks {
		reply, err := j.asker.Ask(ctx, system, asked)
		if err != nil {
			return false, fmt.Errorf("ask the judge: %w", err)
		}
		if right, ok := verdict(reply); ok {
			return right, nil
		}
		asked += "\n\n" + texts.Again() // each time once more: a cache must not give the same reply
	}
	return false, fmt.Errorf("%w in %d replies", ErrNoVerdict, maxAsks)
}

// fenced finds the blocks between three backticks that are on lines of their own, or at least apart.
var fenced = regexp.MustCompile("(?s)```(?:txt)?[\\s\\v\\p{Z}](.*?)[\\s\\v\\p{Z}]```")

// verdict reads the last block of a reply; ok is false when it is neither True nor False in any case.
func verdict(reply string) (right, ok bool) {
	blocks := fenced.FindAllStringSubmatch(reply, -1)
	if len(blocks) == 0 {
		return false, false
	}
	word := strings.ToLower(strings.TrimSpace(blocks[len(blocks)-1][1]))
	return word == "true", word == "true" || word == "false"
}

// Prompt renders the question of r as a system and a user message. The prediction stands between two marks
// made from a hash of it, so that it cannot close its own field.
func Prompt(r eval.JudgeRequest) (system, user string, err error) {
	return texts.Render(string(r.Kind), texts.Data{
		"question":   r.Question,
		"reference":  r.Reference,
		"number":     strconv.Itoa(max(len(r.Candidates), len(r.Points))),
		"candidates": numbered(r.Candidates),
		"points":     dashed(r.Points),
		"count":      strconv.Itoa(r.Count),
		"enough":     enough(r.Count),
		"formulas":   formulaText(r),
		"what":       formulaNoun(r),
		"order":      orderRule(r),
		"mark":       mark(r),
		"prediction": r.Prediction,
	})
}

// mark is a line that the prediction cannot hold: it would have to contain its own hash.
func mark(r eval.JudgeRequest) string {
	sum := sha256.Sum256([]byte(r.Question + "\x00" + r.Prediction))
	return "=====" + hex.EncodeToString(sum[:6]) + "====="
}

func numbered(items []string) string {
	parts := make([]string, len(items))
	for i, s := range items {
		parts[i] = fmt.Sprintf("## Reference Answer %d\n\n%s", i+1, s)
	}
	return strings.Join(parts, "\n\n")
}

func dashed(items []string) string {
	if len(items) == 0 {
		return ""
	}
	return "- " + strings.Join(items, "\n- ")
}

func enough(count int) string {
	if count == 1 {
		return "one is enough"
	}
	return strconv.Itoa(count) + " are enough"
}

func formulaText(r eval.JudgeRequest) string {
	if r.Listed {
		return dashed(r.Formulas)
	}
	return strings.Join(r.Formulas, "\n")
}

func formulaNoun(r eval.JudgeRequest) string {
	if len(r.Formulas) == 1 {
		return "the reference formula"
	}
	return "all the reference formulas"
}

func orderRule(r eval.JudgeRequest) string {
	switch {
	case r.Kind == eval.JudgeFormulas && len(r.Formulas) < 2:
		return "There is one formula."
	case r.IgnoreOrder:
		return "They may come in any order."
	}
	return "They must come in the order in which they are listed."
}
