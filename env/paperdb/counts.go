package paperdb

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// Counts is the number of rows of a paper in each table.
type Counts struct {
	PaperID                                                        string
	Pages, Images, Chunks, Tables, Sections, Equations, References int
}

// Counts returns the counts of all papers, ordered by id.
func (r *Reader) Counts(ctx context.Context) ([]Counts, error) {
	return list(ctx, r.db, "counts", func(rows *sql.Rows) (c Counts, err error) {
		err = rows.Scan(&c.PaperID, &c.Pages, &c.Images, &c.Chunks, &c.Tables, &c.Sections, &c.Equations, &c.References)
		return c, err
	}, countsQuery())
}

func countsQuery() string {
	var columns, joins strings.Builder
	for _, name := range Tables()[1:] {
		_, _ = fmt.Fprintf(&columns, ", COALESCE(%s.n, 0)", "n_"+name)
		_, _ = fmt.Fprintf(&joins, " LEFT JOIN (SELECT ref_paper_id, count(*) AS n FROM %s GROUP BY ref_paper_id) n_%[1]s ON n_%[1]s.ref_paper_id = paper_id", name)
	}
	return "SELECT paper_id::VARCHAR" + columns.String() + " FROM metadata" + joins.String() + " ORDER BY paper_id"
}
