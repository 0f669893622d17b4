package cause

import (
	"context"

	"airqa/eval"
	"airqa/internal/words"
	"airqa/qa"
)

// Finder finds the causes of wrong answers, and where evidence was lost, for episodes of one file of questions. It keeps what it made of texts that episodes
// share, such as golds, equal answers and results of equal queries. Its zero value is ready for use by one goroutine.
type Finder struct {
	folded    map[string]string
	rows      map[rowsOf][]row
	questions map[string]question
	size      int // of the texts in folded and rows, in bytes
}

// rowsOf is a result and the field that it is from.
type rowsOf struct{ field, text string }

// question is what all episodes of a question have in common.
type question struct {
	items  []Item
	golds  [][]string
	asked  map[string]bool
	faults []eval.Finding
}

// keep counts a text that is about to be kept. When the texts are too many, all that was kept is dropped.
func (f *Finder) keep(text string) {
	const mostKept = 32 << 20 // the maximum size of the texts that a [Finder] keeps
	if f.folded == nil || f.size > mostKept {
		*f = Finder{folded: make(map[string]string), rows: make(map[rowsOf][]row), questions: make(map[string]question)}
	}
	f.size += len(text)
}

func (f *Finder) fold(text string) string {
	folded, ok := f.folded[text]
	if !ok {
		folded = words.Fold(text)
		f.keep(text)
		f.folded[text] = folded
	}
	return folded
}

// readRows is [readRows] for a text that may have been read before.
func (f *Finder) readRows(field, text string) []row {
	rows, ok := f.rows[rowsOf{field, text}]
	if !ok {
		rows = readRows(field, text)
		f.keep(text)
		f.rows[rowsOf{field, text}] = rows
	}
	return rows
}

func (f *Finder) question(ex qa.Example) question {
	q, ok := f.questions[ex.UUID]
	if !ok {
		q = question{items: itemsOf(ex), golds: Golds(ex.Evaluator), asked: words.Content(words.Fold(ex.Question))}
		f.keep(ex.Question)
		f.questions[ex.UUID] = q
	}
	return q
}

// faults are those of the question that [eval.Lint] finds.
func (f *Finder) faults(ctx context.Context, ex qa.Example) []eval.Finding {
	q := f.question(ex)
	if q.faults == nil {
		q.faults = append([]eval.Finding{}, eval.Lint(ctx, ex)...)
		f.questions[ex.UUID] = q
	}
	return q.faults
}
