package paperdb

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/marcboeker/go-duckdb/v2"
)

// kind is the expected content of a column of a released database, whatever its type.
type kind int

const (
	idCell kind = iota
	textCell
	numberCell
	textsCell
	numbersCell
	optionalText // a column that may be missing
	optionalTexts
)

type releasedColumn struct {
	name string
	kind kind
}

// releasedTable is a table with its columns in the order that [Released.Paper] expects.
type releasedTable struct {
	name, owner, order string
	columns            []releasedColumn
}

// releasedTables lists the published schema; the columns filled by language models are often missing.
func releasedTables() []releasedTable {
	page := releasedColumn{"ref_page_id", idCell}
	ordinal := releasedColumn{"ordinal", numberCell}
	box := releasedColumn{"bounding_box", numbersCell}
	return []releasedTable{
		{"metadata", "paper_id", "paper_id", releasedMetadata()},
		{"pages", "ref_paper_id", "page_number, page_id", []releasedColumn{
			{"page_id", idCell},
			{"page_number", numberCell},
			{"page_width", numberCell},
			{"page_height", numberCell},
			{"page_content", textCell},
			{"page_summary", optionalText},
		}},
		{"images", "ref_paper_id", "ordinal, image_id", []releasedColumn{
			{"image_id", idCell}, {"image_caption", textCell}, {"image_summary", optionalText}, box, ordinal, page,
		}},
		{"chunks", "ref_paper_id", "ordinal, chunk_id", []releasedColumn{
			{"chunk_id", idCell}, {"text_content", textCell}, ordinal, page,
		}},
		{"tables", "ref_paper_id", "ordinal, table_id", []releasedColumn{
			{"table_id", idCell}, {"table_caption", textCell}, {"table_content", textCell}, {"table_summary", optionalText}, box, ordinal, page,
		}},
		{"sections", "ref_paper_id", "ordinal, section_id", []releasedColumn{
			{"section_id", idCell},
			{"section_title", textCell},
			{"section_content", textCell},
			{"section_summary", optionalText},
			ordinal,
			{"page_numbers", numbersCell},
		}},
		{"equations", "ref_paper_id", "ordinal, equation_id", []releasedColumn{
			{"equation_id", idCell}, {"equation_content", textCell}, ordinal, page,
		}},
		{"reference", "ref_paper_id", "ordinal, reference_id", []releasedColumn{
			{"reference_id", idCell}, {"reference_content", textCell}, ordinal, page,
		}},
	}
}

// releasedMetadata lists the columns of table metadata.
func releasedMetadata() []releasedColumn {
	return []releasedColumn{
		{"paper_id", idCell},
		{"title", textCell},
		{"abstract", textCell},
		{"num_pages", numberCell},
		{"conference_full", textCell},
		{"conference_abbreviation", textCell},
		{"pub_year", numberCell},
		{"volume", textCell},
		{"download_url", textCell},
		{"bibtex", textCell},
		{"authors", textsCell},
		{"pdf_path", textCell},
		{"tldr", optionalText},
		{"tags", optionalTexts},
	}
}

// expression converts a column of any type to one that can be scanned.
func (c releasedColumn) expression(types map[string]string) string {
	_, have := types[c.name]
	switch c.kind {
	case idCell:
		return fmt.Sprintf("COALESCE(lower(CAST(%s AS VARCHAR)), '')", c.name)
	case numberCell:
		return fmt.Sprintf("COALESCE(TRY_CAST(%s AS INTEGER), 0)", c.name)
	case numbersCell:
		return fmt.Sprintf("COALESCE(TRY_CAST(%s AS INTEGER[]), [])", c.name)
	case textsCell, optionalTexts:
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
func (t releasedTable) query(types map[string]string) string {
	var columns []string
	for _, c := range t.columns {
		columns = append(columns, c.expression(types))
	}
	id := "?"
	if types[t.owner] == "UUID" {
		id = "CAST(? AS UUID)"
	}
	return fmt.Sprintf("SELECT %s FROM %s WHERE %s = %s ORDER BY %s", strings.Join(columns, ", "), t.name, t.owner, id, t.order)
}

// row returns the cells of a row one by one, in the order of the table's columns.
type row struct {
	cells []any // the scan targets
	next  int
}

func (t releasedTable) row() *row {
	r := &row{}
	for _, c := range t.columns {
		var cell any = new(string)
		switch c.kind {
		case numberCell:
			cell = new(int)
		case textsCell, optionalTexts:
			cell = new(duckdb.Composite[[]string])
		case numbersCell:
			cell = new(duckdb.Composite[[]int32])
		}
		r.cells = append(r.cells, cell)
	}
	return r
}

func (r *row) take() any { r.next++; return r.cells[r.next-1] }

func (r *row) text() string    { return *r.take().(*string) }
func (r *row) id() string      { return r.text() }
func (r *row) number() int     { return *r.take().(*int) }
func (r *row) texts() []string { return r.take().(*duckdb.Composite[[]string]).Get() }

func (r *row) numbers() []int {
	var list []int
	for _, n := range r.take().(*duckdb.Composite[[]int32]).Get() {
		list = append(list, int(n))
	}
	return list
}

// box returns zero unless there are four numbers.
func (r *row) box() (b [4]int) {
	if list := r.numbers(); len(list) == len(b) {
		b = [4]int(list)
	}
	return b
}

// rowsOf reads the rows of a paper from a table. take must read each column once, in order.
func rowsOf[T any](ctx context.Context, r *Released, table, paper string, take func(*row) T) ([]T, error) {
	for _, t := range releasedTables() {
		if t.name == table {
			return list(ctx, r.db, table, func(rows *sql.Rows) (T, error) {
				c := t.row()
				err := rows.Scan(c.cells...)
				return take(c), err
			}, t.query(r.types[table]), paper)
		}
	}
	return nil, fmt.Errorf("read %s: no such table", table)
}
