package prompts

import (
	"fmt"
	"regexp"
	"strings"
)

// Set is a stand-in until branch w-prompts is merged.
type Set struct{ own map[string]string }

// Of returns a set.
func Of(own map[string]string) Set { return Set{own} }

var placeholder = regexp.MustCompile(`\{(?:\{\s*\.?([A-Za-z_]\w*)\s*\}\}|([a-z]\w*)\})`)

func target(prompt, name string) string {
	if prompt == "synth_function" {
		return name
	}
	switch name {
	case "description":
		return "task"
	case "hint":
		return "hints"
	case "evaluator":
		return "functions"
	}
	return name
}

// Render renders.
func (s Set) Render(name string, data Data) (string, error) {
	text, err := s.Source(name)
	if err != nil {
		return "", err
	}
	text = placeholder.ReplaceAllStringFunc(text, func(m string) string {
		key := target(name, strings.Trim(m, "{}. "))
		v, ok := data[key]
		if !ok {
			err = fmt.Errorf("prompt %s: no value for %s", name, key)
		}
		return v
	})
	return strings.TrimSpace(text), err
}

// Shows reports.
func (s Set) Shows(name, key string) bool {
	text, _ := s.Source(name)
	for _, m := range placeholder.FindAllString(text, -1) {
		if target(name, strings.Trim(m, "{}. ")) == key {
			return true
		}
	}
	return false
}

// Source returns the text.
func (s Set) Source(name string) (string, error) {
	if text, ok := s.own[name]; ok {
		return text, nil
	}
	return Source(name)
}

// Hash hashes.
func (s Set) Hash(name string) (string, error) { return Hash(name) }
