package bench_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/bench"
)

func agreeOn(t *testing.T, table string) (*bench.Result, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "r.csv")
	if err := os.WriteFile(file, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	ratings, err := bench.ReadRatings(file)
	if err != nil {
		return nil, err
	}
	return bench.Agree(ratings, bench.AgreementConfig{File: file})
}

// The same ratings of two raters, as different programs write them: four of five units have both, three are equal.
func TestSpellings(t *testing.T) {
	tests := []struct{ name, table, note string }{
		{"plain", "unit,a,b\n1,1,1\n2,2,2\n3,,1\n4,1,1\n5,2,1\n", `Units: "unit". Raters: a, b.`},
		{"floats where a column has gaps", "unit,a,b\n1,1.0,1\n2,2.0,2\n3,,1\n4,1.0,1\n5,2.0,1\n", "Spellings of one value: 1 = 1.0; 2 = 2.0."},
		{"pandas index", ",a,b\n0,1.0,1\n1,2.0,2\n2,,1\n3,1.0,1\n4,2.0,1\n", "Units: the first column, an index. Raters: a, b."},
		{"pandas index and ids", ",item,a,b\n0,x,1.0,1\n1,y,2.0,2\n2,z,,1\n3,v,1.0,1\n4,w,2.0,1\n", `Units: the first column, an index, "item".`},
		{"index read back", "Unnamed: 0,a,b\n0,1,1\n1,2,2\n2,,1\n3,1,1\n4,2,1\n", "an index"},
		{"R", "\"\",\"a\",\"b\"\n\"1\",1,1\n\"2\",2,2\n\"3\",NA,1\n\"4\",1,1\n\"5\",2,1\n", "Read as missing: NA (1)."},
		{"R without a head of row names", "\"a\"\t\"b\"\n\"1\"\t1\t1\n\"2\"\t2\t2\n\"3\"\tNA\t1\n\"4\"\t1\t1\n\"5\"\t2\t1\n", "an index"},
		{"semicolons and decimal commas", "frage;a;b\n1;1,0;1\n2;2,0;2\n3;;1\n4;1,0;1\n5;2,0;1\n", `Units: "frage".`},
		{"tabs and a mark", "\ufeffqid\ta\tb\n7\t1\t1\n8\t2\t2\n9\t\t1\n10\t1\t1\n11\t2\t1\n", `Units: "qid".`},
		{"missing values", "question_id,a,b\n1,1,1\n2,2,2\n3,NaN,1\n4,1,1\n5,2,1\n6,N/A,1\n7,2,NULL\n8,nan,<NA>\n", "N/A (1), NULL (1), NaN (1), nan (1)"},
		{"quotes and spaces", "itemId,a,b\n1, \"1\", 1 \n2,\" 2\",2\n3,,1\n4,\"1\",+1\n5,2,01\n", `Units: "itemId".`},
		{"truth values", "doc,a,b\nx,TRUE,True\ny,FALSE,false\nz,,true\nv,True,TRUE\nw,FALSE,True\n", "Spellings of one value: FALSE = false; TRUE = True = true."},
		{"truth values as numbers", "a,b\n1.0,True\n0.0,False\n,True\n1.0,True\n0.0,True\n", "1.0 = True"},
		{"names of units", "Frage,a,b\np1,1,1\np2,2,2\np3,,1\np4,1,1\np5,2,1\n", `Units: "Frage".`},
		{"left by a spreadsheet", "unit,a,b,,\n1,1,1,,\n2,2,2,,\n3,,1,,\n4,1,1,,\n5,2,1,,\n,,,,\n", `Units: "unit". Raters: a, b.`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := agreeOn(t, tt.table)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]float64{"Cohen's kappa": 0.5, "exact agreement": 0.75, "Fleiss' kappa": 7. / 15, "Krippendorff's alpha, nominal": 8. / 15}
			for _, m := range r.Tables[0].Measures {
				if w, ok := want[m.Row]; ok && (m.Value == nil || math.Abs(*m.Value-w) > 1e-9 || *m.N != 4) {
					t.Errorf("%s is %v of %d, want %v of 4", m.Row, m.Value, *m.N, w)
				}
			}
			if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, tt.note) || len(r.Faults) > 0 {
				t.Errorf("want %q in\n%s\nfaults %v", tt.note, notes, r.Faults)
			}
		})
	}
}

// A rater's column is not taken for names of units.
func TestRatersOnly(t *testing.T) {
	for name, table := range map[string]string{
		"scores without repeats":  "a,b,c\n0.1,0.2,0.2\n0.5,0.5,0.2\n0.9,0.7,0.2\n",
		"numbers in the range":    "a,b,c\n13,20,20\n55,40,20\n90,70,20\n",
		"rankings":                "a,b,c\n1,2,1\n2,1,3\n3,3,2\n",
		"words that others use":   "a,b,c\nyes,yes,yes\nno,yes,maybe\nmaybe,no,no\n",
		"raters with names on id": "Ann,David,Sigrid\n1,1,2\n1,2,2\n2,2,2\n",
	} {
		t.Run(name, func(t *testing.T) {
			r, err := agreeOn(t, table)
			if err != nil || !strings.HasPrefix(r.Tables[0].Title, "3 raters, 3 units") {
				t.Errorf("%v, %+v", err, r)
			}
			if r != nil && !strings.HasPrefix(r.Notes[0], "Units: no column, each line is one. Raters: ") {
				t.Errorf("note %q", r.Notes[0])
			}
		})
	}
}

func TestRatingsReport(t *testing.T) {
	tests := []struct{ name, table, want string }{
		{"repeated unit", "id,a,b\nx,1,1\ny,1,2\nx,2,2\n", `r.csv:4: unit "x" is in line 2, too`},
		{"repeated rater", "id,a,a\nx,1,1\ny,1,2\n", `r.csv:1: two raters are named "a"`},
		{"capital letters", "id,a,b\nx,Yes,yes\ny,no,no\n", "Labels that differ only in capital letters count as different: Yes and yes."},
		{"opposites", "id,a,b\nx,-1,1\ny,2,2\nz,1,1\n", "The ratio alpha is undefined for a number and its negative"},
		{"long integers are names", "id,a,b\nx,9007199254740993,9007199254740992\ny,1,1\n", "Some values are not numbers"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := agreeOn(t, tt.table)
			if err != nil {
				t.Fatal(err)
			}
			if all := strings.Join(append(r.Notes, r.Faults...), "\n"); !strings.Contains(all, tt.want) {
				t.Errorf("want %q in\n%s", tt.want, all)
			}
		})
	}
	refused := []struct{ name, table, want string }{
		{"one column", "a\n1\n", "it has one column; columns are separated by commas, semicolons or tabs"},
		{"one rater", "unit;a\n1;1\n", `it has 1 rater; agreement needs two. Units: "unit". Raters: a.`},
		{"no units", "a,b\n", "it has no units"},
		{"uneven", "a,b\n1,1\n1\n", "line 3 has 1 column, the first line 2"},
		{"empty", "", "it is empty"},
		{"another encoding", "a,b\n1,1\nna\xefve,1\n", "line 3 is not text in UTF-8"},
	}
	for _, tt := range refused {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := agreeOn(t, tt.table); err == nil || !strings.Contains(fmt.Sprint(err), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}
