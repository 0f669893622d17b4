package enrich

import (
	"strings"
	"testing"

	"airqa/env/paperdb"
	"airqa/internal/testkit/golden"
	"airqa/prompts"
)

// The texts as shown to the model.
func TestPrompts(t *testing.T) {
	p := paperdb.Paper{
		Metadata: paperdb.Metadata{PaperID: "p", Title: "A {{.title}} of its own", Abstract: "We do something that nobody did before us, and it works."},
		Pages:    []paperdb.Page{{ID: "1", Number: 1, Content: "All that is on the first page, which is a little longer."}},
		Images:   []paperdb.Image{{ID: "i", Caption: "Figure 1: The parts of the system and how they are joined.", PageID: "1"}},
		Tables:   []paperdb.Table{{ID: "t", Caption: "Table 1: Numbers", Content: "<table><tr><td>97.1</td><td>98.2</td></tr></table>"}},
		Sections: []paperdb.Section{{ID: "s", Title: "1 Introduction", Content: "Nobody has done anything like this before, as we know."}},
	}
	var b strings.Builder
	for _, task := range plan(p, Fields(), false) {
		r, err := task.request(prompts.Set{})
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString("---- " + string(task.field) + "\n" + r.Messages[0].Text + "\n")
	}
	golden.Check(t, "prompts.golden", b.String())
}
