package paperdb

import (
	"database/sql/driver"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/marcboeker/go-duckdb/v2"
)

type table struct {
	schema, table string
	owner         string // the column with the paper's id
	rows          [][]driver.Value
}

func (t table) name() string { return t.schema + "." + t.table }

// tableRows converts a paper to rows, with columns in the order of schema.sql.
func tableRows(p Paper) ([]table, error) {
	c := &cells{}
	paper := c.id(p.Metadata.PaperID)
	m := p.Metadata
	var year driver.Value
	if m.Year != 0 {
		year = int32(m.Year)
	}
	tables := []table{
		{"main", "metadata", "paper_id", [][]driver.Value{{
			paper, text(m.Title), optional(m.Abstract), int32(m.NumPages), optional(m.ConferenceFull), optional(m.Conference), year,
			optional(m.Volume), optional(m.DownloadURL), optional(m.BibTeX), texts(m.Authors), text(m.PDFPath), optional(m.TLDR), texts(m.Tags),
		}}},
		{"main", "pages", "ref_paper_id", each(p.Pages, func(x *Page) []driver.Value {
			return []driver.Value{c.id(x.ID), int32(x.Number), int32(x.Width), int32(x.Height), text(x.Content), optional(x.Summary), paper}
		})},
		{"main", "images", "ref_paper_id", each(p.Images, func(x *Image) []driver.Value {
			return []driver.Value{c.id(x.ID), text(x.Caption), optional(x.Summary), box(x.Box), int32(x.Ordinal), paper, c.page(x.PageID)}
		})},
		{"main", "chunks", "ref_paper_id", each(p.Chunks, func(x *Chunk) []driver.Value {
			return []driver.Value{c.id(x.ID), text(x.Text), int32(x.Ordinal), paper, c.page(x.PageID)}
		})},
		{"main", "tables", "ref_paper_id", each(p.Tables, func(x *Table) []driver.Value {
			return []driver.Value{c.id(x.ID), text(x.Caption), text(x.Content), optional(x.Summary), box(x.Box), int32(x.Ordinal), paper, c.page(x.PageID)}
		})},
		{"main", "sections", "ref_paper_id", each(p.Sections, func(x *Section) []driver.Value {
			return []driver.Value{c.id(x.ID), text(x.Title), text(x.Content), optional(x.Summary), int32(x.Ordinal), numbers(x.PageNumbers), paper}
		})},
		{"main", "equations", "ref_paper_id", each(p.Equations, func(x *Equation) []driver.Value {
			return []driver.Value{c.id(x.ID), text(x.Content), int32(x.Ordinal), paper, c.page(x.PageID)}
		})},
		{"main", "reference", "ref_paper_id", each(p.References, func(x *Reference) []driver.Value {
			return []driver.Value{c.id(x.ID), text(x.Content), int32(x.Ordinal), paper, c.page(x.PageID)}
		})},
		{"airqa", "files", "paper_id", [][]driver.Value{{
			paper, text(p.File.SHA256), text(p.File.MetadataSHA256), text(p.File.Name), text(p.File.Parser), texts(p.File.Problems),
			text(p.File.Illegible), text(p.File.Withdrawn), texts(p.File.Labels),
		}}},
	}
	for _, page := range p.Pages {
		delete(c.pages, page.ID)
	}
	for _, id := range slices.Sorted(maps.Keys(c.pages)) { // in place of a foreign key
		c.fail(fmt.Errorf("a row refers to page %s, which the paper does not have", id))
	}
	return tables, c.err
}

func each[T, V any](items []T, row func(*T) []V) [][]V {
	rows := make([][]V, len(items))
	for i := range items {
		rows[i] = row(&items[i])
	}
	return rows
}

// cells converts ids to values and keeps the first error.
type cells struct {
	err   error
	pages map[string]bool // page ids that rows refer to
}

func (c *cells) id(s string) driver.Value {
	id, err := uuid.Parse(s)
	if err != nil || len(s) != 36 {
		c.fail(fmt.Errorf("%q is not a uuid", s))
	}
	return duckdb.UUID(id)
}

// page converts the id of a page; unknown is NULL.
func (c *cells) page(s string) driver.Value {
	if s == "" {
		return nil
	}
	if c.pages == nil {
		c.pages = make(map[string]bool)
	}
	c.pages[s] = true
	return c.id(s)
}

func (c *cells) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// clean makes a text safe to store: DuckDB refuses invalid UTF-8, and its driver truncates text at a NUL.
func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

func text(s string) driver.Value { return clean(s) }

// optional converts an empty text to NULL.
func optional(s string) driver.Value {
	if s == "" {
		return nil
	}
	return text(s)
}

func texts(list []string) driver.Value {
	valid := make([]string, len(list))
	for i, s := range list {
		valid[i] = clean(s)
	}
	return valid
}

func numbers(list []int) driver.Value {
	narrow := make([]int32, len(list))
	for i, n := range list {
		narrow[i] = int32(n)
	}
	return narrow
}

func box(b [4]int) driver.Value { return numbers(b[:]) }
