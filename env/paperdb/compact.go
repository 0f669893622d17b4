package paperdb

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Compact rewrites the database at path if it is more than a quarter larger than its rows need, and reports whether it did.
// Each writer leaves a row group and a block of its own in every table, and the engine gives back neither those nor the space
// of deleted rows. A rewriting costs about as much as the additions since the last one, so that it is rare in a large database.
// After a crash, path is as it was.
func Compact(ctx context.Context, path string) (done bool, err error) {
	if err := removeDatabase(path + ".new"); err != nil { // of a crash
		return false, fmt.Errorf("compact database: %w", err)
	}
	swollen, err := isSwollen(ctx, path)
	if err == nil && swollen {
		err = Combine(ctx, path, Combination{Parts: []Part{{Path: path}}})
	}
	if err != nil {
		return false, fmt.Errorf("compact database: %w", err)
	}
	return swollen, nil
}

// isSwollen compares the blocks of a database with those that its live rows need. It reads no rows. The table of files, which
// has a row group for each writer as the others have, tells at once that most databases are not swollen.
func isSwollen(ctx context.Context, path string) (swollen bool, err error) {
	db, err := connect(path, "access_mode=read_only")
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var total, free float64
	if err := db.QueryRowContext(ctx, "SELECT total_blocks, free_blocks FROM pragma_database_size()").Scan(&total, &free); err != nil {
		return false, err
	}
	all := append(Tables(), "airqa.files")
	need := func(tables ...string) (float64, error) {
		const rowGroup = 122_880 // rows of a full row group of the engine
		var parts []string
		for _, name := range tables {
			parts = append(parts, fmt.Sprintf(`SELECT (SELECT count(*) FROM %[1]s) AS live, count(DISTINCT row_group_id) AS groups,
				COALESCE(sum("count") FILTER (column_id = 0 AND segment_type <> 'VALIDITY'), 0) AS stored FROM pragma_storage_info('%[1]s')`, name))
		}
		// The row groups beyond those that the rows fill, each of which takes a block, and the share of the rows that are not deleted.
		var spare, share float64
		err := db.QueryRowContext(ctx, fmt.Sprintf(`SELECT COALESCE(sum(greatest(groups - ceil(stored / %d), 0)), 0),
			COALESCE(sum(live) / sum(stored), 1)
			FROM (%s) WHERE stored > 0`, rowGroup, strings.Join(parts, " UNION ALL "))).Scan(&spare, &share)
		return (total - free - spare*float64(len(all)/len(tables))) * share, err
	}
	if blocks, err := need("airqa.files"); err != nil || total < surelyCompact*blocks {
		return false, err
	}
	blocks, err := need(all...)
	return total > mostSwollen*blocks, err
}

// How many times the blocks of its rows a database may have, and how many it has at least if it is to be looked at in detail.
const mostSwollen, surelyCompact = 1.25, 1.1
