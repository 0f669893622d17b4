// Package prompts holds the texts shown to models, one embedded file per prompt. A [Set] is these texts, and some may be
// replaced by one's own, see [Open]. [Set.Render] fills one in; a name missing from the data is an error, never an empty
// string. [Set.Judge] renders prompts of judges. [All] describes every prompt. The texts of tools are next to the tools.
package prompts

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"airqa/internal/files"
	"airqa/internal/lazyregexp"
)

//go:embed *.txt
var builtIn embed.FS

// Data maps the names in a prompt to their values.
type Data map[string]string

// Set is the texts shown to models. The zero value is the built-in ones.
type Set struct{ own map[string]string }

// Of returns the set in which the given texts, by name, replace built-in ones. They are not checked.
func Of(own map[string]string) Set { return Set{own} }

// examples is the prompt with examples of questions and answers. Texts that have a place for it get it without being asked.
const examples = "examples"

// Render returns the prompt with the given name (its file without ".txt"), filled in with data. Values are inserted
// verbatim: placeholders in a question have no effect.
func (s Set) Render(name string, data Data) (string, error) {
	text, err := s.Source(name)
	if err != nil {
		return "", err
	}
	return s.fill(name, text, data)
}

// Judge returns the system and the user message for a kind of judgement (its file without "judge_" and ".txt"). The prompt
// is cut at its first line of three dashes before anything is filled in, so that no value can move the cut. One without
// such a line is a user message only.
func (s Set) Judge(kind string, data Data) (system, user string, err error) {
	name := judgePrefix + kind
	text, err := s.Source(name)
	if err != nil {
		return "", "", err
	}
	system, user = cut(text)
	if system, err = s.fill(name, system, data); err != nil {
		return "", "", err
	}
	user, err = s.fill(name, user, data)
	return system, user, err
}

// JudgeAgain returns the sentence that is added when a reply held no verdict.
func (s Set) JudgeAgain() string {
	text, _ := s.Source(judgePrefix + "again") // embedded: it cannot be missing
	return strings.TrimSpace(text)
}

const judgePrefix = "judge_"

// cut returns the parts of a text above and below its first line of three dashes.
func cut(text string) (system, user string) {
	at := 0
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "---" {
			return text[:at], text[at+len(line):]
		}
		at += len(line)
	}
	return "", text
}

// placeholder matches {{.name}}, {{name}} and {name}. Only lower-case names count in single braces: JSON and LaTeX have others.
var placeholder = lazyregexp.New(`\{\{\s*\.?[A-Za-z_]\w*\s*\}\}|\{[a-z]\w*\}`)

func nameOf(match string) string { return strings.Trim(match, "{}. \t\r\n") }

func namesIn(text string) []string {
	names := placeholder.FindAllString(text, -1)
	for i, match := range names {
		names[i] = nameOf(match)
	}
	return names
}

// fill replaces the placeholders of a part of a prompt.
func (s Set) fill(name, text string, data Data) (string, error) {
	p, _ := Find(name)
	var missing error
	filled := placeholder.ReplaceAllStringFunc(text, func(match string) string {
		key := p.target(nameOf(match))
		value, ok := data[key]
		switch {
		case !ok && key == examples:
			return s.examples()
		case !ok:
			missing = fmt.Errorf("prompt %s: no value for %s", name, key)
		}
		return value
	})
	return strings.TrimSpace(filled), missing
}

// examples returns the examples as a paragraph; empty without any.
func (s Set) examples() string {
	if text := strings.TrimSpace(s.own[examples]); text != "" {
		return "\n" + text + "\n"
	}
	return ""
}

// Shows reports whether a prompt has a placeholder.
func (s Set) Shows(name, key string) bool {
	text, _ := s.Source(name) // an unknown prompt shows nothing
	p, _ := Find(name)
	return slices.ContainsFunc(namesIn(text), func(name string) bool { return p.target(name) == key })
}

// Source returns the text of a prompt before rendering.
func (s Set) Source(name string) (string, error) {
	if text, ok := s.own[name]; ok {
		return text, nil
	}
	raw, err := builtIn.ReadFile(name + ".txt")
	if err != nil {
		return "", fmt.Errorf("prompt %s: no such prompt", name)
	}
	return string(raw), nil
}

// older gives a built-in text the form that it had without examples and with a blank line between messages, in which it makes
// the same requests.
var older = strings.NewReplacer("{{."+examples+"}}", "", "\n---\n", "\n\n")

// Hash returns the SHA-256 of a prompt's source in lower-case hex, for the record of a run. A built-in prompt has the hash that
// recorded runs have.
func (s Set) Hash(name string) (string, error) {
	text, err := s.Source(name)
	if err != nil {
		return "", err
	}
	if _, own := s.own[name]; !own {
		text = older.Replace(text)
	}
	return files.Hash(text), nil
}

// Used returns the names of prompts and, if one of them shows examples that the set has, the name of the examples.
func (s Set) Used(names ...string) []string {
	names = slices.Clone(names)
	if s.examples() != "" && slices.ContainsFunc(names, func(name string) bool { return s.Shows(name, examples) }) {
		names = append(names, examples)
	}
	return names
}

// Own returns the texts with the given names that replace built-in ones; nil if none does. Without names, it returns all.
func (s Set) Own(names ...string) map[string]string {
	own := maps.Clone(s.own)
	maps.DeleteFunc(own, func(name, _ string) bool { return len(names) > 0 && !slices.Contains(names, name) })
	if len(own) == 0 {
		return nil
	}
	return own
}
