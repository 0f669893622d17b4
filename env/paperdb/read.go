package paperdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/marcboeker/go-duckdb/v2"
)

// ErrNoPaper is wrapped by errors about an unknown paper.
var ErrNoPaper = errors.New("no such paper")

// Owned is a paper's id with its source file.
type Owned struct {
	PaperID string
	File
}

// Passage is a chunk with the data that an index needs.
type Passage struct {
	ID, PaperID string
	// Page counts from 1; -1 if unknown.
	Page int
	Text string
}

// Papers returns the metadata of all papers, ordered by id.
func (r *Reader) Papers(ctx context.Context) ([]Metadata, error) { return r.metadata(ctx, "") }

// Paper returns the metadata of one paper, or [ErrNoPaper].
func (r *Reader) Paper(ctx context.Context, paperID string) (Metadata, error) {
	list, err := r.metadata(ctx, "WHERE paper_id = TRY_CAST(? AS UUID)", paperID)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("paper %.40q: %w", paperID, ErrNoPaper)
	}
	if err != nil {
		return Metadata{}, err
	}
	return list[0], nil
}

func (r *Reader) metadata(ctx context.Context, where string, args ...any) ([]Metadata, error) {
	const columns = `paper_id::VARCHAR, COALESCE(title, ''), COALESCE(abstract, ''), COALESCE(num_pages, 0), COALESCE(conference_full, ''),
		COALESCE(conference_abbreviation, ''), COALESCE(pub_year, 0), COALESCE(volume, ''), COALESCE(download_url, ''), COALESCE(bibtex, ''),
		authors, COALESCE(pdf_path, ''), COALESCE(tldr, ''), tags`
	return list(ctx, r.db, "metadata", func(rows *sql.Rows) (m Metadata, err error) {
		var authors, tags duckdb.Composite[[]string]
		err = rows.Scan(&m.PaperID, &m.Title, &m.Abstract, &m.NumPages, &m.ConferenceFull, &m.Conference, &m.Year, &m.Volume,
			&m.DownloadURL, &m.BibTeX, &authors, &m.PDFPath, &m.TLDR, &tags)
		m.Authors, m.Tags = authors.Get(), tags.Get()
		return m, err
	}, "SELECT "+columns+" FROM metadata "+where+" ORDER BY paper_id", args...)
}

// Sections returns the sections of a paper in order; none for an unknown paper.
func (r *Reader) Sections(ctx context.Context, paperID string) ([]Section, error) {
	return list(ctx, r.db, "sections", func(rows *sql.Rows) (s Section, err error) {
		var pages duckdb.Composite[[]int32]
		err = rows.Scan(&s.ID, &s.Title, &s.Content, &s.Summary, &s.Ordinal, &pages)
		for _, n := range pages.Get() {
			s.PageNumbers = append(s.PageNumbers, int(n))
		}
		return s, err
	}, `SELECT section_id::VARCHAR, section_title, section_content, COALESCE(section_summary, ''), ordinal, page_numbers
		FROM sections WHERE ref_paper_id = TRY_CAST(? AS UUID) ORDER BY ordinal, section_id`, paperID)
}

// Pages returns the pages of a paper in order; none for an unknown paper.
func (r *Reader) Pages(ctx context.Context, paperID string) ([]Page, error) {
	return list(ctx, r.db, "pages", func(rows *sql.Rows) (p Page, err error) {
		err = rows.Scan(&p.ID, &p.Number, &p.Width, &p.Height, &p.Content, &p.Summary)
		return p, err
	}, `SELECT page_id::VARCHAR, page_number, page_width, page_height, page_content, COALESCE(page_summary, '')
		FROM pages WHERE ref_paper_id = TRY_CAST(? AS UUID) ORDER BY page_number, page_id`, paperID)
}

// Files returns the source file of each paper, ordered by paper id.
func (r *Reader) Files(ctx context.Context) ([]Owned, error) { return files(ctx, r.db, "") }

