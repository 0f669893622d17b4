// Package prompts holds the texts shown to models, one embedded file per prompt. [Render] fills one in; a name missing
// from the data is an error, never an empty string. [Judge] renders those of judges. The texts of tools are next to the
// tools.
package prompts

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"text/template"
)

//go:embed *.txt
var files embed.FS

// Data maps the names in a prompt to their values.
type Data map[string]string

// Render returns the prompt with the given name (its file without ".txt"), filled in with data. Values are inserted
// verbatim: template syntax in a question has no effect.
func Render(name string, data Data) (string, error) {
	parts, err := templates(name, 1)
	if err != nil {
		return "", err
	}
	return fill(parts[0], data)
}

// Judge returns the system and the user message for a kind of judgement (its file without "judge_" and ".txt"). The prompt
// is cut at its first blank line before anything is filled in, so that no value can move the cut.
func Judge(kind string, data Data) (system, user string, err error) {
	parts, err := templates("judge_"+kind, 2)
	if err != nil {
		return "", "", err
	}
	if system, err = fill(parts[0], data); err != nil {
		return "", "", err
	}
	user, err = fill(parts[1], data)
	return system, user, err
}

// JudgeAgain returns the sentence that is added when a reply held no verdict.
func JudgeAgain() string {
	raw, _ := files.ReadFile("judge_again.txt") // embedded: it cannot be missing
	return strings.TrimSpace(string(raw))
}

// parsed keeps the templates of prompts by name: scoring renders some of them often.
var parsed sync.Map

// templates returns a prompt in parts, which blank lines separate.
func templates(name string, parts int) ([]*template.Template, error) {
	if known, ok := parsed.Load(name); ok {
		return known.([]*template.Template), nil
	}
	text, err := Source(name)
	if err != nil {
		return nil, err
	}
	list := make([]*template.Template, parts)
	for i, part := range strings.SplitN(text, "\n\n", parts) {
		if list[i], err = template.New(name).Option("missingkey=error").Parse(part); err != nil {
			return nil, fmt.Errorf("prompt %s: %w", name, err)
		}
	}
	parsed.Store(name, list)
	return list, nil
}

func fill(t *template.Template, data Data) (string, error) {
	var b strings.Builder
	if err := t.Execute(&b, map[string]string(data)); err != nil {
		return "", fmt.Errorf("prompt %s: %w", t.Name(), err)
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
