package paperdb

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Holding is what lists show of a paper: a part of its metadata, its file, and its numbers of rows.
type Holding struct {
	PaperID, Title, Conference string
	Year                       int    // 0: unknown
	PDFPath                    string // relative to the data directory; empty without a PDF
	File                       File
	Counts                     Counts
}

// Counts is the number of rows of a paper in each table.
type Counts struct {
	Pages      int `json:"pages"`
	Sections   int `json:"sections"`
	Images     int `json:"images"`
	Tables     int `json:"tables"`
	Equations  int `json:"equations"`
	References int `json:"references"`
	Chunks     int `json:"chunks"`
}

// holdingBlock is the number of papers whose rows are counted at a time, with one scan of each table.
const holdingBlock = 20_000

// List yields papers, ordered by id: at most limit, or all if it is 0, and only those after the id after, unless it is empty.
// It holds a block of them in memory.
func (r *Reader) List(ctx context.Context, after string, limit int) iter.Seq2[Holding, error] {
	return func(yield func(Holding, error) bool) {
		for left := limit; limit == 0 || left > 0; left -= holdingBlock {
			size := holdingBlock
			if limit > 0 {
				size = min(size, left)
			}
			ids, err := list(ctx, r.db, "ids", only[string], `SELECT paper_id::VARCHAR FROM metadata
				WHERE ?1 = '' OR paper_id > TRY_CAST(?1 AS UUID) ORDER BY paper_id LIMIT ?2`, after, size)
			if err != nil {
				yield(Holding{}, err)
				return
			}
			for h, err := range r.Holdings(ctx, ids) {
				if !yield(h, err) {
					return
				}
			}
			if len(ids) < size {
				return
			}
			after = ids[size-1]
		}
	}
}

// Holdings yields the papers with these ids in their order, without those that are unknown. It holds a block of them in memory.
func (r *Reader) Holdings(ctx context.Context, ids []string) iter.Seq2[Holding, error] {
	return func(yield func(Holding, error) bool) {
		for block := range slices.Chunk(ids, holdingBlock) {
			if found, err := r.holdings(ctx, block); !yieldAll(yield, found, err) {
				return
			}
		}
	}
}

func (r *Reader) holdings(ctx context.Context, ids []string) (found []Holding, err error) {
	const fewPapers = 4 * maxLookedUp // for more, scanning the tables is faster than counting by places
	var spans map[string]span
	if len(ids) <= fewPapers {
		if spans, err = spansOf(ctx, r.db, ids); err != nil {
			return nil, err
		}
	}
	if len(spans) < len(ids) {
		return r.described(ctx, ids, true)
	}
	found, err = r.described(ctx, ids, false)
	for i, h := range found {
		found[i].Counts = spans[h.PaperID].counts()
	}
	return found, err
}

// counts returns the numbers of rows of a paper: its rows in a table follow each other.
func (s span) counts() Counts {
	n := func(table string) int { return int(max(s[table].to-s[table].from+1, 0)) }
	return Counts{
		Pages: n("pages"), Images: n("images"), Chunks: n("chunks"), Tables: n("tables"), Sections: n("sections"),
		Equations: n("equations"), References: n("reference"),
	}
}

// described reads papers. It counts their rows with one scan of each table, or not at all.
func (r *Reader) described(ctx context.Context, ids []string, count bool) ([]Holding, error) {
	var columns, joins strings.Builder
	for _, name := range Tables()[1:] {
		if !count {
			columns.WriteString(", 0")
			continue
		}
		_, _ = fmt.Fprintf(&columns, ", COALESCE(n_%s.n, 0)", name)
		_, _ = fmt.Fprintf(&joins, ` LEFT JOIN (SELECT ref_paper_id, count(*) AS n FROM %s WHERE ref_paper_id IN (SELECT id FROM wanted) GROUP BY ref_paper_id) n_%[1]s
			ON n_%[1]s.ref_paper_id = id`, name)
	}
	return list(ctx, r.db, "papers", func(h *Holding) []any {
		f, n := &h.File, &h.Counts
		return []any{
			&h.PaperID, &h.Title, &h.Conference, &h.Year, &h.PDFPath, &f.SHA256, &f.MetadataSHA256, &f.Name, &f.Parser, (*textsCell)(&f.Problems),
			&f.Illegible, &f.Withdrawn, (*textsCell)(&f.Labels),
			&n.Pages, &n.Images, &n.Chunks, &n.Tables, &n.Sections, &n.Equations, &n.References,
		}
	}, `WITH wanted AS MATERIALIZED (SELECT TRY_CAST(unnest(?1::VARCHAR[]) AS UUID) AS id, unnest(range(len(?1::VARCHAR[]))) AS place)
		SELECT id::VARCHAR, COALESCE(title, ''), COALESCE(conference_abbreviation, ''), COALESCE(pub_year, 0), COALESCE(pdf_path, ''),
			COALESCE(sha256, ''), COALESCE(metadata_sha256, ''), COALESCE(name, ''), COALESCE(parser, ''), problems,
			COALESCE(illegible, ''), COALESCE(withdrawn, ''), labels`+columns.String()+`
		FROM wanted JOIN metadata ON metadata.paper_id = id LEFT JOIN airqa.files ON files.paper_id = id`+joins.String()+" ORDER BY place", ids)
}
