package enrich

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"airqa/env/paperdb"
	"airqa/qa"
)

// Applied is the result of [Enricher.Apply].
type Applied struct {
	// Papers is the number of changed papers, Cells the number of their new texts.
	Papers, Cells int
	// Open is the number of cells without a reply.
	Open int
}

// Apply fills cells with the kept replies, and with texts short enough to be their own summary, in one
// transaction per paper. It asks no model and is idempotent.
func (e *Enricher) Apply(ctx context.Context, store Store) (sum Applied, err error) {
	owned, err := store.Files(ctx)
	if err != nil {
		return sum, err
	}
	for _, o := range owned {
		p, err := store.Enrichable(ctx, o.PaperID)
		if err != nil {
			return sum, err
		}
		fills, open, err := e.fills(p, o.SHA256)
		if err != nil {
			return sum, fmt.Errorf("enrich paper %s: %w", o.PaperID, err)
		}
		sum.Open += open
		if len(fills) == 0 {
			continue
		}
		if err := store.Enrich(ctx, o.PaperID, fills); err != nil {
			return sum, err
		}
		sum.Papers++
		sum.Cells += len(fills)
	}
	return sum, nil
}

// fills lists the cells of a paper that can be filled, and counts those that cannot yet.
func (e *Enricher) fills(p paperdb.Paper, file string) (fills []paperdb.Fill, open int, err error) {
	for _, t := range e.tasks(p, file) {
		f, _, known, err := e.answer(t)
		if err == nil && !known && t.figure != nil { // it could not be rendered
			t.figure = nil
			f, _, known, err = e.answer(t)
		}
		switch {
		case err != nil:
			return nil, 0, err
		case !known:
			open++
		case t.have != cmp.Or(f.Text, strings.Join(f.Tags, ", ")): // not up to date
			fills = append(fills, f)
		}
	}
	return fills, open, nil
}

// answer returns the content of a cell without asking the model. If it is not known, next is the request for it: a repeat
// of the first one if the kept replies are unusable.
func (e *Enricher) answer(t task) (f paperdb.Fill, next qa.Request, known bool, err error) {
	if t.isOwnSummary() {
		return paperdb.Fill{Column: t.column, Key: t.row, Text: t.text}, next, true, nil
	}
	next, err = t.request(e.cfg.Prompts)
	for err == nil {
		reply, kept, unread := e.cfg.Model.Kept(next)
		if unread != nil || !kept {
			return f, next, false, unread
		}
		var unusable error
		if f, unusable = t.fill(e.cfg.Visible(reply.Text)); unusable == nil {
			return f, next, true, nil
		}
		next.Repeat++
	}
	return f, next, false, err
}
