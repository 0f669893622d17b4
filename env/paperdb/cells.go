package paperdb

import (
	"context"
	"fmt"
	"iter"
	"strings"
)

// Cell is one text of the database for the search index, with its location.
type Cell struct {
	PaperID string
	// Page counts from 1; -1 for metadata and sections, which have no single page.
	Page          int
	Table, Column string
	// Key is the primary key of the row.
	Key  string
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

// cellsQuery selects the non-empty texts of all indexed columns of some papers.
func cellsQuery() string {
	var parts []string
	for _, t := range indexed {
		join := ""
		if t.page == onPage {
			join = " LEFT JOIN pages p ON p.page_id = t.ref_page_id"
		}
		for _, column := range t.columns {
			parts = append(parts, fmt.Sprintf(
				"SELECT t.%[1]s::VARCHAR AS paper, %[2]s AS page, '%[3]s' AS tab, '%[4]s' AS col, t.%[5]s::VARCHAR AS k, t.%[4]s AS text "+
					"FROM %[3]s t%[6]s WHERE t.%[1]s IN (SELECT id FROM wanted) AND length(trim(t.%[4]s)) > 0",
				t.paper, t.page, t.table, column, t.key, join))
		}
	}
	return "WITH wanted AS (SELECT TRY_CAST(unnest(?::VARCHAR[]) AS UUID) AS id) " +
		"SELECT * FROM (" + strings.Join(parts, " UNION ALL ") + ") ORDER BY paper, tab, col, page, k"
}

// Cells yields every text for the search index, ordered by paper, table, column, page and key. It buffers the texts of
// a few papers at a time and stops at the first error.
func (r *Reader) Cells(ctx context.Context) iter.Seq2[Cell, error] {
	return inBatches(ctx, r, "cells", func(c *Cell) []any {
		return []any{&c.PaperID, &c.Page, &c.Table, &c.Column, &c.Key, &c.Text}
	}, cellsQuery())
}

// Counts is the number of rows of a paper in each table.
type Counts struct {
	PaperID                                                        string
	Pages, Images, Chunks, Tables, Sections, Equations, References int
}

// Counts returns the counts of all papers, ordered by id.
func (r *Reader) Counts(ctx context.Context) ([]Counts, error) {
	var columns, joins strings.Builder
	for _, name := range Tables()[1:] {
		_, _ = fmt.Fprintf(&columns, ", COALESCE(%s.n, 0)", "n_"+name)
		_, _ = fmt.Fprintf(&joins, " LEFT JOIN (SELECT ref_paper_id, count(*) AS n FROM %s GROUP BY ref_paper_id) n_%[1]s ON n_%[1]s.ref_paper_id = paper_id", name)
	}
	return list(ctx, r.db, "counts", func(c *Counts) []any {
		return []any{&c.PaperID, &c.Pages, &c.Images, &c.Chunks, &c.Tables, &c.Sections, &c.Equations, &c.References}
	}, "SELECT paper_id::VARCHAR"+columns.String()+" FROM metadata"+joins.String()+" ORDER BY paper_id")
}
