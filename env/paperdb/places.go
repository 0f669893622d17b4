package paperdb

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strings"
)

// span has the rows of a paper, or of several, by table.
type span map[string]rowRange

// rowRange has the ids of the first and the last row of some papers in a table.
type rowRange struct{ from, to int64 }

func (x rowRange) String() string { return fmt.Sprintf("rowid BETWEEN %d AND %d", x.from, x.to) }

// in returns a condition on the rows of a table. It is true for all rows if nothing is known.
func (s span) in(table string) rowRange {
	if x, ok := s[table]; ok {
		return x
	}
	return rowRange{0, math.MaxInt64}
}

func (s span) add(other span) {
	for table, x := range other {
		have, ok := s[table]
		switch {
		case !ok || have.from > have.to:
			s[table] = x
		case x.from <= x.to:
			s[table] = rowRange{min(have.from, x.from), max(have.to, x.to)}
		}
	}
}

// placesSQL takes a list of ids.
const placesSQL = `SELECT p.paper_id::VARCHAR, m.rowid, p.ranges FROM airqa.places p JOIN metadata m ON m.paper_id = p.paper_id
	WHERE p.paper_id IN (SELECT TRY_CAST(unnest(?::VARCHAR[]) AS UUID))`

// maxLookedUp is the maximum number of keys in a query: beyond 50, the engine reads the table instead of its index.
const maxLookedUp = 48

// spansOf returns the rows of papers by id. Unknown papers, and those without a place, are absent from the result.
func spansOf(ctx context.Context, db querier, ids []string) (map[string]span, error) {
	type place struct {
		id     string
		row    int64
		ranges numbersCell
	}
	spans := make(map[string]span)
	for some := range slices.Chunk(ids, maxLookedUp) {
		places, err := list(ctx, db, "places", func(p *place) []any { return []any{&p.id, &p.row, &p.ranges} }, placesSQL, some)
		if err != nil {
			return nil, err
		}
		for _, p := range places {
			s := span{"metadata": {p.row, p.row}}
			for i, table := range Tables()[1:] {
				s[table] = rowRange{int64(p.ranges[2*i]), int64(p.ranges[2*i+1])}
			}
			spans[p.id] = s
		}
	}
	return spans, nil
}

func spanOf(ctx context.Context, db querier, paperID string) (span, error) {
	spans, err := spansOf(ctx, db, []string{paperID})
	for _, s := range spans { // by the id as it is stored
		return s, err
	}
	return nil, err
}

func spanOfAll(ctx context.Context, db querier, ids []string) (span, error) {
	spans, err := spansOf(ctx, db, ids)
	if err != nil || len(spans) < len(ids) {
		return nil, err
	}
	all := make(span)
	for _, s := range spans {
		all.add(s)
	}
	return all, nil
}

// fillPlaces adds the places of the papers that were stored since the last time. These have the last rows of each table.
func (w *Writer) fillPlaces(ctx context.Context) error {
	return w.change(ctx, "fill places", func(conn *sql.Conn) error {
		return w.transact(ctx, conn, func() error { return fillPlaces(ctx, conn) })
	})
}

func fillPlaces(ctx context.Context, conn *sql.Conn) error {
	type place struct {
		file   int64
		ranges numbersCell
	}
	last := place{file: -1, ranges: slices.Repeat([]int{-1}, 2*len(Tables()[1:]))}
	known, err := list(ctx, conn, "places", func(p *place) []any { return []any{&p.file, &p.ranges} },
		"SELECT file, ranges FROM airqa.places WHERE file = (SELECT max(file) FROM airqa.places)")
	if err != nil {
		return err
	}
	if len(known) > 0 {
		last = known[0]
	}
	fresh := fmt.Sprintf("rowid > %d", last.file)
	if n, err := list(ctx, conn, "files", only[int], "SELECT count(*) FROM airqa.files WHERE "+fresh); err != nil || n[0] == 0 {
		return err
	}
	var ranges, joins []string
	for i, table := range Tables()[1:] {
		end := last.ranges[2*i+1]
		ranges = append(ranges, fmt.Sprintf("COALESCE(%s.a, %d), COALESCE(%[1]s.b, %[3]d)", "n_"+table, end+1, end))
		joins = append(joins, fmt.Sprintf(" LEFT JOIN (SELECT ref_paper_id AS id, min(rowid) AS a, max(rowid) AS b FROM %s "+
			"WHERE rowid > %d GROUP BY id) n_%[1]s ON n_%[1]s.id = f.paper_id", table, end))
	}
	_, err = conn.ExecContext(ctx, "INSERT INTO airqa.places SELECT f.paper_id, f.rowid, ["+strings.Join(ranges, ", ")+
		"] FROM airqa.files f"+strings.Join(joins, "")+" WHERE f."+fresh)
	return err
}
