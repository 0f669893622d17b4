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
	text, err := Source(name)
	if err != nil {
		return "", err
	}
	return render(name, text, data)
}

// Judge returns the system and the user message for a kind of judgement (its file without "judge_" and ".txt"). The prompt
// is cut at its first blank line before anything is filled in, so that no value can move the cut.
func Judge(kind string, data Data) (system, user string, err error) {
	name := "judge_" + kind
	text, err := Source(name)
	if err != nil {
		return "", "", err
	}
	first, rest, _ := strings.Cut(text, "\n\n")
	if system, err = render(name, first, data); err != nil {
		return "", "", err
	}
	user, err = render(name, rest, data)
	return system, user, err
}

// JudgeAgain returns the sentence that is added when a reply held no verdict.
func JudgeAgain() string {
	raw, _ := files.ReadFile("judge_again.txt") // embedded: it cannot be missing
	return strings.TrimSpace(string(raw))
}

// parsed keeps the templates by their text: scoring renders each of them often.
var parsed sync.Map

func render(name, text string, data Data) (string, error) {
	t, ok := parsed.Load(text)
	if !ok {
		fresh, err := template.New(name).Option("missingkey=error").Parse(text)
		if err != nil {
			return "", fmt.Errorf("prompt %s: %w", name, err)
		}
		t, _ = parsed.LoadOrStore(text, fresh)
	}
	var b strings.Builder
	if err := t.(*template.Template).Execute(&b, map[string]string(data)); err != nil {
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
