package tasks

import (
	"bytes"
	"embed"
	"io/fs"
	"net/url"
	"strings"
	"text/template"

	"airqa/internal/ledger"
	"airqa/qa"
)

// texts are the files of an export that are not rows, as templates: a folder for each format, one for a task of Harbor and
// one for its solution.
//
//go:embed all:files
var texts embed.FS

var functions = template.FuncMap{
	"json":   ledger.EncodeText,
	"join":   strings.Join,
	"quoted": quoted,
	"address": func(raw string) (u *url.URL, err error) {
		if u, err = url.Parse(raw); err == nil && (u.Scheme != "http" || u.Host == "" || u.Path != "") {
			err = qa.Usagef("--server-url %s: NeMo Gym needs http://HOST:PORT", raw)
		}
		return u, err
	},
	"host": func(u *url.URL) string { return strings.TrimSuffix(u.Host, ":"+u.Port()) },
}

// quoted returns a text as a string of TOML, YAML or Python: as JSON, with the one character that TOML forbids escaped.
func quoted(s string) (string, error) {
	text, err := ledger.EncodeText(strings.ToValidUTF8(s, "\uFFFD"))
	return strings.ReplaceAll(text, "\x7f", `\u007f`), err
}

// folder is where files are written: an export, or a task in one.
type folder interface {
	WriteFile(name string, data []byte) error
}

// render writes the files of a folder of texts.
func render(into folder, from string, data any) error {
	root := "files/" + from
	return fs.WalkDir(texts, root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := texts.ReadFile(name)
		if err != nil {
			return err
		}
		t, err := template.New(name).Funcs(functions).Option("missingkey=error").Parse(string(text))
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := t.Execute(&b, data); err != nil {
			return err
		}
		return into.WriteFile(strings.TrimPrefix(name, root+"/"), b.Bytes())
	})
}
