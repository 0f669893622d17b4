package paperdb

import (
	"context"
	"fmt"
)

// corners classifies the table boxes of a released database: which of them are [x0, y0, x1, y1]? The reference
// implementation stores tables that way, but figures as [x0, y0, width, height], which its schema documents for both.
type corners int

const (
	noCorners   corners = iota
	someCorners         // only boxes that would otherwise extend beyond the page
	allCorners
)

// edgeTolerance is the tolerance for boxes at the page edge, in points, as page sizes are truncated.
const edgeTolerance = 2

// findCorners decides by the unambiguous boxes. A box of corners near the top left of the page is also plausible as
// width and height. It counts as corners if other boxes of the database certainly are, and none certainly is not.
func (r *Released) findCorners(ctx context.Context) (corners, error) {
	type counts struct{ corners, sizes int }
	found, err := list(ctx, r.db, "table boxes", func(c *counts) []any { return []any{&c.corners, &c.sizes} }, fmt.Sprintf(`SELECT
			count(*) FILTER (WHERE b[3] > b[1] AND b[4] > b[2] AND b[3] <= w + %[1]d AND b[4] <= h + %[1]d
				AND (b[1] + b[3] > w + %[1]d OR b[2] + b[4] > h + %[1]d)),
			count(*) FILTER (WHERE (b[3] <= b[1] OR b[4] <= b[2]) AND b[3] > 0 AND b[4] > 0
				AND b[1] + b[3] <= w + %[1]d AND b[2] + b[4] <= h + %[1]d)
		FROM (SELECT TRY_CAST(t.bounding_box AS INTEGER[]) AS b, TRY_CAST(p.page_width AS INTEGER) AS w, TRY_CAST(p.page_height AS INTEGER) AS h
			FROM tables t JOIN pages p ON lower(CAST(t.ref_page_id AS VARCHAR)) = lower(CAST(p.page_id AS VARCHAR)))
		WHERE len(b) = 4`, edgeTolerance))
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

// fix converts the boxes of a paper's tables to the documented form and records how many it changed.
func (c corners) fix(p *Paper) {
	pages := map[string]Page{}
	for _, page := range p.Pages {
		pages[page.ID] = page
	}
	changed := 0
	for i := range p.Tables {
		t := &p.Tables[i]
		b, page := t.Box, pages[t.PageID]
		// Interpreted as [x0, y0, width, height], the box extends beyond the page.
		exceeds := page.Width > 0 && (b[0]+b[2] > page.Width+edgeTolerance || b[1]+b[3] > page.Height+edgeTolerance)
		if b[2] <= b[0] || b[3] <= b[1] || c == noCorners || c == someCorners && !exceeds {
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
