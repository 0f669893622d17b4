package paperdb

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"airqa/qa"
)

// kind is the expected content of a column of a released database, whatever its type.
type kind int

const (
	isID kind = iota
	isText
	isNumber
	isTexts
	isNumbers
	isBox        // zero unless it has four numbers
	optionalText // a column that may be missing
	optionalTexts
)

type releasedColumn struct {
	name string
	kind kind
}

// releasedTable is a table with its columns in the order of the cells of a row.
type releasedTable struct {
	name, owner, order string
	columns            []releasedColumn
}

var (
	pageColumn    = releasedColumn{"ref_page_id", isID}
	ordinalColumn = releasedColumn{"ordinal", isNumber}
	boxColumn     = releasedColumn{"bounding_box", isBox}
)

// releasedTables lists the published schema; the columns filled by language models are often missing.
var releasedTables = []releasedTable{
	{"metadata", "paper_id", "paper_id", []releasedColumn{
		{"paper_id", isID},
		{"title", isText},
		{"abstract", isText},
		{"num_pages", isNumber},
		{"conference_full", isText},
		{"conference_abbreviation", isText},
		{"pub_year", isNumber},
		{"volume", isText},
		{"download_url", isText},
		{"bibtex", isText},
		{"authors", isTexts},
		{"pdf_path", isText},
		{"tldr", optionalText},
		{"tags", optionalTexts},
	}},
	{"pages", "ref_paper_id", "page_number, page_id", []releasedColumn{
		{"page_id", isID},
		{"page_number", isNumber},
		{"page_width", isNumber},
		{"page_height", isNumber},
		{"page_content", isText},
		{"page_summary", optionalText},
	}},
	{"images", "ref_paper_id", "ordinal, image_id", []releasedColumn{
		{"image_id", isID}, {"image_caption", isText}, {"image_summary", optionalText}, boxColumn, ordinalColumn, pageColumn,
	}},
	{"chunks", "ref_paper_id", "ordinal, chunk_id", []releasedColumn{
		{"chunk_id", isID}, {"text_content", isText}, ordinalColumn, pageColumn,
	}},
	{"tables", "ref_paper_id", "ordinal, table_id", []releasedColumn{
		{"table_id", isID},
		{"table_caption", isText},
		{"table_content", isText},
		{"table_summary", optionalText},
		boxColumn, ordinalColumn, pageColumn,
	}},
	{"sections", "ref_paper_id", "ordinal, section_id", []releasedColumn{
		{"section_id", isID},
		{"section_title", isText},
		{"section_content", isText},
		{"section_summary", optionalText},
		ordinalColumn,
		{"page_numbers", isNumbers},
	}},
	{"equations", "ref_paper_id", "ordinal, equation_id", []releasedColumn{
		{"equation_id", isID}, {"equation_content", isText}, ordinalColumn, pageColumn,
	}},
	{"reference", "ref_paper_id", "ordinal, reference_id", []releasedColumn{
		{"reference_id", isID}, {"reference_content", isText}, ordinalColumn, pageColumn,
	}},
}

// expression converts a column of any type to one that can be scanned.
func (c releasedColumn) expression(types map[string]string) string {
	_, have := types[c.name]
	switch c.kind {
	case isID:
		return fmt.Sprintf("COALESCE(lower(CAST(%s AS VARCHAR)), '')", c.name)
	case isNumber:
		return fmt.Sprintf("COALESCE(TRY_CAST(%s AS INTEGER), 0)", c.name)
	case isNumbers:
		return fmt.Sprintf("COALESCE(TRY_CAST(%s AS INTEGER[]), [])", c.name)
	case isBox:
		return fmt.Sprintf("CASE WHEN len(TRY_CAST(%s AS INTEGER[])) = 4 THEN TRY_CAST(%[1]s AS INTEGER[]) ELSE [] END", c.name)
	case isTexts, optionalTexts:
		if !have {
			return "CAST([] AS VARCHAR[])"
		}
		return fmt.Sprintf("COALESCE(TRY_CAST(%s AS VARCHAR[]), [])", c.name)
	default:
		if !have {
			return "''"
		}
		return fmt.Sprintf("COALESCE(CAST(%s AS VARCHAR), '')", c.name)
	}
}

// query selects the rows of one paper. Ids are compared in their own type, so that the engine can skip data.
func (t releasedTable) query(types map[string]string, where rowRange) string {
	var columns []string
	for _, c := range t.columns {
		columns = append(columns, c.expression(types))
	}
	id := "?"
	if types[t.owner] == "UUID" {
		id = "CAST(? AS UUID)"
	}
	return fmt.Sprintf("SELECT %s FROM %s WHERE %v AND %s = %s ORDER BY %s", strings.Join(columns, ", "), t.name, where, t.owner, id, t.order)
}

// place returns where the rows of a paper are in a table; false if it has none. Without it, reading a paper would read
// the whole table, and the cost of a paper would grow with the database.
func (r *Released) place(ctx context.Context, t releasedTable, paper string) (rowRange, bool, error) {
	everywhere := rowRange{from: 0, to: math.MaxInt64} // another way to write a UUID, which the engine may read
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.places[t.name] == nil {
		type owned struct {
			id    string
			where rowRange
		}
		found, err := list(ctx, r.db, t.name, func(o *owned) []any { return []any{&o.id, &o.where.from, &o.where.to} }, fmt.Sprintf(
			"SELECT CAST(%[1]s AS VARCHAR), min(rowid), max(rowid) FROM %[2]s WHERE %[1]s IS NOT NULL GROUP BY ALL", t.owner, t.name))
		if err != nil {
			return rowRange{}, false, err
		}
		places := make(map[string]rowRange, len(found))
		for _, o := range found {
			places[o.id] = o.where
		}
		if r.places == nil {
			r.places = make(map[string]map[string]rowRange)
		}
		r.places[t.name] = places
	}
	if r.types[t.name][t.owner] == "UUID" {
		if paper = strings.ToLower(paper); !qa.IsUUID(paper) {
			return everywhere, true, nil // another way to write a UUID, which the engine may read
		}
	}
	where, have := r.places[t.name][paper]
	return where, have, nil
}

// rowsOf reads the rows of a paper from a table.
func rowsOf[T any](ctx context.Context, r *Released, table, paper string, cells func(*T) []any) ([]T, error) {
	t := releasedTables[slices.IndexFunc(releasedTables, func(t releasedTable) bool { return t.name == table })]
	where, have, err := r.place(ctx, t, paper)
	if err != nil || !have {
		return nil, err
	}
	return list(ctx, r.db, table, cells, t.query(r.types[table], where), paper)
}
