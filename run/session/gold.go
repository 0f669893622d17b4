package session

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"airqa/env"
	"airqa/internal/words"
	"airqa/qa"
)

// sureTitle is the number of words from which a title is found within a longer gold answer.
const sureTitle = 4

// goldPapers returns the papers that gold answers name, by question, for questions that name no paper themselves. Training
// data is divided by paper, and its writer has no data directory.
func goldPapers(ctx context.Context, e *env.Env, examples []qa.Example) (map[string][]string, error) {
	examples = slices.DeleteFunc(slices.Clone(examples), func(ex qa.Example) bool { return len(ex.Papers()) > 0 })
	if len(examples) == 0 {
		return nil, nil
	}
	papers, err := e.Papers(ctx)
	if err != nil {
		return nil, err
	}
	byTitle, ids := make(map[string]string), make(map[string]bool)
	for _, p := range papers {
		byTitle[words.Fold(p.Title)], ids[p.PaperID] = p.PaperID, true
	}
	delete(byTitle, words.Fold(""))
	found := make(map[string][]string)
	for _, ex := range examples {
		for _, text := range goldTexts(ex) {
			found[ex.UUID] = append(found[ex.UUID], papersNamed(text, byTitle, ids)...)
		}
		if len(found[ex.UUID]) == 0 {
			delete(found, ex.UUID)
			continue
		}
		slices.Sort(found[ex.UUID])
		found[ex.UUID] = slices.Compact(found[ex.UUID])
	}
	return found, nil
}

// papersNamed returns the papers that a text is the id or the title of, or has the title of.
func papersNamed(text string, byTitle map[string]string, ids map[string]bool) (list []string) {
	if id := strings.TrimSpace(text); ids[id] {
		return []string{id}
	}
	folded := words.Fold(text)
	if id, ok := byTitle[folded]; ok {
		return []string{id}
	}
	for _, title := range slices.Sorted(maps.Keys(byTitle)) {
		if len(title) < len(folded) && len(strings.Fields(title)) >= sureTitle && strings.Contains(folded, title) {
			list = append(list, byTitle[title])
		}
	}
	return list
}

// goldTexts returns all texts in the arguments of an evaluator, without the question.
func goldTexts(ex qa.Example) (list []string) {
	var tree any
	if json.Unmarshal(ex.Evaluator.Kwargs, &tree) != nil {
		return nil
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			list = append(list, v)
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				if key != "question" {
					walk(v[key])
				}
			}
		}
	}
	walk(tree)
	return list
}
