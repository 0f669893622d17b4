// Package prompts holds the texts that models are shown, one embedded file a prompt, written for this project.
// [Render] fills one in; a name that is missing from the data is an error, never an empty place. The texts of
// tools stand beside the tools, those of judges in prompts/judge.
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

// Data maps the names in a prompt to what stands for them.
type Data map[string]string

// Render returns the prompt of a name (its file without ".txt") with data filled in. The values are inserted as
// they are: a template sign in a question is no template.
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

// Source returns the text of a prompt before anything is filled in.
func Source(name string) (string, error) {
	raw, err := files.ReadFile(name + ".txt")
	if err != nil {
		return "", fmt.Errorf("prompt %s: there is no such text", name)
	}
	return string(raw), nil
}

// Hash returns the SHA-256 of a prompt's source in lower-case hex, to record with a run.
func Hash(name string) (string, error) {
	text, err := Source(name)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:]), nil
}
