package env

import (
	"context"

	"airqa/env/paperdb"
)

// Files returns the source file of each paper, ordered by paper id.
func (w *Writer) Files(ctx context.Context) ([]paperdb.Owned, error) { return w.db.Files(ctx) }

// Enrichable returns the parts of a paper that can be summarised, see paperdb.Reader.Enrichable.
func (w *Writer) Enrichable(ctx context.Context, paperID string) (paperdb.Paper, error) {
	return w.db.Enrichable(ctx, paperID)
}

// Enrich writes texts into cells of a paper in one transaction and changes the fingerprint of the data. Finish makes
// the texts visible to readers and searchable.
func (w *Writer) Enrich(ctx context.Context, paperID string, fills []paperdb.Fill) error {
	return w.db.Enrich(ctx, paperID, fills)
}