func files(ctx context.Context, db *sql.DB, where string, args ...any) ([]Owned, error) {
	return list(ctx, db, "files", func(rows *sql.Rows) (o Owned, err error) {
		var problems duckdb.Composite[[]string]
		err = rows.Scan(&o.PaperID, &o.SHA256, &o.MetadataSHA256, &o.Name, &o.Parser, &problems)
		o.Problems = problems.Get()
		return o, err
	}, "SELECT paper_id::VARCHAR, sha256, metadata_sha256, name, parser, problems FROM airqa.files "+where+" ORDER BY paper_id", args...)
}

// batch is the number of papers whose chunks are read at once. Each read scans the whole table.
const batch = 64

// Chunks yields all chunks, ordered by paper id and ordinal. It buffers the text of a few papers at a time and stops at
// the first error.
func (r *Reader) Chunks(ctx context.Context) iter.Seq2[Passage, error] {
	return func(yield func(Passage, error) bool) {
		owned, err := r.Files(ctx)
		if err != nil {
			yield(Passage{}, err)
			return
		}
		for part := range slices.Chunk(owned, batch) {
			passages, err := r.passages(ctx, "WHERE ref_paper_id IN (SELECT TRY_CAST(unnest(?::VARCHAR[]) AS UUID))", ids(part))
			if err != nil {
				yield(Passage{}, err)
				return
			}
			for _, p := range passages {
				if !yield(p, nil) {
					return
				}
			}
		}
	}
}

func ids(owned []Owned) []string {
	list := make([]string, len(owned))
	for i, o := range owned {
		list[i] = o.PaperID
	}
	return list
}

// ChunkText returns the texts of chunks by id. Unknown ids are absent from the result.
func (r *Reader) ChunkText(ctx context.Context, ids []string) (texts map[string]string, err error) {
	rows, err := r.chunkText.QueryContext(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read chunks: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	texts = make(map[string]string, len(ids))
	for rows.Next() {
		var id, text string
		if err := rows.Scan(&id, &text); err != nil {
			return nil, fmt.Errorf("read chunks: %w", err)
		}
		texts[id] = text
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read chunks: %w", err)
	}
	return texts, nil
}

func (r *Reader) passages(ctx context.Context, where string, args ...any) ([]Passage, error) {
	return list(ctx, r.db, "chunks", func(rows *sql.Rows) (p Passage, err error) {
		err = rows.Scan(&p.ID, &p.PaperID, &p.Page, &p.Text)
		return p, err
	}, `SELECT chunk_id::VARCHAR, chunks.ref_paper_id::VARCHAR, COALESCE(page_number, -1), text_content
		FROM (SELECT * FROM chunks `+where+`) chunks LEFT JOIN pages ON page_id = ref_page_id
		ORDER BY chunks.ref_paper_id, ordinal, chunk_id`, args...)
}

// list runs a trusted query and scans each row.
func list[T any](ctx context.Context, db *sql.DB, what string, scan func(*sql.Rows) (T, error), query string, args ...any) (items []T, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", what, err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		item, err := scan(rows)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", what, err)
		}
		items = append(items, item)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read %s: %w", what, err)
	}
	return items, nil
}

// PageSize returns the width and height of a page in points; false if the paper has no such page.
func (r *Reader) PageSize(ctx context.Context, paperID string, page int) (width, height int, ok bool, err error) {
	pages, err := list(ctx, r.db, "pages", func(rows *sql.Rows) (p Page, err error) {
		err = rows.Scan(&p.Width, &p.Height)
		return p, err
	}, "SELECT page_width, page_height FROM pages WHERE ref_paper_id = TRY_CAST(? AS UUID) AND page_number = ?", paperID, page)
	if err != nil || len(pages) == 0 {
		return 0, 0, false, err
	}
	return pages[0].Width, pages[0].Height, true, nil
}
