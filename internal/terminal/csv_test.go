package terminal_test

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/terminal"
)

func TestWriteCSV(t *testing.T) {
	for text, want := range map[string]struct{ safe, exact string }{
		"=cmd|calc":           {safe: "'=cmd|calc"},
		"=HYPERLINK(\"x\")":   {safe: "'=HYPERLINK(\"x\")"},
		"@SUM(1)":             {safe: "'@SUM(1)"},
		"+1+1":                {safe: "'+1+1"},
		"-1+1":                {safe: "'-1+1"},
		" \t=1":               {safe: "' \t=1"},
		"-1.5":                {safe: "-1.5"},
		"+3e4":                {safe: "+3e4"},
		"-":                   {safe: "'-"},
		"":                    {safe: ""},
		"rag":                 {safe: "rag"},
		"a=b":                 {safe: "a=b"},
		"\x1b[2J=1":           {safe: `\x1b[2J=1`, exact: "\x1b[2J=1"},
		"a\u202eb":            {safe: `a\u202eb`, exact: "a\u202eb"},
		"runs/=x":             {safe: "runs/=x"},
		"-Inf":                {safe: "-Inf"},
		"'=1":                 {safe: "'=1"},
		"two\nlines, \"one\"": {safe: "two\nlines, \"one\""},
		"ünicode, with comma": {safe: "ünicode, with comma"},
	} {
		if want.exact == "" {
			want.exact = want.safe
		}
		for safe, want := range map[bool]string{true: want.safe, false: want.exact} {
			var b strings.Builder
			records := [][]string{{"head"}, {text}}
			if err := terminal.WriteCSV(&b, slices.Values(records), safe); err != nil {
				t.Fatal(err)
			}
			got, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
			if diff := cmp.Diff([][]string{{"head"}, {want}}, got); diff != "" || err != nil {
				t.Errorf("%q (-want +got), %v:\n%s", text, err, diff)
			}
		}
	}
}
