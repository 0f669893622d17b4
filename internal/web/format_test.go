package web_test

import (
	"html/template"
	"strings"
	"testing"

	"airqa/internal/web"
)

func TestFuncs(t *testing.T) {
	x, cost := 0.25, 1.5
	for _, tt := range []struct {
		text string
		with any
		want string
	}{
		{"{{number .}}", 1234567, "1\u202f234\u202f567"},
		{"{{number .}}", -123, "-123"},
		{"{{number .}}", &x, "0.25"},
		{"{{number .}}", (*float64)(nil), "–"},
		{"{{size .}}", 1, "1 byte"},
		{"{{size .}}", 1500, "1.5 KB"},
		{"{{size .}}", 20_000_000, "20.0 MB"},
		{"{{seconds .}}", 9.04, "9.0 s"},
		{"{{seconds .}}", 119.0, "119 s"},
		{"{{seconds .}}", 120.0, "2.0 min"},
		{"{{words .}}", "wrong_gold\x1b", `wrong gold\x1b`},
		{"{{usd .}}", &cost, "$1.50"},
	} {
		var b strings.Builder
		if err := template.Must(template.New("").Funcs(web.TemplateFuncs()).Parse(tt.text)).Execute(&b, tt.with); err != nil {
			t.Fatal(err)
		}
		if b.String() != tt.want {
			t.Errorf("%s with %v: %q, want %q", tt.text, tt.with, b.String(), tt.want)
		}
	}
}
