package paperdb_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"airqa/env/paperdb"
	"airqa/internal/testkit"
)

func inProcessReader(t *testing.T, path string) *paperdb.Reader {
	t.Helper()
	r, err := paperdb.OpenReader(t.Context(), paperdb.Config{Path: path, InProcess: true})
	check(t, err)
	t.Cleanup(func() { check(t, r.Close()) })
	return r
}

// A worker returns the same types, names, order and errors as the engine in this process.
func TestWorkerAnswersAsInProcess(t *testing.T) {
	path := library(t, paper("attention"), paper("bert"))
	here, there := inProcessReader(t, path), reader(t, path)
	for _, sql := range []string{
		"SELECT 'nan'::DOUBLE AS n, 'inf'::FLOAT AS i, -0.0 AS z, 1e308 AS b", "SELECT NULL, true, false, 1::TINYINT, -1::BIGINT, 255::UTINYINT, 18446744073709551615::UBIGINT",
		"SELECT 170141183460469231731687303715884105727::HUGEINT, 1.5::DECIMAL(4,1), 12345678901234567890.5", "SELECT DATE '2023-07-09', TIME '01:02:03.4', INTERVAL 1 DAY",
		"SELECT TIMESTAMP '2023-07-09 01:02:03.456789', TIMESTAMP_S '1900-01-01 00:00:00', TIMESTAMP_NS '2023-07-09 01:02:03.456789123'", "SELECT '01:02:03+02'::TIMETZ",
		"SELECT 'é🙂' || chr(0) AS t, '' AS e, 'a\\x00'::BLOB AS b, uuid() IS NULL AS u", "SELECT [] AS e, [[1, NULL], NULL] AS l, [1, 2]::INT[2] AS a",
		"SELECT {'a': 1, 'b': {'c': [NULL]}} AS s, MAP {1: 'x', 2: NULL} AS m, MAP {} AS e", "SELECT 'x'::ENUM('x', 'y') AS e, union_value(k := 1) AS u", "SELECT '{\"a\": [1, 2.5, null]}'::JSON AS j",
		"SELECT * FROM metadata ORDER BY title", "SELECT * FROM chunks ORDER BY ALL", "SELECT * FROM metadata WHERE false", "SELECT * FROM range(50)", "SELECT 1 AS a, 2 AS a, 3 AS \"\"",
		"SELECT titel FROM metadata", "SELECT * FROM nothing", "SELECT 1 +", "DROP TABLE metadata", "SELECT CAST(title AS INTEGER) FROM metadata", "SELECT '101'::BIT", "SELECT [1]::INT[2]",
	} {
		want, wantErr := here.Query(t.Context(), sql, limits)
		got, gotErr := there.Query(t.Context(), sql, limits)
		if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s (-here +worker):\n%s", sql, diff)
		}
		if diff := cmp.Diff(wantErr, gotErr); diff != "" {
			t.Errorf("%s: errors (-here +worker):\n%s", sql, diff)
		}
	}
}

// When the caller's context ends, the call returns its error at once and costs at most a worker.
func TestCancelledWhileRunning(t *testing.T) {
	r := reader(t, library(t, paper("attention")))
	query(t, r, "SELECT 1")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	ended := make(chan error, 1)
	go func() { // the statement takes hours
		_, err := r.Query(ctx, "SELECT levenshtein(repeat('ab', 1000000), repeat('ba', 1000001))", paperdb.Limits{Rows: 1, Deadline: time.Hour})
		ended <- err
	}()
	select {
	case err := <-ended:
		var fault *paperdb.QueryError
		if !errors.Is(err, context.Canceled) || errors.As(err, &fault) {
			t.Errorf("got %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the call waits for its statement")
	}
	query(t, r, "SELECT title FROM metadata")
}

// Costly statements do not affect harmless ones that run concurrently.
func TestBombsBesideQueries(t *testing.T) {
	testkit.OneGoroutine(t)
	path := library(t, paper("attention"))
	r, err := paperdb.OpenReader(t.Context(), paperdb.Config{Path: path, Workers: 3})
	check(t, err)
	t.Cleanup(func() { check(t, r.Close()) })
	var wg sync.WaitGroup
	for _, bomb := range []string{"SELECT repeat('x', 2000000000)", "SELECT list(a.range) FROM range(100000000) a"} {
		wg.Go(func() {
			for range 3 {
				_, err := r.Query(t.Context(), bomb, limits)
				var fault *paperdb.QueryError
				if !errors.As(err, &fault) || fault.Kind != paperdb.KindMemory {
					t.Errorf("%s: got %v", bomb, err)
				}
			}
		})
	}
	wg.Go(func() {
		for range 50 {
			result, err := r.Query(t.Context(), "SELECT title FROM metadata", limits)
			if diff := cmp.Diff([][]any{{"attention"}}, result.Values); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		}
	})
	wg.Wait()
}

// Closing a reader ends its workers and releases the file for a writer.
func TestCloseFreesTheFile(t *testing.T) {
	path := library(t, paper("attention"))
	for range 3 {
		r, err := paperdb.OpenReader(t.Context(), paperdb.Config{Path: path})
		check(t, err)
		query(t, r, "SELECT 1")
		check(t, r.Close())
		put(t, path, paper("bert"))
	}
}

// Workers start in a different directory, so a relative path must still work.
func TestRelativePath(t *testing.T) {
	path := library(t, paper("attention"))
	t.Chdir(strings.TrimSuffix(path, "papers.duckdb"))
	query(t, reader(t, "papers.duckdb"), "SELECT title FROM metadata")
}

// Without its file there is no new worker, which no statement can fix.
func TestLostDatabase(t *testing.T) {
	path := library(t, paper("attention"))
	r := reader(t, path)
	check(t, os.Remove(path))
	_, err := r.Query(t.Context(), "SELECT 1", limits)
	var fault *paperdb.QueryError
	if err == nil || errors.As(err, &fault) {
		t.Errorf("got %v", err)
	}
}

// A statement that is run again gives the same result or error, also after the engine has parsed it before.
func TestRepeatedStatements(t *testing.T) {
	path := library(t, paper("attention"), paper("bert"))
	for _, r := range []*paperdb.Reader{inProcessReader(t, path), reader(t, path)} {
		for _, sql := range []string{
			"SELECT title, p.page_number FROM metadata m JOIN pages p ON p.ref_paper_id = m.paper_id ORDER BY ALL; -- comment",
			"SELECT 1 AS a, 2 AS a", "SELECT titel FROM metadata", "DROP TABLE metadata", "SELECT 1 +", "SELECT CAST(title AS INTEGER) FROM metadata",
		} {
			want, wantErr := r.Query(t.Context(), sql, limits)
			for range 3 {
				got, err := r.Query(t.Context(), sql, limits)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-first +again):\n%s", sql, diff)
				}
				if diff := cmp.Diff(wantErr, err); diff != "" {
					t.Errorf("%s: errors (-first +again):\n%s", sql, diff)
				}
			}
			few, err := r.Query(t.Context(), sql, paperdb.Limits{Rows: 1, Deadline: limits.Deadline})
			if wantErr == nil && (err != nil || len(few.Values) != 1 || few.More != (len(want.Values) > 1)) {
				t.Errorf("%s with a limit of one row: %+v, %v", sql, few, err)
			}
		}
	}
}
