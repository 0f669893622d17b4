package paperdb

import (
	"context"
	"strconv"
)

// Label returns the label of a page (from 1) if it is another number; "" otherwise.
func (f File) Label(page int) string {
	if page < 1 || page > len(f.Labels) || f.Labels[page-1] == strconv.Itoa(page) {
		return ""
	}
	return f.Labels[page-1]
}

// File returns the source file of a paper; the zero value for an unknown paper.
func (r *Reader) File(ctx context.Context, paperID string) (File, error) {
	f, _, err := fileOf(ctx, r.db, paperID)
	return f, err
}

func fileOf(ctx context.Context, db querier, paperID string) (f File, ok bool, err error) {
	found, err := files(ctx, db, "WHERE paper_id = TRY_CAST(? AS UUID)", paperID)
	if len(found) > 0 {
		f, ok = found[0].File, true
	}
	return f, ok, err
}

// Illegible returns the illegible papers, ordered by id.
func (r *Reader) Illegible(ctx context.Context) ([]Owned, error) {
	return files(ctx, r.db, "WHERE illegible <> ''")
}
