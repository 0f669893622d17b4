// Package judge holds the texts that a model is shown when it judges an answer, one embedded file for each kind of
// question. [Render] fills one in and gives the system and the user message; a name that is missing from the
// data is an error. How verdicts are read is the business of package eval.
package judge

import (
	"embed"
	"fmt"
	"strings"
	"text/template"
)

//go:embed *.txt
var files embed.FS

// Data maps the names in a text to what stands for them.
type Data map[string]string

// Render returns the two messages of the text of a name (its file without ".txt"). The text is cut at its first
// blank line before anything is filled in, so that no value can move the cut; values are inserted as they are.
func Render(name string, data Data) (system, user string, err error) {
	raw, err := files.ReadFile(name + ".txt")
	if err != nil {
		return "", "", fmt.Errorf("judge prompt %s: there is no such text", name)
	}
	first, rest, _ := strings.Cut(string(raw), "\n\n")
	if system, err = fill(name, first, data); err != nil {
		return "", "", err
	}
	user, err = fill(name, rest, data)
	return system, user, err
}

// Again returns the sentence that is added when a reply held no verdict.
func Again() string {
	raw, _ := files.ReadFile("again.txt") // embedded: it cannot be missing
	return strings.TrimSpace(string(raw))
}

func fill(name, text string, data Data) (string, error) {
	t, err := template.New(name).Option("missingkey=error").Parse(text)
	if err != nil {
		return "", fmt.Errorf("judge prompt %s: %w", name, err)
	}
	var b strings.Builder
	if err := t.Execute(&b, map[string]string(data)); err != nil {
		return "", fmt.Errorf("judge prompt %s: %w", name, err)
	}
	return strings.TrimSpace(b.String()), nil
}
