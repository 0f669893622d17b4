package paperdb

import (
	"context"
	"database/sql"
	"fmt"
)

// corners tells which boxes of tables are [x0, y0, x1, y1] in a released database. The reference implementation stores tables
// so, and figures as [x0, y0, width, height], as the schema says of both.
type corners int

const (
	noCorners   corners = iota
	someCorners         // those that would leave the page otherwise
	allCorners
)

// edge is how far a box may reach over the page's edge, in points: sizes of pages are truncated.
const edge = 2

// findCorners goes by boxes that can be read in one way only. A box of corners near the page's top left reads well as width
// and height too: where others in the database are corners for certain, and none is not, it is one.
func (r *Released) findCorners(ctx context.Context) (corners, error) {
	type counts struct{ corners, sizes int }
	found, err := list(ctx, r.db, "table boxes", func(rows *sql.Rows) (c counts, err error) {
		err = rows.Scan(&c.corners, &c.sizes)
		return c, err
	}, fmt.Sprintf(`SELECT
			count(*) FILTER (WHERE b[3] > b[1] AND b[4] > b[2] AND b[3] <= w + %[1]d AND b[4] <= h + %[1]d
				AND (b[1] + b[3] > w + %[1]d OR b[2] + b[4] > h + %[1]d)),
			count(*) FILTER (WHERE (b[3] <= b[1] OR b[4] <= b[2]) AND b[3] > 0 AND b[4] > 0
				AND b[1] + b[3] <= w + %[1]d AND b[2] + b[4] <= h + %[1]d)
		FROM (SELECT TRY_CAST(t.bounding_box AS INTEGER[]) AS b, TRY_CAST(p.page_width AS INTEGER) AS w, TRY_CAST(p.page_height AS INTEGER) AS h
			FROM tables t JOIN pages p ON lower(CAST(t.ref_page_id AS VARCHAR)) = lower(CAST(p.page_id AS VARCHAR)))
		WHERE len(b) = 4`, edge))
	if err != nil {
		return noCorners, err
	}
	switch {
	case found[0].corners == 0:
		return noCorners, nil
	case found[0].sizes == 0:
		return allCorners, nil
	}
	return someCorners, nil
}

// mend makes the boxes of a paper's tables what the schema says, and notes how many it changed.
func (c corners) mend(p *Paper) {
	pages := map[string]Page{}
	for _, page := range p.Pages {
		pages[page.ID] = page
	}
	changed := 0
	for i := range p.Tables {
		t := &p.Tables[i]
		b := t.Box
		if b[2] <= b[0] || b[3] <= b[1] || c == noCorners || c == someCorners && !leaves(b, pages[t.PageID]) {
			continue
		}
		t.Box = [4]int{b[0], b[1], b[2] - b[0], b[3] - b[1]}
		changed++
	}
	if changed > 0 {
		p.File.Problems = append(p.File.Problems,
			fmt.Sprintf("%d table boxes were corners [x0, y0, x1, y1]; they are [x0, y0, width, height] here", changed))
	}
}

// leaves tells whether a box reaches over the page's edge when it is read as [x0, y0, width, height].
func leaves(b [4]int, page Page) bool {
	return page.Width > 0 && (b[0]+b[2] > page.Width+edge || b[1]+b[3] > page.Height+edge)
}
