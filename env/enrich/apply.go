package enrich

import (
	"context"
	"fmt"

	"airqa/env/paperdb"
)

// Applied is what came of [Enricher.Apply].
type Applied struct {
	// Papers got new texts, Cells of them in all.
	Papers, Cells int
	// Open counts the cells that are still to be asked for.
	Open int
}

// Apply fills cells with the replies of the journal, and with texts that are short enough to be their own summary: each
// paper as one transaction. It asks nobody, and may be repeated.
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

// fills lists what can be filled in of a paper, and how many cells cannot yet.
func (e *Enricher) fills(p paperdb.Paper, file string) (fills []paperdb.Fill, open int, err error) {
	for _, t := range e.tasks(p, file) {
		f, ok, err := e.answer(t)
		switch {
		case err != nil:
			return nil, 0, err
		case !ok:
			open++
		case !t.holds(f):
			fills = append(fills, f)
		}
	}
	return fills, open, nil
}

// answer finds the content of a cell without asking.
func (e *Enricher) answer(t task) (paperdb.Fill, bool, error) {
	if t.passes() {
		return paperdb.Fill{Column: t.column, Key: t.row, Text: t.text}, true, nil
	}
	q, err := t.question(e.cfg.ModelName)
	if err != nil {
		return paperdb.Fill{}, false, err
	}
	reply, ok, err := e.cfg.Journal.Reply(q.key)
	if err == nil && !ok && t.place != nil {
		t.place = nil // it could not be drawn
		return e.answer(t)
	}
	if err != nil || !ok {
		return paperdb.Fill{}, false, err
	}
	f, unfit := t.fill(reply)
	return f, unfit == nil, nil
}
