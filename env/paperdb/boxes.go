package paperdb

import (
	"context"
	"database/sql"

	"github.com/marcboeker/go-duckdb/v2"
)

// Boxed is a figure or table on a page.
type Boxed struct {
	// Kind is "figure" or "table".
	Kind    string
	Caption string
	// Box is [x0, y0, width, height] in points from the top left of the page as displayed.
	Box [4]int
}

// Boxes returns the figures and tables of a page (from 1) with their boxes, figures first; none for an unknown page.
func (r *Reader) Boxes(ctx context.Context, paperID string, page int) ([]Boxed, error) {
	const query = `SELECT * FROM (
		SELECT 'figure' AS kind, image_caption AS caption, bounding_box::INTEGER[] AS box, i.ordinal AS n FROM images i JOIN pages p ON i.ref_page_id = p.page_id
			WHERE i.ref_paper_id = TRY_CAST(?1 AS UUID) AND p.page_number = ?2
		UNION ALL
		SELECT 'table', table_caption, bounding_box::INTEGER[], t.ordinal FROM tables t JOIN pages p ON t.ref_page_id = p.page_id
			WHERE t.ref_paper_id = TRY_CAST(?1 AS UUID) AND p.page_number = ?2)
		ORDER BY kind, n`
	return list(ctx, r.db, "boxes", func(rows *sql.Rows) (b Boxed, err error) {
		var box duckdb.Composite[[]int32]
		var ordinal int
		var caption sql.NullString
		if err := rows.Scan(&b.Kind, &caption, &box, &ordinal); err != nil {
			return b, err
		}
		b.Caption = caption.String
		for i, x := range box.Get() {
			if i < len(b.Box) {
				b.Box[i] = int(x)
			}
		}
		return b, nil
	}, query, paperID, page)
}
