// Package judge holds the texts that a model is shown when it judges an answer, one embedded file for each kind of
// question. [Render] fills one in and gives the system and the user message; a name that is missing from the
// data is an error. How verdicts are read is the business of package eval.
package judge

import (
	"embed"
	"errors"
	"fmt"
	"strings"
	"sync"
	"text/template"
)

//go:embed *.txt
var files embed.FS

// Data maps the names in a text to what stands for them.
type Data map[string]string

// parts are the system and the user message of a text, ready to be filled in.
type parts struct{ system, user *template.Template }

// parsed holds the parts of every text by its name. Scoring renders each of them often.
var parsed = sync.OnceValues(func() (map[string]parts, error) {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, err
	}
	all := make(map[string]parts)
	for _, e := range entries {
		raw, err := files.ReadFile(e.Name())
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(e.Name(), ".txt")
		first, rest, _ := strings.Cut(string(raw), "\n\n")
		system, err1 := parse(name, first)
		user, err2 := parse(name, rest)
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		all[name] = parts{system, user}
	}
	return all, nil
})

func parse(name, text string) (*template.Template, error) {
	t, err := template.New(name).Option("missingkey=error").Parse(text)
	if err != nil {
		return nil, fmt.Errorf("judge prompt %s: %w", name, err)
	}
	return t, nil
}

// Render returns the two messages of the text of a name (its file without ".txt"). The text is cut at its first
// blank line before anything is filled in, so that no value can move the cut; values are inserted as they are.
func Render(name string, data Data) (system, user string, err error) {
	all, err := parsed()
	if err != nil {
		return "", "", err
	}
	p, ok := all[name]
	if !ok {
		return "", "", fmt.Errorf("judge prompt %s: there is no such text", name)
	}
	if system, err = fill(p.system, data); err != nil {
		return "", "", err
	}
	user, err = fill(p.user, data)
	return system, user, err
}

// Again returns the sentence that is added when a reply held no verdict.
func Again() string {
	raw, _ := files.ReadFile("again.txt") // embedded: it cannot be missing
	return strings.TrimSpace(string(raw))
}

func fill(t *template.Template, data Data) (string, error) {
	var b strings.Builder
	if err := t.Execute(&b, map[string]string(data)); err != nil {
		return "", fmt.Errorf("judge prompt %s: %w", t.Name(), err)
	}
	return strings.TrimSpace(b.String()), nil
}
