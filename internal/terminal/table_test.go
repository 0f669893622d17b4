package terminal_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/terminal"
)

func TestTable(t *testing.T) {
	long := strings.Repeat("x", 70)
	plain := terminal.Table{Head: []string{"id", "n", "title"}, Rows: [][]string{{"a", "12", "two\nlines"}, {"漢字", "3", ""}}}
	boxed := terminal.Table{Head: []string{"id", "title"}, Rows: [][]string{{"a", long}}, Boxed: true}
	for _, tt := range []struct {
		name  string
		table terminal.Table
		width int
		want  []string
	}{
		{"plain", plain, 0, []string{"id    n   title", "a     12  two lines", "漢字  3"}},
		{"fits", plain, 80, []string{"id    n   title", "a     12  two lines", "漢字  3"}},
		{"clipped", plain, 16, []string{"id    n   title", "a     12  two l…", "漢字  3"}},
		{"names give way", terminal.Table{Head: []string{"references", "title"}, Rows: [][]string{{"1", "of a paper"}}}, 18, []string{"refer…  title", "1       of a paper"}},
		{"dropped", terminal.Table{
			Head: []string{"id", "sections", "pages", "title"}, Rows: [][]string{{"a", "14", "3", "LumenParse: Recovering Reading Order"}},
			Drop: []string{"sections", "pages"},
		}, 34, []string{"id  pages  title", "a   3      LumenParse: Recovering…"}},
		{"never too narrow to read", plain, 5, []string{"id    n   tit…", "a     12  two…", "漢字  3"}},
		{"no line", terminal.Table{Head: []string{"a", "b"}}, 0, []string{"a  b"}},
		{"boxed", terminal.Table{Head: []string{"Id"}, Rows: [][]string{{"\x1b"}}, Boxed: true}, 0, []string{"┌──────┐", "│ Id   │", "├──────┤", `│ \x1b │`, "└──────┘"}},
		{"boxed and clipped", boxed, 18, []string{
			"┌────┬───────────┐", "│ id │ title     │", "├────┼───────────┤", "│ a  │ xxxxxxxx… │", "└────┴───────────┘",
		}},
	} {
		if diff := cmp.Diff(strings.Join(tt.want, "\n"), tt.table.Text(tt.width)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	if text := boxed.Text(0); !strings.Contains(text, long) {
		t.Errorf("clipped for a pipe:\n%s", text)
	}
	for line := range strings.Lines(boxed.Text(200)) {
		if n := terminal.Width(strings.TrimSuffix(line, "\n")); n != 69 {
			t.Errorf("a cell of %d columns on a wide terminal", n-9)
		}
	}
}
