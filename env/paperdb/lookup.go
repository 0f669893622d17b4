package paperdb

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// The statements of this file look papers up among any number of them: by primary key, or with a scan of one or two narrow
// columns. None sorts or collects wide rows.

// idList is a list of ids as a parameter; texts that are not UUIDs become NULL, which equals no id.
const idList = "(SELECT TRY_CAST(unnest(?::VARCHAR[]) AS UUID))"

// Totals are the numbers of rows of a database.
type Totals struct{ Papers, Pages, Chunks int }

// Totals counts the papers, pages and passages.
func (r *Reader) Totals(ctx context.Context) (Totals, error) {
	found, err := list(ctx, r.db, "counts", func(t *Totals) []any { return []any{&t.Papers, &t.Pages, &t.Chunks} },
		"SELECT (SELECT count(*) FROM metadata), (SELECT count(*) FROM pages), (SELECT count(*) FROM chunks)")
	if err != nil {
		return Totals{}, err
	}
	return found[0], nil
}

// IDs returns the ids of the first papers, at most limit, in order.
func (r *Reader) IDs(ctx context.Context, limit int) ([]string, error) {
	return list(ctx, r.db, "ids", only[string], "SELECT paper_id::VARCHAR FROM metadata ORDER BY paper_id LIMIT ?", limit)
}

// Known returns those of the ids that papers have, in lower case.
func (r *Reader) Known(ctx context.Context, ids []string) (map[string]bool, error) {
	found, err := list(ctx, r.db, "ids", only[string], "SELECT paper_id::VARCHAR FROM metadata WHERE paper_id IN "+idList, ids)
	known := make(map[string]bool, len(found))
	for _, id := range found {
		known[id] = true
	}
	return known, err
}

// Titles returns the titles of papers by id. Unknown ids are absent from the result.
func (r *Reader) Titles(ctx context.Context, ids []string) (map[string]string, error) {
	found, err := list(ctx, r.db, "titles", nameTargets,
		"SELECT paper_id::VARCHAR, COALESCE(title, ''), '' FROM metadata WHERE paper_id IN "+idList, ids)
	byID := make(map[string]string, len(found))
	for _, n := range found {
		byID[n.PaperID] = n.Title
	}
	return byID, err
}

// IDsWithPrefix returns the ids that begin with a prefix in lower case, in order; none for a text that begins no UUID.
func (r *Reader) IDsWithPrefix(ctx context.Context, prefix string) ([]string, error) {
	const first, last = "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"
	if len(prefix) > len(first) {
		return nil, nil
	}
	for i, c := range []byte(prefix) {
		if hyphen := first[i] == '-'; hyphen != (c == '-') || !hyphen && !strings.ContainsRune("0123456789abcdef", rune(c)) {
			return nil, nil
		}
	}
	return list(ctx, r.db, "ids", only[string], "SELECT paper_id::VARCHAR FROM metadata WHERE paper_id BETWEEN ?::UUID AND ?::UUID ORDER BY paper_id",
		prefix+first[len(prefix):], prefix+last[len(prefix):])
}

// Name is the title of a paper or the name of its file; the other one is empty.
type Name struct{ PaperID, Title, File string }

func nameTargets(n *Name) []any { return []any{&n.PaperID, &n.Title, &n.File} }

// names is a column that identifies papers.
type names struct{ table, column, title, file string }

var (
	titleNames = names{"metadata", "title", "title", "''"}
	fileNames  = names{"airqa.files", "name", "''", "name"}
	paperIDs   = names{"metadata", "paper_id::VARCHAR", "''", "''"}
)

// Names yields the titles and the names of files that contain one of two texts in lower case, in the order of the rows. All
// contain the empty text.
func (r *Reader) Names(ctx context.Context, a, b string) iter.Seq2[Name, error] {
	return func(yield func(Name, error) bool) {
		for _, c := range []names{titleNames, fileNames} {
			for n, err := range r.names(ctx, c, fmt.Sprintf("(contains(lower(%s), ?) OR contains(lower(%[1]s), ?))", c.column), a, b) {
				if !yield(n, err) {
					return
				}
			}
		}
	}
}

