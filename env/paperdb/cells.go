package paperdb

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"airqa/env/vectors"
)

// Cell is one text of the database for the search index, with its location.
type Cell struct {
	// Origin has page -1 for metadata and sections, which have no single page.
	vectors.Origin
	Text string
}

// The page numbers of tables without pages, with a reference to a page, and of the pages themselves.
const none, onPage, ofPage = "-1", "COALESCE(p.page_number, -1)", "t.page_number"

// indexed lists the text columns that the reference embeds (marked E in its schema), by table.
var indexed = []struct {
	table, key, paper, page string
	columns                 []string
}{
	{"metadata", "paper_id", "paper_id", none, []string{"title", "abstract", "bibtex", "tldr"}},
	{"pages", "page_id", "ref_paper_id", ofPage, []string{"page_content", "page_summary"}},
	{"images", "image_id", "ref_paper_id", onPage, []string{"image_caption", "image_summary"}},
	{"chunks", "chunk_id", "ref_paper_id", onPage, []string{"text_content"}},
	{"tables", "table_id", "ref_paper_id", onPage, []string{"table_caption", "table_content", "table_summary"}},
	{"sections", "section_id", "ref_paper_id", none, []string{"section_title", "section_content", "section_summary"}},
	{"equations", "equation_id", "ref_paper_id", onPage, []string{"equation_content"}},
	{"reference", "reference_id", "ref_paper_id", onPage, []string{"reference_content"}},
}

// Place identifies a column of a table.
type Place struct{ Table, Column string }

// Indexed lists the columns whose texts the search index contains.
func Indexed() []Place {
	var places []Place
	for _, t := range indexed {
		for _, column := range t.columns {
			places = append(places, Place{t.table, column})
		}
	}
	return places
}

// cellGroup is the number of papers whose cells are read at a time: enough for few queries, and some 20 MB of text.
const cellGroup = 64

// Cells yields the texts of some papers for the search index, or of all papers if ids is nil. It takes the papers in the
// order in which they were stored, a group at a time; the cells of a group come by table, column, paper, page and key. It
// stops at the first error.
func (r *Reader) Cells(ctx context.Context, ids []string) iter.Seq2[Cell, error] {
	return func(yield func(Cell, error) bool) {
		groups, err := r.CellGroups(ctx, ids)
		if err != nil {
			yield(Cell{}, err)
			return
		}
		for _, group := range groups {
			if cells, err := r.GroupCells(ctx, group); !yieldAll(yield, cells, err) {
				return
			}
		}
	}
}

// CellGroups divides papers, or all papers if ids is nil, into the groups of [Reader.Cells]. Unknown ids are left out.
func (r *Reader) CellGroups(ctx context.Context, ids []string) ([][]string, error) {
	query, args := "SELECT paper_id::VARCHAR FROM airqa.files ORDER BY rowid", []any(nil)
	if ids != nil {
		query = "SELECT paper_id::VARCHAR FROM airqa.files WHERE paper_id IN (SELECT TRY_CAST(unnest(?::VARCHAR[]) AS UUID)) ORDER BY rowid"
		args = []any{ids}
	}
	stored, err := list(ctx, r.db, "files", only[string], query, args...)
	return slices.Collect(slices.Chunk(stored, cellGroup)), err
}

// GroupCells returns the texts of a group of papers in the order of [Reader.Cells].
func (r *Reader) GroupCells(ctx context.Context, ids []string) ([]Cell, error) {
	rows, err := spanOfAll(ctx, r.db, ids)
	if err != nil {
		return nil, err
	}
	var parts []string
	for _, t := range indexed {
		join := ""
		if t.page == onPage {
			join = fmt.Sprintf(" LEFT JOIN (SELECT page_id, page_number FROM pages WHERE %v) p ON p.page_id = t.ref_page_id", rows.in("pages"))
		}
		for _, column := range t.columns {
			parts = append(parts, fmt.Sprintf(
				"SELECT t.%[1]s::VARCHAR AS paper, %[2]s AS page, '%[3]s' AS tab, '%[4]s' AS col, t.%[5]s::VARCHAR AS k, t.%[4]s AS text "+
					"FROM (SELECT * FROM %[3]s WHERE %[7]v) t%[6]s WHERE t.%[1]s IN (SELECT id FROM wanted) AND %[8]s",
				t.paper, t.page, t.table, column, t.key, join, rows.in(t.table), hasText("t."+column)))
		}
	}
	return list(ctx, r.db, "cells", func(c *Cell) []any {
		return []any{&c.PaperID, &c.Page, &c.Table, &c.Column, &c.Key, &c.Text}
	}, wanted+"SELECT * FROM ("+strings.Join(parts, " UNION ALL ")+") ORDER BY tab, col, paper, page, k", ids)
}

// CountCells returns the number of cells of some papers, or of all papers if ids is nil.
func (r *Reader) CountCells(ctx context.Context, ids []string) (int, error) {
	if ids == nil {
		return r.countCells(ctx, nil, "WITH wanted AS (SELECT paper_id AS id FROM airqa.files) ")
	}
	n := 0
	for group := range slices.Chunk(ids, cellGroup) {
		rows, err := spanOfAll(ctx, r.db, group)
		if err != nil {
			return 0, err
		}
		some, err := r.countCells(ctx, rows, wanted, group)
		if err != nil {
			return 0, err
		}
		n += some
	}
	return n, nil
}

func (r *Reader) countCells(ctx context.Context, rows span, papers string, args ...any) (int, error) {
	var sums []string
	for _, t := range indexed {
		for _, column := range t.columns {
			sums = append(sums, fmt.Sprintf("(SELECT count(*) FROM %s WHERE %v AND %s IN (SELECT id FROM wanted) AND %s)",
				t.table, rows.in(t.table), t.paper, hasText(column)))
		}
	}
	counts, err := list(ctx, r.db, "cells", only[int], papers+"SELECT "+strings.Join(sums, " + "), args...)
	if err != nil {
		return 0, err
	}
	return counts[0], nil
}

const wanted = "WITH wanted AS (SELECT TRY_CAST(unnest(?::VARCHAR[]) AS UUID) AS id) "

func hasText(column string) string { return "length(trim(" + column + ")) > 0" }

// Cells returns the texts of the paper for the search index: those that [Reader.Cells] yields once it is stored, in
// another order.
func (p Paper) Cells() []Cell {
	rows := p.rows()
	numbers := make(map[string]int) // of pages, by id
	for _, x := range p.Pages {
		numbers[x.ID] = x.Number
	}
	var list []Cell
	for _, t := range indexed {
		columns := publishedNamed(t.table).columns
		for _, row := range rows[t.table] {
			text := func(column string) string { return *row[slices.Index(columns, column)].(*string) }
			page := -1
			switch t.page {
			case ofPage:
				page = numbers[text(t.key)]
			case onPage:
				page = cmp.Or(numbers[text("ref_page_id")], -1)
			}
			for _, column := range t.columns {
				if cell := clean(text(column)); strings.Trim(cell, " ") != "" {
					list = append(list, Cell{vectors.Origin{PaperID: p.Metadata.PaperID, Page: page, Table: t.table, Column: column, Key: text(t.key)}, cell})
				}
			}
		}
	}
	return list
}
