package paperdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/marcboeker/go-duckdb/v2"
)

// ErrNoPaper is wrapped by errors about an unknown paper.
var ErrNoPaper = errors.New("no such paper")

// Owned is a paper's id with its source file.
type Owned struct {
	PaperID string
	File
}

// Paper returns the metadata of one paper, or [ErrNoPaper].
func (r *Reader) Paper(ctx context.Context, paperID string) (Metadata, error) {
	const columns = `paper_id::VARCHAR, COALESCE(title, ''), COALESCE(abstract, ''), COALESCE(num_pages, 0), COALESCE(conference_full, ''),
		COALESCE(conference_abbreviation, ''), COALESCE(pub_year, 0), COALESCE(volume, ''), COALESCE(download_url, ''), COALESCE(bibtex, ''),
		authors, COALESCE(pdf_path, ''), COALESCE(tldr, ''), tags`
	found, err := list(ctx, r.db, "metadata", (*Metadata).cells, "SELECT "+columns+" FROM metadata WHERE paper_id = TRY_CAST(? AS UUID)", paperID)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("paper %.40q: %w", paperID, ErrNoPaper)
	}
	if err != nil {
		return Metadata{}, err
	}
	return found[0], nil
}

// Sections returns the sections of a paper in order; none for an unknown paper.
func (r *Reader) Sections(ctx context.Context, paperID string) ([]Section, error) {
	return rowsOfPaper(ctx, r.db, paperID, "sections", (*Section).cells)
}

// Pages returns the pages of a paper in order; none for an unknown paper.
func (r *Reader) Pages(ctx context.Context, paperID string) ([]Page, error) {
	return rowsOfPaper(ctx, r.db, paperID, "pages", (*Page).cells)
}

// rowsOfPaper reads the rows of a paper in another table than metadata.
func rowsOfPaper[T any](ctx context.Context, db querier, paperID, table string, cells func(*T) []any) ([]T, error) {
	where, err := spanOf(ctx, db, paperID)
	if err != nil {
		return nil, err
	}
	have := func(string) bool { return true }
	return list(ctx, db, table, cells, publishedNamed(table).query(have, where.in(table), "TRY_CAST(? AS UUID)"), paperID)
}

// Files returns the source file of each paper, ordered by paper id.
func (r *Reader) Files(ctx context.Context) ([]Owned, error) { return files(ctx, r.db, "") }

func files(ctx context.Context, db querier, where string, args ...any) ([]Owned, error) {
	return list(ctx, db, "files", func(o *Owned) []any {
		return []any{&o.PaperID, &o.SHA256, &o.MetadataSHA256, &o.Name, &o.Parser, (*textsCell)(&o.Problems), &o.Illegible, &o.Withdrawn, (*textsCell)(&o.Labels)}
	}, "SELECT paper_id::VARCHAR, sha256, metadata_sha256, name, parser, problems, illegible, withdrawn, labels FROM airqa.files "+where+" ORDER BY paper_id", args...)
}

// Sources returns the source files of all papers, ordered by paper id, without their names and problems.
func (r *Reader) Sources(ctx context.Context) ([]Owned, error) { return sources(ctx, r.db) }

// The separators of what sources reads: no program writes them into the columns.
const unitSeparator, recordSeparator = "\x1f", "\x1e"

// sources reads the lines of many papers at a time, since each row costs much more in the driver than its text.
func sources(ctx context.Context, db querier) ([]Owned, error) {
	const group = 1024
	texts, err := list(ctx, db, "files", only[string], fmt.Sprintf(`SELECT string_agg(concat_ws(?, paper_id, COALESCE(sha256, ''),
		COALESCE(metadata_sha256, ''), COALESCE(parser, '')), ?) FROM airqa.files GROUP BY rowid // %d`, group), unitSeparator, recordSeparator)
	all := make([]Owned, 0, len(texts)*group)
	for _, text := range texts {
		for line := range strings.SplitSeq(text, recordSeparator) {
			if strings.Count(line, unitSeparator) != 3 {
				return files(ctx, db, "")
			}
			var fields [4]string
			for i := range fields {
				fields[i], line, _ = strings.Cut(line, unitSeparator)
			}
			all = append(all, Owned{PaperID: fields[0], File: File{SHA256: fields[1], MetadataSHA256: fields[2], Parser: fields[3]}})
		}
	}
	slices.SortFunc(all, func(a, b Owned) int { return strings.Compare(a.PaperID, b.PaperID) })
	return all, err
}

