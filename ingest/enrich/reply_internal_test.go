package enrich

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"airqa/agent/action"
	"airqa/env/paperdb"
)

func TestFill(t *testing.T) {
	long := strings.Repeat("word ", 60) + "end. " + strings.Repeat("more ", 60)
	tests := []struct {
		name  string
		field Field
		reply string
		want  string // text, or tags separated by "|"; empty: an error
	}{
		{"plain", Pages, " It says so. ", "It says so."},
		{"label", Pages, "**Summary:** It says\nso.", "It says so."},
		{"quotes", Pages, `"It says so."`, "It says so."},
		{"quotes inside", Pages, `"A" and "B"`, `"A" and "B"`},
		{"fence", Pages, "```text\nIt says so.\n```", "It says so."},
		{"thought", Pages, "<think>hm, what?</think>\n\nIt says so.", "It says so."},
		{"too long", Pages, long, strings.Repeat("word ", 60) + "end."},
		{"too long without an end", Pages, strings.Repeat("word ", 200), strings.Repeat("word ", 75) + "…"},
		{"longer for the whole paper", TLDR, strings.Repeat("word ", 120), strings.TrimSpace(strings.Repeat("word ", 120))},
		{"nothing", Pages, " \n", ""},
		{"nothing between fences", Pages, "```\n\n```", ""},
		{"only a label", Pages, "Summary:", ""},
		{"unfinished thought", Pages, "<think>hm, what", ""},
		{"web page", Pages, "<!DOCTYPE html><title>502</title>", ""},
		{"tags", Tags, "retrieval, RAG, Retrieval, open QA, BART, Wikipedia, more", "retrieval|RAG|open QA|BART|Wikipedia"},
		{"tags as JSON", Tags, `["a", "b, c"]`, "a|b, c"},
		{"tags as a list", Tags, "1. `a`\n2) \"b\"\n- c.\n* d", "a|b|c|d"},
		{"tags with a label", Tags, "Keywords: a; b", "a|b"},
		{"no tags", Tags, "I cannot help with that.", ""},
		{"prose", Tags, strings.Repeat("word ", 30) + ", x", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := task{field: tt.field, column: "c", row: "r"}.fill(action.Visible(tt.reply))
			if tt.want == "" {
				if err == nil {
					t.Errorf("no error, but %+v", f)
				}
				return
			}
			if got := f.Text + strings.Join(f.Tags, "|"); err != nil || got != tt.want || f.Column != "c" || f.Key != "r" {
				t.Errorf("%+v, %v, want %q", f, err, tt.want)
			}
		})
	}
}

// Whatever a model replies, a cell is neither empty nor too long.
func FuzzFill(f *testing.F) {
	f.Add("```\nx\n```", true)
	f.Add("a, b, c", false)
	f.Fuzz(func(t *testing.T, reply string, tags bool) {
		field := Pages
		if tags {
			field = Tags
		}
		got, err := task{field: field}.fill(action.Visible(reply))
		if err != nil {
			return
		}
		if words := len(strings.Fields(got.Text)); tags != (len(got.Tags) > 1) || words > summaryWords*3/2+1 || !tags && words == 0 {
			t.Errorf("%+v of %q", got, reply)
		}
	})
}

func TestPlan(t *testing.T) {
	long := strings.Repeat("x", 30_000)
	p := paperdb.Paper{
		Metadata: paperdb.Metadata{PaperID: "p", Title: "T", TLDR: "there"},
		Pages:    []paperdb.Page{{ID: "1", Content: "first page"}, {ID: "2", Content: long}, {ID: "3", Content: " \n"}},
		Images:   []paperdb.Image{{ID: "i", Caption: ""}, {ID: "j", Caption: "Figure 2: " + strings.Repeat("é", 60), PageID: "1"}},
		Tables:   []paperdb.Table{{ID: "t", Caption: "Table 1", Content: "<table></table>"}},
		Sections: []paperdb.Section{{ID: "s", Title: "1 Introduction"}},
	}
	row := func(again bool) (rows []string) {
		for _, task := range plan(p, Fields(), again) {
			note := ""
			if task.isOwnSummary() {
				note = " passes"
			}
			if utf8.RuneCountInString(task.text) > longText+2 {
				t.Errorf("%s has %d characters", task.row, len(task.text))
			}
			rows = append(rows, task.column+" "+task.row+note)
		}
		return rows
	}
	want := []string{"tags p", "page_summary 1 passes", "page_summary 2", "image_summary j", "table_summary t passes"}
	if diff := cmp.Diff(want, row(false)); diff != "" {
		t.Errorf("tasks (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(append([]string{"tldr p"}, want...), row(true)); diff != "" {
		t.Errorf("tasks again (-want +got):\n%s", diff)
	}
}
