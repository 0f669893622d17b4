package offline

import (
	"slices"
	"strings"

	"airqa/llm/offline/evidence"
	"airqa/llm/offline/task"
	"airqa/llm/offline/words"
)

// ask prepares a question over the items of the given papers; without papers, of those that the question is about.
func (p policy) ask(text string, want task.Shape, papers []string) *evidence.Case {
	if papers == nil {
		papers = p.located()
	}
	return evidence.New(p.Task, text, want, papers)
}

// whole prepares the question of the task.
func (p policy) whole() *evidence.Case { return p.ask(p.Question, p.Want, nil) }

// bestObject is the figure or table whose caption fits the question best, nil when none was seen.
func (p policy) bestObject(k task.Kind) *task.Item { return p.whole().Object(k, p.NumberedObject()) }

// weak tells that no sentence seen so far holds half of what the question asks for.
func (p policy) weak() bool { return p.whole().Weak() }

// located are the papers that the question is about: the named ones, then those that were found for it.
func (p policy) located() []string {
	ids := slices.Clone(p.Papers)
	if p.Wide() {
		return nil
	}
	if len(p.Papers) == 0 {
		if best := p.bestPaper(); best != nil && best.Paper != "" {
			ids = append(ids, best.Paper)
		}
		return ids
	}
	for _, it := range p.Items {
		if it.Kind == task.IsPaper && it.Paper != "" && !slices.Contains(ids, it.Paper) && anyIn(words.Names(p.Question), it.Label) {
			ids = append(ids, it.Paper)
		}
	}
	return ids
}

// bestPaper is the paper whose title and abstract fit the question best, nil when none was seen.
func (p policy) bestPaper() *task.Item {
	var cards []words.Sentence
	var papers []*task.Item
	for i := range p.Items {
		if it := &p.Items[i]; it.Kind == task.IsPaper {
			papers = append(papers, it)
			cards = append(cards, words.Sentence{Stems: words.Stems(it.Label + " " + it.Text)})
		}
	}
	w := words.Weigh(p.Terms(p.Question), cards)
	var best *task.Item
	most := -1.0
	for i, it := range papers {
		score := w.Sum(cards[i].Stems) + 0.3*w.Sum(words.Stems(it.Label)) + p.support(it.Paper)
		if score > most {
			best, most = it, score
		}
	}
	return best
}

// support is a small bonus for a paper from which passages came back: the search works on meanings, titles on words.
func (p policy) support(id string) float64 {
	bonus := 0.0
	for _, it := range p.Items {
		if it.Kind == task.IsPassage && it.Paper == id && id != "" {
			bonus += 0.4
		}
	}
	return min(bonus, 2)
}

func anyIn(list []string, text string) bool {
	for _, x := range list {
		if strings.Contains(text, x) {
			return true
		}
	}
	return false
}