// ChunkText returns the texts of chunks of papers, by id. Ids that none of the papers has are absent from the result.
//
// It reads the chunks of the papers, and not the index of all chunks: the engine keeps what it has read of an index, 250 MB
// for 4 million chunks, and fails when that exceeds its memory.
func (r *Reader) ChunkText(ctx context.Context, papers, ids []string) (map[string]string, error) {
	papers = slices.Compact(slices.Sorted(slices.Values(papers)))
	spans, err := spansOf(ctx, r.db, papers)
	if err != nil {
		return nil, err
	}
	if len(spans) < len(papers) {
		rows, err := list(ctx, r.db, "chunks", only[int64],
			"SELECT rowid FROM chunks WHERE chunk_id IN (SELECT TRY_CAST(unnest(?::VARCHAR[]) AS UUID))", ids)
		if err != nil {
			return nil, err
		}
		spans = make(map[string]span, len(rows))
		for _, row := range rows {
			spans[fmt.Sprint(row)] = span{"chunks": {row, row}}
		}
	}
	var parts []string
	for _, id := range slices.Sorted(maps.Keys(spans)) {
		parts = append(parts, fmt.Sprintf("SELECT chunk_id, text_content FROM chunks WHERE %v", spans[id].in("chunks")))
	}
	texts := make(map[string]string, len(ids))
	for some := range slices.Chunk(parts, maxLookedUp) {
		chunks, err := list(ctx, r.db, "chunks", func(c *[2]string) []any { return []any{&c[0], &c[1]} },
			"SELECT chunk_id::VARCHAR, text_content FROM ("+strings.Join(some, " UNION ALL ")+
				") WHERE chunk_id IN (SELECT TRY_CAST(unnest(?::VARCHAR[]) AS UUID))", ids)
		if err != nil {
			return nil, err
		}
		for _, c := range chunks {
			texts[c[0]] = c[1]
		}
	}
	return texts, nil
}

// querier is a database, a connection or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// list runs a trusted query and scans each row into the targets of a new item.
func list[T any](ctx context.Context, db querier, what string, targets func(*T) []any, query string, args ...any) ([]T, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	items, err := scanned(rows, err, targets)
	if fault, ok := errors.AsType[*duckdb.Error](err); ok && fault.Type == duckdb.ErrorTypeOutOfMemory {
		err = errMemory
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", what, err)
	}
	return items, nil
}

// errMemory replaces the advice of the engine about an exhausted limit, which nobody can follow.
var errMemory = errors.New(
	"the database is too large for the memory of one statement; read fewer papers at a time, or divide the data directory")

// scanned reads and closes the rows of a query that returned failed.
func scanned[T any](rows *sql.Rows, failed error, targets func(*T) []any) (items []T, err error) {
	if failed != nil {
		return nil, failed
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var item T
		if err := rows.Scan(targets(&item)...); err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, rows.Err()
}

// only is the target of a query with one column.
func only[T any](value *T) []any { return []any{value} }

// textsCell, numbersCell and boxCell scan lists. A box of fewer than four numbers ends in zeros.
type (
	textsCell   []string
	numbersCell []int
	boxCell     [4]int
)

func (c *textsCell) Scan(value any) error {
	var list duckdb.Composite[[]string]
	err := list.Scan(value)
	*c = append(*c, list.Get()...) // an empty list remains nil
	return err
}

func (c *numbersCell) Scan(value any) error {
	var list duckdb.Composite[[]int]
	err := list.Scan(value)
	*c = append(*c, list.Get()...)
	return err
}

func (c *boxCell) Scan(value any) error {
	var list numbersCell
	err := list.Scan(value)
	copy(c[:], list)
	return err
}

// PageSize returns the width and height of a page in points; false if the paper has no such page.
func (r *Reader) PageSize(ctx context.Context, paperID string, page int) (width, height int, ok bool, err error) {
	pages, err := r.Pages(ctx, paperID)
	at, ok := slices.BinarySearchFunc(pages, page, func(p Page, n int) int { return p.Number - n })
	if err != nil || !ok {
		return 0, 0, false, err
	}
	return pages[at].Width, pages[at].Height, true, nil
}

// Boxed is a figure or table on a page.
type Boxed struct {
	// Kind is "figure" or "table".
	Kind    string
	Caption string
	// Box is [x0, y0, width, height] in points from the top left of the page as displayed.
	Box [4]int
}

// Boxes returns the figures and tables of a page (from 1) with their boxes, figures first; none for an unknown page.
func (r *Reader) Boxes(ctx context.Context, paperID string, page int) ([]Boxed, error) {
	where, err := spanOf(ctx, r.db, paperID)
	if err != nil {
		return nil, err
	}
	query := fmt.Sprintf(`WITH p AS (SELECT page_id FROM pages WHERE %v AND ref_paper_id = TRY_CAST(?1 AS UUID) AND page_number = ?2)
		SELECT kind, COALESCE(caption, ''), box FROM (
		SELECT 'figure' AS kind, image_caption AS caption, bounding_box::INTEGER[] AS box, ordinal AS n FROM images
			WHERE %v AND ref_paper_id = TRY_CAST(?1 AS UUID) AND ref_page_id IN (FROM p)
		UNION ALL
		SELECT 'table', table_caption, bounding_box::INTEGER[], ordinal FROM tables
			WHERE %v AND ref_paper_id = TRY_CAST(?1 AS UUID) AND ref_page_id IN (FROM p))
		ORDER BY kind, n`, where.in("pages"), where.in("images"), where.in("tables"))
	return list(ctx, r.db, "boxes", func(b *Boxed) []any {
		return []any{&b.Kind, &b.Caption, (*boxCell)(&b.Box)}
	}, query, paperID, page)
}

// yieldAll yields items, or the error in their place. It reports whether more are wanted.
func yieldAll[T any](yield func(T, error) bool, items []T, err error) bool {
	if err != nil {
		var none T
		yield(none, err)
		return false
	}
	return !slices.ContainsFunc(items, func(item T) bool { return !yield(item, nil) })
}
