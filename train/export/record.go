package export

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path/filepath"
	"strings"
	"unicode"

	"airqa/internal/ledger"
	"airqa/train"
)

// record returns the rules as JSON, by flag. Paths are base names: the lock file has the hashes of the files.
func (r Config) record() (json.RawMessage, error) {
	against := []string{}
	for _, dir := range r.Against {
		against = append(against, baseName(dir))
	}
	return encode(map[string]any{
		"turns": cmp.Or(r.Turns, train.Canonical), "thinking": cmp.Or(r.Thinking, train.ThinkingKeep),
		"errors": cmp.Or(r.Errors, "drop"), "episodes": r.Draw,
		"include": orEmpty(r.Include), "min_score": r.MinScore, "max_score": r.MaxScore,
		"outcome": orEmpty(r.Outcome), "of_model": orEmpty(r.OfModel), "of_baseline": orEmpty(r.OfBaseline), "tag": orEmpty(r.Tag),
		"min_turns": r.MinTurns, "max_turns": r.MaxTurns, "min_tokens": r.MinTokens, "max_tokens": r.MaxTokens,
		"max_repetition": r.MaxRepetition, "max_per_question": r.MaxPerQuestion, "max_per_paper": r.MaxPerPaper,
		"scoring": r.Scoring, "judge": r.Judge, "ids": base(r.IDs), "split": orEmpty(r.Split), "split_seed": r.SplitSeed,
		"duplicates": cmp.Or(r.Repeated, DropNear), "against": against, "leaks": base(r.Leaks), "leak": cmp.Or(r.Leak, LeakDrop),
		"redact_emails": r.RedactEmails, "license": r.License, "cutoff_len": r.CutoffLen, "template": r.template(false),
		"tokenizer": base(r.Tokenizer), "fit": r.Fit,
		"pass_rate": r.PassRate, "best_of": r.BestOf, "columns": r.Columns, "whole_episodes": r.Whole,
	})
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func base(path string) string {
	if path == "" {
		return ""
	}
	return filepath.Base(path)
}

// encode returns a value as JSON without HTML escapes.
func encode(v any) ([]byte, error) {
	line, err := ledger.Encode(v)
	return bytes.TrimSuffix(line, []byte("\n")), err
}

// indented formats a value as JSON on several lines.
func indented(v any) ([]byte, error) {
	line, err := ledger.Encode(v)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = json.Indent(&b, line, "", "  ")
	return b.Bytes(), err
}

// clean returns a text of a stranger as valid UTF-8 without control characters.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// cell formats a text of a stranger for a table in Markdown.
func cell(s string) string {
	return cellReplacer.Replace(clean(s))
}

var cellReplacer = strings.NewReplacer("|", `\|`, "<", "&lt;", ">", "&gt;", "`", "'", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`)
