package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"airqa/internal/exit"
	"airqa/internal/terminal"
	"airqa/llm"
)

type configCmd struct {
	Command []string `arg:"" optional:"" help:"A command, such as run or vectors copy; without one, what is set for any."`
	JSON    bool     `name:"json" help:"Print a JSON object a flag, then one a key."`
}

// Help implements kong.HelpProvider.
func (configCmd) Help() string {
	return `Examples:
  airqa config run
  airqa config --json

A flag on the command line wins, then AIRQA_COMMAND_FLAG, AIRQA_FLAG, then airqa.yaml (under the name of the command, then
at the top), then the default. Of keys and passwords it says only whether there are any.`
}

// setting is what holds for one flag of one command, and why.
type setting struct {
	Command string `json:"command"`
	Flag    string `json:"flag"`
	Value   any    `json:"value"`
	// Source is default, airqa.yaml or environment; Name the key or the variable.
	Source string `json:"source"`
	Name   string `json:"name,omitempty"`
	// Required is true for a flag that must be given and is not.
	Required bool `json:"required,omitempty"`
}

// The sources of a setting.
const (
	fromDefault  = "default"
	fromVariable = "environment"
)

// Run implements the sub-command.
func (c configCmd) Run(a *app) error {
	parser, err := kong.New(&cli{}, options()...)
	if err != nil {
		return err
	}
	nodes, err := commandsOf(parser.Model.Node, c.Command)
	if err != nil {
		return err
	}
	file, err := readConfigFile()
	if err != nil {
		return err
	}
	var all []setting
	for _, node := range nodes {
		list, err := settingsOf(parser, node, file)
		if err != nil {
			return exit.With(exit.Usage, fmt.Errorf("airqa %s: %w", strings.Join(commandPath(node), " "), err))
		}
		for _, s := range list {
			if len(c.Command) > 0 || s.Source != fromDefault {
				all = append(all, s)
			}
		}
	}
	a.warnOfStrangers(parser)
	return c.print(a, all)
}

// commandsOf returns the commands that a name stands for: those below it, and all of them for no name.
func commandsOf(node *kong.Node, name []string) ([]*kong.Node, error) {
	for i, word := range name {
		at := slices.IndexFunc(node.Children, func(c *kong.Node) bool { return c.Name == word })
		if at < 0 {
			return nil, exit.Misuse("there is no command airqa %s", strings.Join(name[:i+1], " "))
		}
		node = node.Children[at]
	}
	return leaves(node), nil
}

func leaves(node *kong.Node) []*kong.Node {
	if len(node.Children) == 0 {
		return []*kong.Node{node}
	}
	var all []*kong.Node
	for _, c := range node.Children {
		all = append(all, leaves(c)...)
	}
	return all
}

// settingsOf asks the parser of the command line itself what holds, so that this can be no other than what a command gets.
func settingsOf(parser *kong.Kong, node *kong.Node, file yamlResolver) ([]setting, error) {
	path := commandPath(node)
	ctx, err := kong.Trace(parser, path)
	if err != nil {
		return nil, err
	}
	if err := ctx.Reset(); err != nil {
		return nil, err
	}
	if err := ctx.Resolve(); err != nil {
		return nil, err
	}
	var list []setting
	for _, level := range ctx.Path {
		for _, f := range level.Flags {
			if f.Name == "help" || f.Name == "help-all" || f.Name == "version" {
				continue
			}
			s := setting{Command: strings.Join(path, " "), Flag: f.Name, Value: masked(ctx.FlagValue(f)), Source: fromDefault}
			if s.Source, s.Name, err = sourceOf(f, path, file); err != nil {
				return nil, err
			}
			s.Required = f.Required && s.Source == fromDefault
			list = append(list, s)
		}
	}
	return list, nil
}

func sourceOf(f *kong.Flag, command []string, file yamlResolver) (source, name string, err error) {
	if name, set := fromEnvironment(f, os.LookupEnv); set {
		return fromVariable, name, nil
	}
	key, node, err := file.find(command, f.Name)
	if err != nil || node == nil {
		return fromDefault, "", err
	}
	return configFile, key, nil
}

