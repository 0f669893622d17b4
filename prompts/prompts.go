// Package prompts holds the texts shown to models, one embedded file per prompt. [Render] fills one in; a name missing
// from the data is an error, never an empty string. The texts of tools are next to the tools, those of judges in
// prompts/judge.
package prompts

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"strings"
	"text/template"
)

//go:embed *.txt
var files embed.FS

// Data maps the names in a prompt to their values.
type Data map[string]string

// Render returns the prompt with the given name (its file without ".txt"), filled in with data. Values are inserted
// verbatim: template syntax in a question has no effect.
func Render(name string, data Data) (string, error) {
	text, err := Source(name)
	if err != nil {
		return "", err
	}
	t, err := template.New(name).Option("missingkey=error").Parse(text)
	if err != nil {
		return "", fmt.Errorf("prompt %s: %w", name, err)
	}
	var b strings.Builder
	if err := t.Execute(&b, map[string]string(data)); err != nil {
		return "", fmt.Errorf("prompt %s: %w", name, err)
	}
	return strings.TrimSpace(b.String()), nil
}

// Source returns the text of a prompt before rendering.
func Source(name string) (string, error) {
	raw, err := files.ReadFile(name + ".txt")
	if err != nil {
		return "", fmt.Errorf("prompt %s: no such prompt", name)
	}
	return string(raw), nil
}

// Hash returns the SHA-256 of a prompt's source in lower-case hex, for the record of a run.
func Hash(name string) (string, error) {
	text, err := Source(name)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:]), nil
}