// FirstWords returns the parts of titles up to the first space, each once.
func (r *Reader) FirstWords(ctx context.Context) ([]string, error) {
	return list(ctx, r.db, "titles", only[string], "SELECT DISTINCT split_part(title, ' ', 1) FROM metadata WHERE title <> ''")
}

// TitlesFrom yields the titles with one of these [Reader.FirstWords], in the order of the rows.
func (r *Reader) TitlesFrom(ctx context.Context, words []string) iter.Seq2[Name, error] {
	return r.names(ctx, titleNames, "split_part(title, ' ', 1) IN (SELECT unnest(?::VARCHAR[]))", words)
}

func (r *Reader) names(ctx context.Context, c names, where string, args ...any) iter.Seq2[Name, error] {
	const nameBlock = 122_880 // a row group: the engine collects a result before it returns it
	query := fmt.Sprintf("SELECT paper_id::VARCHAR, %s, %s FROM %s WHERE rowid BETWEEN ? AND ? AND %s", c.title, c.file, c.table, where)
	return func(yield func(Name, error) bool) {
		last, err := list(ctx, r.db, "names", only[int], "SELECT COALESCE(max(rowid), -1) FROM "+c.table)
		if err != nil {
			yield(Name{}, err)
			return
		}
		for first := 0; first <= last[0]; first += nameBlock {
			block, err := list(ctx, r.db, "names", nameTargets, query, append([]any{first, first + nameBlock - 1}, args...)...)
			if !yieldAll(yield, block, err) {
				return
			}
		}
	}
}

// NamesLike returns the titles, the names of files and the ids (without either) that share the most trigrams with a text in
// lower case, at most limit of each. Those that share none fill the lists. Only the first distinct trigrams of the text count.
func (r *Reader) NamesLike(ctx context.Context, text string, limit int) (like []Name, err error) {
	const maxGrams = 32
	const size = 3
	shared, args := "(t = '')::INTEGER", []any{limit}
	runes := []rune(text)
	for i := 0; i+size <= len(runes) && len(args) <= maxGrams; i++ {
		if gram := any(string(runes[i : i+size])); !slices.Contains(args, gram) {
			args = append(args, gram)
			shared += fmt.Sprintf(" + contains(t, ?%d)::INTEGER", len(args))
		}
	}
	for _, c := range []names{titleNames, fileNames, paperIDs} {
		found, err := list(ctx, r.db, "names", nameTargets, fmt.Sprintf(`SELECT paper_id::VARCHAR, title, file FROM
			(SELECT paper_id, %s AS title, %s AS file, lower(%s) AS t FROM %s) WHERE t <> '' ORDER BY %s DESC, paper_id LIMIT ?1`,
			c.title, c.file, c.column, c.table, shared), args...)
		if err != nil {
			return nil, err
		}
		like = append(like, found...)
	}
	return like, nil
}

// Venue is a venue of papers, as in their rows.
type Venue struct {
	Conference string
	Year       int
}

// Venues returns the venues of all papers, each once.
func (r *Reader) Venues(ctx context.Context) ([]Venue, error) {
	return list(ctx, r.db, "venues", func(v *Venue) []any { return []any{&v.Conference, &v.Year} },
		"SELECT DISTINCT COALESCE(conference_abbreviation, '') AS c, COALESCE(pub_year, 0) AS y FROM metadata ORDER BY c, y")
}

// IDsOf returns the ids of the papers of a venue, in order.
func (r *Reader) IDsOf(ctx context.Context, v Venue) ([]string, error) {
	return list(ctx, r.db, "ids", only[string], `SELECT paper_id::VARCHAR FROM metadata
		WHERE COALESCE(conference_abbreviation, '') = ? AND COALESCE(pub_year, 0) = ? ORDER BY paper_id`, v.Conference, v.Year)
}

// SharedFiles returns the hashes of files that papers other than those with these ids were read from, too.
func (r *Reader) SharedFiles(ctx context.Context, hashes, ids []string) ([]string, error) {
	return list(ctx, r.db, "files", only[string], `SELECT DISTINCT sha256 FROM airqa.files
		WHERE sha256 IN (SELECT unnest(?::VARCHAR[])) AND paper_id NOT IN (SELECT unnest(?::VARCHAR[])::UUID)`, hashes, ids)
}
