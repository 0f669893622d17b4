package bigpapers

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/marcboeker/go-duckdb/v2"

	"airqa/env/paperdb"
	"airqa/env/vectors"
)

// Sizes of the pool that texts are cut from: 3,500 characters are a page.
const (
	poolTexts = 2000
	poolText  = 3500
)

// batch is the number of papers that are inserted at a time.
const batch = 5000

// inserts make the rows of papers $from to $to. A row's text is unique, so that it cannot be stored once for many rows.
var inserts = []string{
	`INSERT INTO metadata SELECT md5('p' || i)::UUID, 'Paper ' || i || ' ' || left(t, 60), left(t, 900) || i, 16, 'Annual Meeting of the Association', 'ACL',
		2000 + i % 25, 'Long Papers', 'https://example.com/' || i, left(t, 250) || i, ['A. Author', 'B. Author ' || i], '', NULL, []
		FROM (SELECT n AS i FROM range($from, $to) r(n)) JOIN pool ON pool.k = (i * 7919) % $pool`,
	rows("pages", 16, `md5('g' || i || '-' || j)::UUID, j + 1, 612, 792, t || i || '-' || j, NULL, paper`),
	rows("images", 5, `md5('m' || i || '-' || j)::UUID, left(t, 200) || i || '-' || j, NULL, [1, 2, 3, 4], j, paper, page`),
	rows("chunks", 35, `md5('c' || i || '-' || j)::UUID, left(t, 1600) || i || '-' || j, j + 1, paper, page`),
	rows("tables", 5, `md5('t' || i || '-' || j)::UUID, left(t, 200) || i || '-' || j, left(t, 800) || i, NULL, [1, 2, 3, 4], j, paper, page`),
	rows("sections", 22, `md5('s' || i || '-' || j)::UUID, left(t, 30) || i || '-' || j, left(t, 2500) || i || '-' || j, NULL, j, [1, 2], paper`),
	rows("equations", 10, `md5('e' || i || '-' || j)::UUID, left(t, 80) || i || '-' || j, j, paper, page`),
	rows("reference", 45, `md5('r' || i || '-' || j)::UUID, left(t, 200) || i || '-' || j, j, paper, page`),
	`INSERT INTO airqa.files SELECT md5('p' || i)::UUID, sha256('f' || i), '', 'paper-' || i || '.pdf', '` + parser + `', [], '', '', [] FROM range($from, $to) r(i)`,
}

func rows(table string, each int, columns string) string {
	return fmt.Sprintf(`INSERT INTO %s SELECT %s FROM (SELECT n // %[3]d AS i, n %% %[3]d AS j, md5('p' || (n // %[3]d))::UUID AS paper,
		md5('g' || (n // %[3]d) || '-' || (n %% %[3]d) %% 16)::UUID AS page FROM range($from * %[3]d, $to * %[3]d) r(n))
		JOIN pool ON pool.k = (i * 7919 + j * 31) %% $pool`, table, columns, each)
}

// WriteDatabase writes the database of some papers. Rows of a paper follow each other, as those of an ingest do.
func WriteDatabase(ctx context.Context, path string, p Papers) error {
	if err := touch(ctx, path); err != nil {
		return err
	}
	if err := insert(ctx, path, p); err != nil {
		return err
	}
	return touch(ctx, path)
}

// touch creates a database, and adds what a writer keeps besides the rows.
func touch(ctx context.Context, path string) error {
	w, err := paperdb.OpenWriter(ctx, path)
	if err != nil {
		return err
	}
	return w.Close()
}

func insert(ctx context.Context, path string, p Papers) (err error) {
	connector, err := duckdb.NewConnector(path+"?storage_compatibility_version=v1.2.0", nil)
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1) // the pool is a temporary table
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := makePool(ctx, db); err != nil {
		return err
	}
	for from, end := p.First, p.First+p.Count; from < end; from += batch {
		set := strings.NewReplacer("$from", strconv.Itoa(from), "$to", strconv.Itoa(min(from+batch, end)), "$pool", strconv.Itoa(poolTexts))
		for _, insert := range inserts {
			if _, err := db.ExecContext(ctx, set.Replace(insert)); err != nil {
				return fmt.Errorf("%s: %w", strings.Fields(insert)[2], err)
			}
		}
	}
	_, err = db.ExecContext(ctx, "CHECKPOINT")
	return err
}

func makePool(ctx context.Context, db *sql.DB) error {
	for _, s := range []string{"SET threads = 1", "SET memory_limit = '4GB'", "CREATE TEMPORARY TABLE pool (k INTEGER, t VARCHAR)"} {
		if _, err := db.ExecContext(ctx, s); err != nil {
			return err
		}
	}
	random := rand.New(rand.NewPCG(4, 0))
	for k := range poolTexts {
		var text strings.Builder
		for text.Len() < poolText {
			text.WriteString(word(int(100000*random.Float64()*random.Float64()*random.Float64()*random.Float64())) + " ")
		}
		if _, err := db.ExecContext(ctx, "INSERT INTO pool VALUES (?, ?)", k, text.String()); err != nil {
			return err
		}
	}
	return nil
}

// word is an invented word of three to eight letters.
func word(n int) string {
	const letters = "aeioubcdfghklmnprst"
	random := rand.New(rand.NewPCG(5, uint64(n)))
	b := make([]byte, 3+random.IntN(6))
	for i := range b {
		b[i] = letters[random.IntN(len(letters))]
	}
	return string(b)
}

func wordsOf(numbers map[int]bool) []vectors.Word {
	counts := make(map[string]int, len(numbers))
	for n := range numbers {
		counts[word(n)]++
	}
	list := make([]vectors.Word, 0, len(counts))
	for text, n := range counts {
		list = append(list, vectors.Word{Text: text, Count: n})
	}
	slices.SortFunc(list, func(a, b vectors.Word) int { return strings.Compare(a.Text, b.Text) })
	return list
}

// link makes another name of a file.
func link(from, to string) error {
	if err := os.Link(from, to); err != nil {
		return fmt.Errorf("link segment: %w", err)
	}
	return nil
}
