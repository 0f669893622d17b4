package evidence_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/evidence"
)

func TestCells(t *testing.T) {
	tests := []struct {
		name, line string
		want       []evidence.Cell
		ok         bool
	}{
		{"kinds", `{"a": "x\ny", "B": 1.50, "a": null}`, []evidence.Cell{{"a", `"x\ny"`, "x\ny", 6}, {"B", "1.50", "1.50", 19}, {"a", "null", "null", 30}}, true},
		{"spaces and lists", ` {"é" :[1, {"b":2}] } `, []evidence.Cell{{"é", `[1, {"b":2}]`, `[1, {"b":2}]`, 8}}, true},
		{"empty", "{}", nil, true},
		{"cut in a text", `{"a": 1, "b": "x`, nil, false},
		{"cut after a value", `{"a": 1`, []evidence.Cell{{"a", "1", "1", 6}}, false},
		{"list", `["a"]`, nil, false},
		{"note", "(5 rows)", nil, false},
		{"nothing", "", nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := evidence.Cells(tt.line)
			if diff := cmp.Diff(tt.want, got); diff != "" || ok != tt.ok {
				t.Errorf("%v (-want +got):\n%s", ok, diff)
			}
		})
	}
}

func TestRows(t *testing.T) {
	const paper, id = "6F1C0A3E-0000-4000-8000-000000000001", "6f1c0a3e-0000-4000-8000-000000000002"
	row := `{"PDF_ID": "` + paper + `", "chunk_id": "` + id + `", "page_number": 3, "ordinal": 0, "text": "a b", "year": null, "n": 7}` + "\n"
	cut := `  {"text": "begins` + "\n"
	got := evidence.Rows(row + "[1]\n" + cut + "(2 rows)")
	if len(got) != 2 {
		t.Fatalf("%d rows", len(got))
	}
	if r := got[0]; r.Paper != strings.ToLower(paper) || !slices.Equal(r.IDs, []string{id}) || r.Page != 3 || r.Line != row || r.At != 0 {
		t.Errorf("row %+v", r)
	}
	var values []string
	for _, c := range got[0].Values() {
		values = append(values, c.Name+"="+c.Text)
	}
	if !slices.Equal(values, []string{"text=a b", "n=7"}) {
		t.Errorf("values %q", values)
	}
	if r := got[1]; r.Cells != nil || r.Line != cut || r.At != len(row)+len("[1]\n") {
		t.Errorf("cut row %+v", r)
	}
	for _, page := range []string{"-1", "null", `"x"`} {
		if r := evidence.Rows(`{"p.page_number": ` + page + "}\n")[0]; r.Page != 0 || r.Values() != nil {
			t.Errorf("page %s: %+v", page, r)
		}
	}
}

func TestTableCells(t *testing.T) {
	const table = "<table>\n<TR class='x'><th>Model</th><td> a\n<b>b</b> &lt; c</td></TR><tr></tr><tr><td></td></tr></table> <tr><td>cut off"
	want := [][]string{{"Model", "a b < c"}, {""}}
	if diff := cmp.Diff(want, evidence.TableCells(table)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := evidence.TableCells("a < b"); got != nil {
		t.Errorf("no table: %q", got)
	}
}