// masked takes passwords out of addresses, and gives numbers and texts their plain form.
func masked(v any) any {
	r := reflect.ValueOf(v)
	for r.Kind() == reflect.Pointer {
		if r.IsNil() {
			return nil
		}
		r = r.Elem()
	}
	if s, ok := r.Interface().(fmt.Stringer); ok {
		return s.String()
	}
	if r.Kind() != reflect.String {
		return r.Interface()
	}
	return maskURL(r.String())
}

// hidden stands for a password.
const hidden = "(set)"

func maskURL(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	u, err := url.Parse(text)
	if err != nil {
		return hidden
	}
	shown := *u
	shown.User, shown.RawQuery = nil, ""
	out := shown.String()
	if u.User != nil {
		name := u.User.Username()
		if _, has := u.User.Password(); has {
			name += ":" + hidden
		}
		out = strings.Replace(out, "://", "://"+name+"@", 1)
	}
	var query []string
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if low := strings.ToLower(name); strings.Contains(low, "token") || strings.Contains(low, "key") || strings.Contains(low, "pass") {
			pair = name + "=" + hidden
		}
		query = append(query, pair)
	}
	if u.RawQuery != "" {
		out += "?" + strings.Join(query, "&")
	}
	return out
}

// keyVariables are the variables that hold keys.
func keyVariables() []string { return append(llm.KeyVariables(), judgeKey, embedKey) }

// warnOfStrangers names variables that look like settings and are none.
func (a *app) warnOfStrangers(parser *kong.Kong) {
	known := make(map[string]bool)
	for _, name := range keyVariables() {
		known[name] = true
	}
	eachFlag(parser.Model.Node, func(_ *kong.Node, f *kong.Flag) {
		for _, name := range f.Envs {
			known[name] = true
		}
	})
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "AIRQA_") && !known[name] {
			a.say("note: %s is set, and no flag reads it", terminal.Line(name))
		}
	}
}

func (c configCmd) print(a *app, all []setting) error {
	if c.JSON {
		return a.printSettingsJSON(all)
	}
	command := "-"
	widest := 0
	for _, s := range all {
		widest = max(widest, len(s.Flag))
	}
	for _, s := range all {
		if s.Command != command {
			command = s.Command
			if err := a.print("airqa " + command); err != nil {
				return err
			}
		}
		if err := a.print(fmt.Sprintf("  --%-*s  %s", widest, s.Flag, s.text())); err != nil {
			return err
		}
	}
	if err := a.print("keys"); err != nil {
		return err
	}
	for _, name := range keyVariables() {
		state := "not set"
		if a.getenv(name) != "" {
			state = "set"
		}
		if err := a.print("  " + name + "  " + state); err != nil {
			return err
		}
	}
	return nil
}

// text is a value and where it comes from.
func (s setting) text() string {
	value := fmt.Sprint(s.Value)
	if list := reflect.ValueOf(s.Value); list.IsValid() && list.Kind() == reflect.Slice {
		var items []string
		for i := range list.Len() {
			items = append(items, fmt.Sprint(list.Index(i).Interface()))
		}
		value = strings.Join(items, ",")
	}
	if s.Value == nil || value == "" {
		value = "-"
	}
	from := s.Source
	switch {
	case s.Required:
		from = "must be given"
	case s.Source == fromVariable:
		from = "$" + s.Name
	case s.Name != "":
		from += ": " + s.Name
	}
	return terminal.Line(value) + "  (" + from + ")"
}

func (a *app) printSettingsJSON(all []setting) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	for _, s := range all {
		if err := enc.Encode(s); err != nil {
			return err
		}
	}
	for _, name := range keyVariables() {
		err := enc.Encode(struct {
			Key string `json:"key"`
			Set bool   `json:"set"`
		}{name, a.getenv(name) != ""})
		if err != nil {
			return err
		}
	}
	return nil
}
