package main

import (
	"fmt"
	"io"

	"github.com/alecthomas/kong"
	"gopkg.in/yaml.v3"
)

// yamlConfig reads airqa.yaml: a key for each flag, by the flag's name, at the top or under the name of a sub-command,
// which wins. A key that is no flag is an error, so that a misspelt one is not silently ignored.
func yamlConfig(r io.Reader) (kong.Resolver, error) {
	values := make(map[string]any)
	if err := yaml.NewDecoder(r).Decode(&values); err != nil && err != io.EOF { //nolint:errorlint // the decoder returns io.EOF itself
		return nil, fmt.Errorf("airqa.yaml: %w", err)
	}
	return yamlResolver(values), nil
}

type yamlResolver map[string]any

// Validate implements kong.Resolver.
func (y yamlResolver) Validate(app *kong.Application) error {
	known := make(map[string]bool)
	commands := make(map[string]map[string]bool)
	for _, f := range app.Flags {
		known[f.Name] = true
	}
	for _, c := range app.Children {
		commands[c.Name] = make(map[string]bool)
		for _, f := range c.Flags {
			known[f.Name], commands[c.Name][f.Name] = true, true
		}
	}
	for key, v := range y {
		sub, isCommand := v.(map[string]any)
		if !isCommand && !known[key] {
			return fmt.Errorf("airqa.yaml: there is no flag --%s", key)
		}
		for name := range sub {
			if commands[key] == nil || !commands[key][name] {
				return fmt.Errorf("airqa.yaml: airqa %s has no flag --%s", key, name)
			}
		}
	}
	return nil
}

// Resolve implements kong.Resolver.
func (y yamlResolver) Resolve(_ *kong.Context, parent *kong.Path, flag *kong.Flag) (any, error) {
	if parent != nil && parent.Command != nil {
		if sub, ok := y[parent.Command.Name].(map[string]any); ok {
			if v, ok := sub[flag.Name]; ok {
				return fmt.Sprint(v), nil
			}
		}
	}
	if v, ok := y[flag.Name]; ok {
		return fmt.Sprint(v), nil
	}
	return nil, nil
}
