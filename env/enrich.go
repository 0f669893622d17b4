package env

import (
	"context"

	"airqa/env/paperdb"
)

// Files returns what each paper was read from, by paper id.
func (w *Writer) Files(ctx context.Context) ([]paperdb.Owned, error) { return w.db.Files(ctx) }

// Enrichable returns what there is to summarise of a paper, see paperdb.Reader.Enrichable.
func (w *Writer) Enrichable(ctx context.Context, paperID string) (paperdb.Paper, error) {
	return w.db.Enrichable(ctx, paperID)
}

// Enrich puts texts into cells of a paper as one transaction. Readers find them after Finish, which makes them
// searchable; the fingerprint of the data changes with them.
func (w *Writer) Enrich(ctx context.Context, paperID string, fills []paperdb.Fill) error {
	return w.db.Enrich(ctx, paperID, fills)
}
