package settings

import (
	"fmt"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"airqa/internal/terminal"
)

// Setting is the effective value of one flag of one command, and its source.
type Setting struct {
	Command string `json:"command"`
	Flag    string `json:"flag"`
	Value   any    `json:"value"`
	// Source is default, airqa.yaml or environment; Name is the key or the variable.
	Source string `json:"source"`
	Name   string `json:"name,omitempty"`
	// Required is true for a required flag without a value.
	Required bool `json:"required,omitempty"`
}

// The sources of a setting.
const (
	FromDefault  = "default"
	FromVariable = "environment"
)

// Of parses an empty command line with the program's own parser, so that the values are those that the command gets.
func (v Values) Of(parser *kong.Kong, node *kong.Node) ([]Setting, error) {
	path := CommandPath(node)
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
	var list []Setting
	for _, level := range ctx.Path {
		for _, f := range level.Flags {
			if f.Name == "help" || f.Name == "help-all" || f.Name == "version" {
				continue
			}
			s := Setting{Command: strings.Join(path, " "), Flag: f.Name, Value: Masked(ctx.FlagValue(f)), Source: FromDefault}
			if s.Source, s.Name, err = v.Source(f, path); err != nil {
				return nil, err
			}
			s.Required = f.Required && s.Source == FromDefault
			list = append(list, s)
		}
	}
	return list, nil
}

// Source returns the source of a flag's value, and the name it has there.
func (v Values) Source(f *kong.Flag, command []string) (source, name string, err error) {
	if name, set := FromEnvironment(f, os.LookupEnv); set {
		return FromVariable, name, nil
	}
	key, node, err := v.Find(command, f.Name)
	if err != nil || node == nil {
		return FromDefault, "", err
	}
	return File, key, nil
}

// Masked hides passwords in addresses, and formats numbers and texts plainly.
func Masked(v any) any {
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
	return MaskURL(r.String())
}

// hidden replaces a password.
const hidden = "(set)"

// MaskURL hides passwords and tokens in an address.
func MaskURL(text string) string {
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

// Text formats the value and its source.
func (s Setting) Text() string {
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
	case s.Source == FromVariable:
		from = "$" + s.Name
	case s.Name != "":
		from += ": " + s.Name
	}
	return terminal.Line(value) + "  (" + from + ")"
}

// Announced returns notes about addresses and outputs taken from files in the working directory or of a run, whose
// settings are in recorded.
func (v Values) Announced(ctx *kong.Context, recorded string) []string {
	var fromFile, lines []string
	for _, p := range ctx.Path {
		if p.Flag == nil || !p.Resolved || !slices.Contains([]string{Output, Endpoint, Store, Telemetry, Listen}, Names(p.Flag)) {
			continue
		}
		value := fmt.Sprint(Masked(ctx.FlagValue(p.Flag)))
		source, key, err := v.Source(p.Flag, CommandPath(ctx.Selected()))
		switch {
		case err != nil || value == "":
		case source == File:
			fromFile = append(fromFile, key+" "+value)
		case source == FromDefault:
			lines = append(lines, fmt.Sprintf("note: %s of the run sets %s %s", recorded, p.Flag.Name, value))
		}
	}
	if len(fromFile) > 0 {
		slices.Sort(fromFile)
		lines = append(lines, fmt.Sprintf("note: %s sets %s", File, strings.Join(slices.Compact(fromFile), ", ")))
	}
	return lines
}
