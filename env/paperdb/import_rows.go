package paperdb

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"airqa/qa"
)

// publishedTable is a table with its columns in the order of the cells of a row.
type publishedTable struct {
	name, owner, order string
	columns            []string
}

// publishedTables lists the published schema, which schema.sql has, too.
var publishedTables = []publishedTable{
	{"metadata", "paper_id", "paper_id", []string{
		"paper_id", "title", "abstract", "num_pages", "conference_full", "conference_abbreviation", "pub_year", "volume", "download_url",
		"bibtex", "authors", "pdf_path", "tldr", "tags",
	}},
	{"pages", "ref_paper_id", "page_number, page_id", []string{
		"page_id", "page_number", "page_width", "page_height", "page_content", "page_summary",
	}},
	{"images", "ref_paper_id", "ordinal, image_id", []string{
		"image_id", "image_caption", "image_summary", "bounding_box", "ordinal", "ref_page_id",
	}},
	{"chunks", "ref_paper_id", "ordinal, chunk_id", []string{"chunk_id", "text_content", "ordinal", "ref_page_id"}},
	{"tables", "ref_paper_id", "ordinal, table_id", []string{
		"table_id", "table_caption", "table_content", "table_summary", "bounding_box", "ordinal", "ref_page_id",
	}},
	{"sections", "ref_paper_id", "ordinal, section_id", []string{
		"section_id", "section_title", "section_content", "section_summary", "ordinal", "page_numbers",
	}},
	{"equations", "ref_paper_id", "ordinal, equation_id", []string{"equation_id", "equation_content", "ordinal", "ref_page_id"}},
	{"reference", "ref_paper_id", "ordinal, reference_id", []string{"reference_id", "reference_content", "ordinal", "ref_page_id"}},
}

func publishedNamed(name string) publishedTable {
	return publishedTables[slices.IndexFunc(publishedTables, func(t publishedTable) bool { return t.name == name })]
}

// mayBeMissing reports whether a column is filled by language models.
func mayBeMissing(column string) bool {
	return column == "tldr" || column == "tags" || strings.HasSuffix(column, "_summary")
}

// expression converts a column of any type to one that can be scanned. A box is zero unless it has four numbers.
func expression(column string, have bool) string {
	form := "COALESCE(CAST(%s AS VARCHAR), '')"
	switch {
	case (column == "authors" || column == "tags") && !have:
		return "CAST([] AS VARCHAR[])"
	case !have:
		return "''"
	case strings.HasSuffix(column, "_id"):
		form = "COALESCE(lower(CAST(%s AS VARCHAR)), '')"
	case slices.Contains([]string{"num_pages", "pub_year", "page_number", "page_width", "page_height", "ordinal"}, column):
		form = "COALESCE(TRY_CAST(%s AS INTEGER), 0)"
	case column == "bounding_box":
		form = "CASE WHEN len(TRY_CAST(%[1]s AS INTEGER[])) = 4 THEN TRY_CAST(%[1]s AS INTEGER[]) ELSE [] END"
	case column == "page_numbers":
		form = "COALESCE(TRY_CAST(%s AS INTEGER[]), [])"
	case column == "authors" || column == "tags":
		form = "COALESCE(TRY_CAST(%s AS VARCHAR[]), [])"
	}
	return fmt.Sprintf(form, column)
}

// query selects the rows of one paper, given as id is. Columns that a database does not have are empty.
func (t publishedTable) query(have func(column string) bool, where rowRange, id string) string {
	var columns []string
	for _, c := range t.columns {
		columns = append(columns, expression(c, have(c)))
	}
	return fmt.Sprintf("SELECT %s FROM %s WHERE %v AND %s = %s ORDER BY %s", strings.Join(columns, ", "), t.name, where, t.owner, id, t.order)
}

// place returns where the rows of a paper are in a table; false if it has none. Without it, reading a paper would read
// the whole table, and the cost of a paper would grow with the database.
func (r *Released) place(ctx context.Context, t publishedTable, paper string) (rowRange, bool, error) {
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

func rowsOf[T any](ctx context.Context, r *Released, table, paper string, cells func(*T) []any) ([]T, error) {
	t := publishedNamed(table)
	where, have, err := r.place(ctx, t, paper)
	if err != nil || !have {
		return nil, err
	}
	columns, id := r.types[table], "?"
	if columns[t.owner] == "UUID" { // ids are compared in their own type, so that the engine can skip data
		id = "CAST(? AS UUID)"
	}
	return list(ctx, r.db, table, cells, t.query(func(c string) bool { return columns[c] != "" }, where, id), paper)
}
