package evidence

import (
	"strings"

	"airqa/internal/pyliteral"
	"airqa/llm/offline/task"
	"airqa/llm/offline/words"
)

// Text is a short answer: a row of a table, a word that something is called, or a name near the words of the question;
// the sentence that fits best when there is none.
func (q *Case) Text() pyliteral.Value {
	for _, g := range q.grids() {
		if best, ok := q.extreme(g); ok && best.label != "" {
			return best.label
		}
	}
	if list := q.nameCandidates(); len(list) > 0 {
		return list[0].value
	}
	if order := q.best(); len(order) > 0 {
		return q.sentences[order[0]].Text
	}
	return nil
}

// Section is the title of the section that fits best, empty when none was seen.
func (q *Case) Section() string {
	title, most := "", 0.0
	for _, it := range q.items {
		score := 3*q.words.Sum(words.Stems(it.Label)) + q.words.Sum(words.Stems(it.Text))
		if it.Kind == task.IsSection && score > most {
			title, most = words.Flat(it.Label), score
		}
	}
	return title
}

// Object is the item of a kind whose label fits the question best, nil when none was seen. One that begins with name, such
// as "Figure 2", goes before all others; name may be empty.
func (q *Case) Object(k task.Kind, name string) *task.Item {
	label := strings.ToLower(name)
	var best *task.Item
	most := -1.0
	for i := range q.items {
		it := &q.items[i]
		score := q.words.Sum(words.Stems(it.Label))
		if label != "" && strings.HasPrefix(strings.ToLower(it.Label), label) {
			score += 100
		}
		if it.Kind == k && score > most {
			best, most = it, score
		}
	}
	return best
}
