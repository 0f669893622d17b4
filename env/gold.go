package env

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"

	"airqa/internal/words"
	"airqa/qa"
)

// GoldPapers returns the papers that gold answers name, by question, for questions that name no paper themselves. Runs record
// them, because training data is divided by paper, and its writer has no data directory.
func GoldPapers(ctx context.Context, e *Env, examples []qa.Example) (map[string][]string, error) {
	examples = slices.DeleteFunc(slices.Clone(examples), func(ex qa.Example) bool { return len(ex.Papers()) > 0 })
	if len(examples) == 0 {
		return nil, nil
	}
	var texts []string
	for _, ex := range examples {
		for _, text := range goldTexts(ex) {
			texts = append(texts, strings.TrimSpace(text))
		}
	}
	ids, err := e.Papers().Known(ctx, texts)
	if err != nil {
		return nil, err
	}
	byTitle, err := titlesIn(ctx, e, texts)
	if err != nil {
		return nil, err
	}
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

// titlesIn returns the papers whose titles may be in one of the texts, by folded title. Folding is slow, so it is not done for
// the many titles that begin with a word that is in no text.
func titlesIn(ctx context.Context, e *Env, texts []string) (map[string]string, error) {
	in := phrasesOf(texts)
	firstWords, err := e.Papers().FirstWords(ctx)
	if err != nil {
		return nil, err
	}
	firstWords = slices.DeleteFunc(firstWords, func(first string) bool { return !in.mayBegin(first) })
	byTitle := make(map[string]string)
	for n, err := range e.Papers().TitlesFrom(ctx, firstWords) {
		if err != nil {
			return nil, err
		}
		if title := words.Fold(n.Title); title != words.Fold("") && in.begin(title) {
			byTitle[title] = max(byTitle[title], n.PaperID) // the last one by id
		}
	}
	return byTitle, nil
}

// phrases are the words of texts, and their pairs of adjacent words.
type phrases map[string]bool

func phrasesOf(texts []string) phrases {
	in := make(phrases)
	for _, text := range texts {
		before := ""
		for word := range strings.FieldsSeq(words.Fold(text)) {
			in[word], in[before+" "+word] = true, true
			before = word
		}
	}
	return in
}

// mayBegin reports whether a title with this first word, as it is written, may be in the texts. What becomes of other words than
// plain letters depends on what follows.
func (in phrases) mayBegin(first string) bool {
	odd := strings.ContainsFunc(first, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) })
	return first == "" || odd || in[strings.TrimSpace(words.Fold(first))]
}

// begin reports whether the first two words of a folded text, or its only word, are among the phrases.
func (in phrases) begin(folded string) bool {
	list := strings.SplitN(strings.TrimSpace(folded), " ", 3)
	return in[strings.Join(list[:min(2, len(list))], " ")]
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
	const sureTitle = 4 // the number of words from which a title is found within a longer gold answer
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
