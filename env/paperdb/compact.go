package paperdb

import (
	"context"
	"database/sql"
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

// rowGroup is the number of rows of a full row group of the engine.
const rowGroup = 122_880

// isSwollen compares the blocks of a database with those that its live rows need. It reads no rows.
func isSwollen(ctx context.Context, path string) (swollen bool, err error) {
	db, err := connect(path, "access_mode=read_only")
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	spare, share, err := spareGroups(ctx, db)
	if err != nil {
		return false, err
	}
	var total, free float64
	if err := db.QueryRowContext(ctx, "SELECT total_blocks, free_blocks FROM pragma_database_size()").Scan(&total, &free); err != nil {
		return false, err
	}
	return 4*total > 5*(total-free-spare)*share, nil
}

// spareGroups returns the number of row groups beyond those that the rows fill, each of which takes a block, and the share of
// the stored rows that are not deleted.
func spareGroups(ctx context.Context, db *sql.DB) (spare, share float64, err error) {
	var parts []string
	for _, name := range append(Tables(), "airqa.files") {
		parts = append(parts, fmt.Sprintf(`SELECT (SELECT count(*) FROM %[1]s) AS live, count(DISTINCT row_group_id) AS groups,
			COALESCE(sum("count") FILTER (column_id = 0 AND segment_type <> 'VALIDITY'), 0) AS stored FROM pragma_storage_info('%[1]s')`, name))
	}
	err = db.QueryRowContext(ctx, fmt.Sprintf(`SELECT COALESCE(sum(greatest(groups - ceil(stored / %d), 0)), 0), COALESCE(sum(live) / sum(stored), 1)
		FROM (%s) WHERE stored > 0`, rowGroup, strings.Join(parts, " UNION ALL "))).Scan(&spare, &share)
	return spare, share, err
}
