package terminal_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/terminal"
)

func TestCSV(t *testing.T) {
	for text, want := range map[string]string{
		"=cmd|calc":           "'=cmd|calc",
		"=HYPERLINK(\"x\")":   "'=HYPERLINK(\"x\")",
		"@SUM(1)":             "'@SUM(1)",
		"+1+1":                "'+1+1",
		"-1+1":                "'-1+1",
		" \t=1":               "' \t=1",
		"-1.5":                "-1.5",
		"+3e4":                "+3e4",
		"-":                   "'-",
		"":                    "",
		"rag":                 "rag",
		"a=b":                 "a=b",
		"\x1b[2J=1":           `\x1b[2J=1`,
		"runs/=x":             "runs/=x",
		"-Inf":                "-Inf",
		"'=1":                 "'=1",
		"ünicode, with comma": "ünicode, with comma",
	} {
		if diff := cmp.Diff([]string{want}, terminal.CSV([]string{text})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}
