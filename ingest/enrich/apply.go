package enrich

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"airqa/env/paperdb"
)

// Applied is the result of [Enricher.Apply].
type Applied struct {
	// Papers is the number of changed papers, Cells the number of their new texts.
	Papers, Cells int
	// Open is the number of cells without a reply.
	Open int
}

// Apply fills cells with the replies of the journal, and with texts short enough to be their own summary, in one
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
		f, ok, err := e.answer(t)
		switch {
		case err != nil:
			return nil, 0, err
		case !ok:
			open++
		case t.have != cmp.Or(f.Text, strings.Join(f.Tags, ", ")): // not up to date
			fills = append(fills, f)
		}
	}
	return fills, open, nil
}

// answer returns the content of a cell without asking the model.
func (e *Enricher) answer(t task) (paperdb.Fill, bool, error) {
	if t.isOwnSummary() {
		return paperdb.Fill{Column: t.column, Key: t.row, Text: t.text}, true, nil
	}
	q, err := t.question(e.cfg.ModelName)
	if err != nil {
		return paperdb.Fill{}, false, err
	}
	reply, ok, err := e.cfg.Journal.Reply(q.key)
	if err == nil && !ok && t.place != nil {
		t.place = nil // it could not be rendered
		return e.answer(t)
	}
	if err != nil || !ok {
		return paperdb.Fill{}, false, err
	}
	f, unfit := t.fill(e.cfg.Visible(reply))
	return f, unfit == nil, nil
}
