package paperdb

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"strings"
)

// enrichedMark separates the parser in airqa.files.parser from a hash of the cells filled in later. The parser is part
// of the data's fingerprint, so filled cells change it. Reading the paper again removes both.
const enrichedMark = "+enriched-"

// Fill is a text for a cell, generated after the paper was read.
type Fill struct {
	// Column is tldr, tags, page_summary, image_summary, table_summary or section_summary.
	Column string
	// Key is the primary key of the row.
	Key string
	// Text is the new content of the cell; column tags uses Tags instead.
	Text string
	Tags []string
}

// fillable lists the columns of [Fill] with their table, its primary key and the column with the paper's id.
var fillable = []struct{ column, table, key, owner string }{
	{"tldr", "metadata", "paper_id", "paper_id"},
	{"tags", "metadata", "paper_id", "paper_id"},
	{"page_summary", "pages", "page_id", "ref_paper_id"},
	{"image_summary", "images", "image_id", "ref_paper_id"},
	{"table_summary", "tables", "table_id", "ref_paper_id"},
	{"section_summary", "sections", "section_id", "ref_paper_id"},
}

// Enrichable returns the parts of a paper that can be summarised: metadata, pages, images, tables and sections, but no
// chunks, equations and references. The error is [ErrNoPaper] if there is no such paper.
func (r *Reader) Enrichable(ctx context.Context, paperID string) (p Paper, err error) {
	if p.Metadata, err = r.Paper(ctx, paperID); err != nil {
		return p, err
	}
	var errs [4]error
	p.Pages, errs[0] = r.Pages(ctx, paperID)
	p.Sections, errs[1] = r.Sections(ctx, paperID)
	p.Images, errs[2] = rowsOfPaper(ctx, r.db, paperID, "images", (*Image).cells)
	p.Tables, errs[3] = rowsOfPaper(ctx, r.db, paperID, "tables", (*Table).cells)
	return p, cmp.Or(errs[:]...)
}

// Files returns the source file of each paper, ordered by paper id.
func (w *Writer) Files(ctx context.Context) ([]Owned, error) { return files(ctx, w.db, "") }

// Sources is [Reader.Sources] for a writer.
func (w *Writer) Sources(ctx context.Context) ([]Owned, error) { return sources(ctx, w.db) }

// Enrichable is [Reader.Enrichable] for a writer.
func (w *Writer) Enrichable(ctx context.Context, paperID string) (Paper, error) {
	return (&Reader{db: w.db}).Enrichable(ctx, paperID)
}

// Enrich writes texts into cells of a paper in one transaction, and a hash of all such cells into the record of its
// file. A cell that the paper does not have is an error and changes nothing.
func (w *Writer) Enrich(ctx context.Context, paperID string, fills []Fill) error {
	return w.change(ctx, "enrich paper "+paperID, func(conn *sql.Conn) error {
		w.touch(paperID)
		return w.transact(ctx, conn, func() error { return enrich(ctx, conn, paperID, fills) })
	})
}

func enrich(ctx context.Context, conn *sql.Conn, paperID string, fills []Fill) error {
	where, err := spanOf(ctx, conn, paperID)
	if err != nil {
		return err
	}
	delete(where, "metadata") // writing tags moves its row
	for _, f := range fills {
		if err := f.write(ctx, conn, paperID, where); err != nil {
			return err
		}
	}
	// The revision hashes all fillable cells of the paper, however they were filled: equal content has an equal hash.
	var parts []string
	var args []any
	for _, c := range fillable {
		parts = append(parts, fmt.Sprintf("SELECT '%[1]s' AS col, %[2]s::VARCHAR AS k, COALESCE(%[1]s::VARCHAR, '') AS cell FROM %[3]s WHERE %[4]s = ?::UUID AND %[5]v",
			c.column, c.key, c.table, c.owner, where.in(c.table)))
		args = append(args, paperID)
	}
	cells, err := list(ctx, conn, "cells", func(c *[3]string) []any { return []any{&c[0], &c[1], &c[2]} },
		strings.Join(parts, " UNION ALL ")+" ORDER BY col, k", args...)
	if err != nil {
		return err
	}
	h := sha256.New()
	for _, c := range cells {
		_, _ = fmt.Fprintf(h, "%s %s %q\n", c[0], c[1], c[2]) // hash.Hash never returns an error
	}
	revision := hex.EncodeToString(h.Sum(nil))[:16]
	_, err = conn.ExecContext(ctx, "UPDATE airqa.files SET parser = split_part(parser, ?, 1) || ? WHERE paper_id = ?::UUID",
		enrichedMark, enrichedMark+revision, paperID)
	return err
}

func (f Fill) write(ctx context.Context, conn *sql.Conn, paperID string, where span) error {
	for _, c := range fillable {
		if c.column != f.Column {
			continue
		}
		value := text(f.Text)
		cast := ""
		if c.column == "tags" {
			value, cast = texts(f.Tags), "::VARCHAR[]"
		}
		done, err := conn.ExecContext(ctx, fmt.Sprintf("UPDATE %s SET %s = ?%s WHERE %s = ?::UUID AND %s = ?::UUID AND %v",
			c.table, c.column, cast, c.key, c.owner, where.in(c.table)), value, f.Key, paperID)
		if err != nil {
			return fmt.Errorf("column %s: %w", c.column, err)
		}
		if n, err := done.RowsAffected(); err != nil || n != 1 {
			return fmt.Errorf("column %s: the paper has no row %s", c.column, f.Key)
		}
		return nil
	}
	return fmt.Errorf("column %q cannot be filled", f.Column)
}
