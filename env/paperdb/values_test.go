package paperdb_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	_ "github.com/marcboeker/go-duckdb/v2"

	"airqa/env/paperdb"
	"airqa/internal/evidence"
	"airqa/internal/ledger"
	"airqa/qa"
	"airqa/tools"
)

// scalars are values of each type that a statement can write.
var scalars = [][]string{
	{"true", "false"},
	{"(-128)::TINYINT", "7::TINYINT"},
	{"255::UTINYINT"},
	{"(-32768)::SMALLINT"},
	{"65535::USMALLINT"},
	{"0", "-2147483648"},
	{"4294967295::UINTEGER"},
	{"9223372036854775807", "(-9223372036854775808)::BIGINT"},
	{"18446744073709551615::UBIGINT", "1::UBIGINT"},
	{"170141183460469231731687303715884105727::HUGEINT", "(-1)::HUGEINT", "9223372036854775808::HUGEINT"},
	{"340282366920938463463374607431768211455::UHUGEINT", "3::UHUGEINT"},
	{"repeat('9', 80)::BIGNUM", "(-12)::BIGNUM"},
	{"0.1::FLOAT", "'nan'::FLOAT", "'-inf'::FLOAT", "16777216::FLOAT", "1e-30::FLOAT"},
	{"0.1::DOUBLE", "'nan'::DOUBLE", "'inf'::DOUBLE", "1e300", "(-0.0)::DOUBLE", "1 / 3", "1 / 0", "1e15", "123456789.125::DOUBLE"},
	{"1.50", "-0.25"},
	{"12345678901234567890123456.7890123456::DECIMAL(38, 10)"},
	{"0.00001::DECIMAL(10, 5)"},
	{"3::DECIMAL(9, 0)"},
	{"''", "'it''s'", `'a"b\'`, "'[1, 2]'", "'NULL'", "'x, y'", "E'\\n\\t'", "'é𝛼<b>'", "'12'", "'true'"},
	{"DATE '2024-05-01'", "DATE '0044-03-15 (BC)'", "DATE 'infinity'"},
	{"TIME '10:00:00.5'", "TIME '23:59:59.999999'"},
	{"'10:00:00.123456789'::TIME_NS"},
	{"'10:00:00+02'::TIMETZ"},
	{"TIMESTAMP '2024-05-01 12:00:00.25'", "TIMESTAMP '-infinity'", "TIMESTAMP '0044-03-15 (BC) 01:02:03'"},
	{"'2024-05-01 12:00:00'::TIMESTAMP_S"},
	{"'2024-05-01 12:00:00.5'::TIMESTAMP_MS"},
	{"'2024-05-01 12:00:00.123456789'::TIMESTAMP_NS"},
	{"'2024-05-01 12:00:00+00'::TIMESTAMPTZ"},
	{"INTERVAL '1 year 2 months 3 days 04:05:06.7'", "INTERVAL '-1 day'", "INTERVAL 0 DAY"},
	{"'3f2a9c64-5d1e-4b7a-8c20-91d4e6f0a2b3'::UUID"},
	{`'a\x00\xFFb'::BLOB`, "''::BLOB"},
	{"'10101'::BIT"},
	{"'b c'::ENUM('a', 'b c')", "'a'::ENUM('a', 'b c')"},
	{`'{"b": [1,  NaN], "a": {"b": 12345678901234567890123.50}, "a": null}'::JSON`, "json_object('x', 'inf'::DOUBLE)", "'null'::JSON"},
	{"NULL"},
}

// valueOf returns an expression of a random type, nested up to a depth, and a function that returns others of the type.
func valueOf(r *rand.Rand, depth int) func() string {
	if depth == 0 || r.IntN(4) == 0 {
		all := scalars[r.IntN(len(scalars))]
		return func() string { return all[r.IntN(len(all))] }
	}
	a, b := valueOf(r, depth-1), valueOf(r, depth-1)
	orNull := func(f func() string) string {
		if r.IntN(5) == 0 {
			return "NULL"
		}
		return f()
	}
	name := []string{"k", `"a b"`, `"it's"`, `"select"`, `"x""y"`, `"é,="`}[r.IntN(6)]
	key := scalars[r.IntN(len(scalars)-1)][0]
	switch r.IntN(7) {
	case 0:
		return func() string { return "[" + a() + ", " + orNull(a) + "]" }
	case 1:
		return func() string { return "array_value(" + a() + ", " + orNull(a) + ")" }
	case 2:
		return func() string { return "struct_pack(" + name + " := " + orNull(a) + ", z := " + b() + ")" }
	case 3:
		return func() string { return "(" + a() + ", " + orNull(b) + ")" }
	case 4:
		return func() string { return "MAP {" + key + ": " + orNull(a) + "}" }
	case 5:
		return func() string { return "MAP {{'k': [" + key + "]}: " + a() + "}" }
	}
	return func() string { return "union_value(" + name + " := " + a() + ")" }
}

// querier is a [tools.Querier] over a database.
type querier struct{ *paperdb.Reader }

func (q querier) Query(ctx context.Context, text string) (qa.Rows, error) {
	result, err := q.Reader.Query(ctx, text, limits)
	return qa.Rows{Columns: result.Columns, Values: result.Values}, err
}

// Values reach the log as the engine writes them, whatever their type and nesting.
func TestValuesAreTheEnginesText(t *testing.T) {
	const statements, columns = 100, 20
	db, err := sql.Open("duckdb", "")
	check(t, err)
	defer func() { _ = db.Close() }()
	tool := tools.Query{From: querier{reader(t, library(t))}, Limits: tools.Limits{MaxTokens: 1 << 20}}
	r := rand.New(rand.NewPCG(1, 2))
	for range statements {
		var list, asked []string
		for range columns {
			list = append(list, valueOf(r, r.IntN(4))())
		}
		for i, v := range list {
			asked = append(asked, fmt.Sprintf("%s AS c%d", v, i))
		}
		text := "SELECT " + strings.Join(asked, ", ")
		o, err := tool.Call(t.Context(), qa.Action{Name: "Query", Args: map[string]any{"sql": text}})
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		logged, err := ledger.Encode(qa.Step{Observation: &o})
		check(t, err)
		var step qa.Step
		check(t, json.Unmarshal(logged, &step))
		line, _, _ := strings.Cut(step.Observation.Text, "\n")
		cells, ok := evidence.Cells(line)
		if !ok || len(cells) != columns {
			t.Fatalf("%s:\n%s", text, step.Observation.Text)
		}
		for i, v := range list {
			var text sql.NullString
			var typeName string
			check(t, db.QueryRowContext(t.Context(), "SELECT CAST(x AS VARCHAR), typeof(x) FROM (SELECT "+v+" AS x)").Scan(&text, &typeName))
			want, err := ledger.EncodeText(shown(text, typeName))
			check(t, err)
			if got := cells[i].Raw; got != want {
				t.Errorf("%s: got %s, want %s", v, got, want)
			}
		}
	}
}

// shown is a value of a result from its text in the engine.
func shown(text sql.NullString, typeName string) any {
	n, notInt := strconv.ParseInt(text.String, 10, 64)
	f, notFloat := strconv.ParseFloat(text.String, 64)
	switch {
	case !text.Valid:
		return nil
	case typeName == "BOOLEAN":
		return text.String == "true"
	case notInt == nil && (strings.HasSuffix(typeName, "INT") || strings.HasSuffix(typeName, "INTEGER") || typeName == "BIGNUM"):
		return n
	case notFloat == nil && f-f == 0 && (typeName == "FLOAT" || typeName == "DOUBLE"):
		return f
	}
	return text.String
}
