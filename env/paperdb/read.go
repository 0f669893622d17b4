package paperdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

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
	found, err := list(ctx, r.db, "metadata", func(m *Metadata) []any {
		return []any{
			&m.PaperID, &m.Title, &m.Abstract, &m.NumPages, &m.ConferenceFull, &m.Conference, &m.Year, &m.Volume,
			&m.DownloadURL, &m.BibTeX, (*textsCell)(&m.Authors), &m.PDFPath, &m.TLDR, (*textsCell)(&m.Tags),
		}
	}, "SELECT "+columns+" FROM metadata WHERE paper_id = TRY_CAST(? AS UUID)", paperID)
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
	return list(ctx, r.db, "sections", func(s *Section) []any {
		return []any{&s.ID, &s.Title, &s.Content, &s.Summary, &s.Ordinal, (*numbersCell)(&s.PageNumbers)}
	}, `SELECT section_id::VARCHAR, section_title, section_content, COALESCE(section_summary, ''), ordinal, page_numbers
		FROM sections WHERE ref_paper_id = TRY_CAST(? AS UUID) ORDER BY ordinal, section_id`, paperID)
}

// Pages returns the pages of a paper in order; none for an unknown paper.
func (r *Reader) Pages(ctx context.Context, paperID string) ([]Page, error) {
	return list(ctx, r.db, "pages", func(p *Page) []any {
		return []any{&p.ID, &p.Number, &p.Width, &p.Height, &p.Content, &p.Summary}
	}, `SELECT page_id::VARCHAR, page_number, page_width, page_height, page_content, COALESCE(page_summary, '')
		FROM pages WHERE ref_paper_id = TRY_CAST(? AS UUID) ORDER BY page_number, page_id`, paperID)
}

// Files returns the source file of each paper, ordered by paper id.
func (r *Reader) Files(ctx context.Context) ([]Owned, error) { return files(ctx, r.db, "") }

func files(ctx context.Context, db *sql.DB, where string, args ...any) ([]Owned, error) {
	return list(ctx, db, "files", func(o *Owned) []any {
		return []any{&o.PaperID, &o.SHA256, &o.MetadataSHA256, &o.Name, &o.Parser, (*textsCell)(&o.Problems)}
	}, "SELECT paper_id::VARCHAR, sha256, metadata_sha256, name, parser, problems FROM airqa.files "+where+" ORDER BY paper_id", args...)
}

// ChunkText returns the texts of chunks by id. Unknown ids are absent from the result.
func (r *Reader) ChunkText(ctx context.Context, ids []string) (texts map[string]string, err error) {
	rows, err := r.chunkText.QueryContext(ctx, ids)
	chunks, err := scanned(rows, err, func(c *[2]string) []any { return []any{&c[0], &c[1]} })
	if err != nil {
		return nil, fmt.Errorf("read chunks: %w", err)
	}
	texts = make(map[string]string, len(ids))
	for _, c := range chunks {
		texts[c[0]] = c[1]
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
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", what, err)
	}
	return items, nil
}

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
	*c = list.Get()
	return err
}

func (c *numbersCell) Scan(value any) error {
	var list duckdb.Composite[[]int]
	err := list.Scan(value)
	*c = append(*c, list.Get()...) // an empty list remains nil
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
	pages, err := list(ctx, r.db, "pages", func(p *Page) []any { return []any{&p.Width, &p.Height} },
		"SELECT page_width, page_height FROM pages WHERE ref_paper_id = TRY_CAST(? AS UUID) AND page_number = ?", paperID, page)
	if err != nil || len(pages) == 0 {
		return 0, 0, false, err
	}
	return pages[0].Width, pages[0].Height, true, nil
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
	const query = `SELECT kind, COALESCE(caption, ''), box FROM (
		SELECT 'figure' AS kind, image_caption AS caption, bounding_box::INTEGER[] AS box, i.ordinal AS n FROM images i JOIN pages p ON i.ref_page_id = p.page_id
			WHERE i.ref_paper_id = TRY_CAST(?1 AS UUID) AND p.page_number = ?2
		UNION ALL
		SELECT 'table', table_caption, bounding_box::INTEGER[], t.ordinal FROM tables t JOIN pages p ON t.ref_page_id = p.page_id
			WHERE t.ref_paper_id = TRY_CAST(?1 AS UUID) AND p.page_number = ?2)
		ORDER BY kind, n`
	return list(ctx, r.db, "boxes", func(b *Boxed) []any {
		return []any{&b.Kind, &b.Caption, (*boxCell)(&b.Box)}
	}, query, paperID, page)
}
