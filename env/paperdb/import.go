package paperdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/marcboeker/go-duckdb/v2"
)

// Released reads the papers of another database with the eight tables, such as the one released by the authors of
// AirQA. It may have additional tables; ids may be text. It is safe for concurrent use.
type Released struct {
	db *sql.DB
	// column types by table and column
	types   map[string]map[string]string
	corners corners

	mu     sync.Mutex
	places map[string]map[string]rowRange // where the rows of each paper are, by table; filled when needed
}

// OpenReleased opens the database at path read-only and locks the engine down, because the file is untrusted. Errors
// are one line: no such file ([fs.ErrNotExist]), not a DuckDB file, written by a newer DuckDB, missing tables and
// columns.
func OpenReleased(ctx context.Context, path string) (*Released, error) {
	have, err := exists(path)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	if !have {
		return nil, fmt.Errorf("open %s: %w", filepath.Base(path), fs.ErrNotExist)
	}
	db, err := connect(path, "access_mode=read_only")
	if err != nil && strings.Contains(err.Error(), "version number") { // which only happens to files of others
		return nil, fmt.Errorf("open %s: written by a newer DuckDB; use that version to copy it: ATTACH 'copy.duckdb' (STORAGE_VERSION '%s'); "+
			"COPY FROM DATABASE <name> TO copy", filepath.Base(path), storage)
	}
	if err != nil {
		return nil, err
	}
	r := &Released{db: db}
	if err := r.inspect(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", filepath.Base(path), err), db.Close())
	}
	return r, nil
}

func (r *Released) inspect(ctx context.Context) (err error) {
	if err := lockDown(ctx, r.db, sourceMemory); err != nil {
		return err
	}
	// Views are ignored, because they could run anything.
	columns, err := list(ctx, r.db, "columns", func(c *[3]string) []any { return []any{&c[0], &c[1], &c[2]} },
		`SELECT lower(c.table_name), lower(c.column_name), c.data_type FROM duckdb_columns() c
		SEMI JOIN duckdb_tables() t ON t.table_oid = c.table_oid AND t.database_oid = c.database_oid
		WHERE c.database_name = current_database() AND c.schema_name = 'main'`)
	if err != nil {
		return err
	}
	r.types = map[string]map[string]string{}
	for _, c := range columns {
		if r.types[c[0]] == nil {
			r.types[c[0]] = map[string]string{}
		}
		r.types[c[0]][c[1]] = c[2]
	}
	if err := r.complete(); err != nil {
		return err
	}
	r.corners, err = r.findCorners(ctx)
	return err
}

// complete reports all missing tables and columns.
func (r *Released) complete() error {
	var missing []string
	for _, t := range publishedTables {
		columns, have := r.types[t.name]
		if !have {
			missing = append(missing, "table "+t.name)
			continue
		}
		for _, c := range t.columns {
			if _, have := columns[c]; !have && !mayBeMissing(c) {
				missing = append(missing, "column "+t.name+"."+c)
			}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("not a database of papers: missing %s", strings.Join(missing, ", "))
}

// Close closes the database.
func (r *Released) Close() error { return r.db.Close() }

// IDs returns the ids of all papers as stored, sorted.
func (r *Released) IDs(ctx context.Context) ([]string, error) {
	return list(ctx, r.db, "paper ids", only[string], "SELECT CAST(paper_id AS VARCHAR) AS id FROM metadata WHERE paper_id IS NOT NULL ORDER BY id")
}

// PDFPaths returns the ids of all papers as stored with the stored paths of their PDFs, sorted by id.
func (r *Released) PDFPaths(ctx context.Context) ([]Metadata, error) {
	return list(ctx, r.db, "paths of PDFs", func(m *Metadata) []any { return []any{&m.PaperID, &m.PDFPath} },
		"SELECT lower(CAST(paper_id AS VARCHAR)) AS id, COALESCE(CAST(pdf_path AS VARCHAR), '') FROM metadata WHERE paper_id IS NOT NULL ORDER BY id")
}

// Paper reads all rows of the paper with an id from [Released.IDs]. It lists its corrections in File.Problems: table
// boxes that were corners, rows that refer to a missing page. Other fields of File are empty. An unknown id is
// [ErrNoPaper].
func (r *Released) Paper(ctx context.Context, id string) (Paper, error) {
	var p Paper
	heads, err := rowsOf(ctx, r, "metadata", id, (*Metadata).cells)
	if err == nil && len(heads) == 0 {
		err = ErrNoPaper
	}
	if err != nil {
		return Paper{}, fmt.Errorf("paper %.40q: %w", id, err)
	}
	if p.Metadata = heads[0]; p.Metadata.Volume == "None" { // the reference's placeholder for an unknown volume
		p.Metadata.Volume = ""
	}
	if err := r.parts(ctx, id, &p); err != nil {
		return Paper{}, fmt.Errorf("paper %.40q: %w", id, err)
	}
	r.corners.fix(&p)
	fixPages(&p)
	return p, nil
}

// parts reads the seven tables that refer to the paper.
func (r *Released) parts(ctx context.Context, id string, p *Paper) (err error) {
	var errs [7]error
	p.Pages, errs[0] = rowsOf(ctx, r, "pages", id, (*Page).cells)
	p.Images, errs[1] = rowsOf(ctx, r, "images", id, (*Image).cells)
	p.Chunks, errs[2] = rowsOf(ctx, r, "chunks", id, (*Chunk).cells)
	p.Tables, errs[3] = rowsOf(ctx, r, "tables", id, (*Table).cells)
	p.Sections, errs[4] = rowsOf(ctx, r, "sections", id, (*Section).cells)
	p.Equations, errs[5] = rowsOf(ctx, r, "equations", id, (*Equation).cells)
	p.References, errs[6] = rowsOf(ctx, r, "reference", id, (*Reference).cells)
	return errors.Join(errs[:]...)
}

// fixPages clears references to pages that the paper does not have.
func fixPages(p *Paper) {
	have := map[string]bool{"": true}
	for _, page := range p.Pages {
		have[page.ID] = true
	}
	lost, rows := 0, p.rows()
	for _, t := range publishedTables {
		at := slices.Index(t.columns, "ref_page_id")
		for _, row := range rows[t.name] {
			if at < 0 {
				break
			}
			if page := row[at].(*string); !have[*page] {
				*page = ""
				lost++
			}
		}
	}
	if lost > 0 {
		p.File.Problems = append(p.File.Problems, fmt.Sprintf("%d rows referred to a page that the paper does not have", lost))
	}
}

// Check reports rows that no database can store: an id that is not a UUID, a reference to a missing page, two rows with
// one id.
func Check(p Paper) error {
	tables, err := tableRows(p)
	if err != nil {
		return err
	}
	for _, t := range tables {
		seen := map[duckdb.UUID]bool{}
		for _, row := range t.rows {
			id, ok := row[0].(duckdb.UUID)
			if ok && seen[id] {
				return fmt.Errorf("table %s: two rows with the id %s", t.table, id.String())
			}
			seen[id] = true
		}
	}
	return nil
}

// Refused reports whether an error of [Writer.Put] is about the paper (another paper has one of its ids) rather than
// the database. Errors of the appender can be distinguished only by their text.
func Refused(err error) bool {
	return err != nil && strings.Contains(err.Error(), "violates primary key constraint")
}
