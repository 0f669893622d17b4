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
	// Source is default, environment or the path of a settings file; Name is the key or the variable.
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
func (f *Files) Of(parser *kong.Kong, node *kong.Node) ([]Setting, error) {
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
		for _, flag := range level.Flags {
			if flag.Name == "help" || flag.Name == "help-all" || flag.Name == "version" {
				continue
			}
			s := Setting{Command: strings.Join(path, " "), Flag: flag.Name, Value: Masked(ctx.FlagValue(flag)), Source: FromDefault}
			if s.Source, s.Name, err = f.source(flag, path); err != nil {
				return nil, err
			}
			s.Required = flag.Required && s.Source == FromDefault
			list = append(list, s)
		}
	}
	return list, nil
}

// source returns the source of a flag's value, and the name it has there.
func (f *Files) source(flag *kong.Flag, command []string) (source, name string, err error) {
	if name, set := FromEnvironment(flag, os.LookupEnv); set {
		return FromVariable, name, nil
	}
	v, key, err := f.find(command, flag.Name)
	if err != nil || v == nil {
		return FromDefault, "", err
	}
	return v.path, key, nil
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
func (f *Files) Announced(ctx *kong.Context, recorded string) []string {
	var fromFile, lines []string
	for _, p := range ctx.Path {
		if p.Flag == nil || !p.Resolved || !slices.Contains([]string{Output, Endpoint, Store, Telemetry, Listen}, Names(p.Flag)) {
			continue
		}
		value := fmt.Sprint(Masked(ctx.FlagValue(p.Flag)))
		source, key, err := f.source(p.Flag, CommandPath(ctx.Selected()))
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
