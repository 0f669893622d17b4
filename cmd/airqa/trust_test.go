package main

import (
	"encoding"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"airqa/internal/settings"
)

// ordinary are the flags with free text that name nothing to read, write or contact, everywhere or in one command. Someone
// has looked at each: before a flag is added here, follow its value to where it is used.
var ordinary = []string{
	"add", "after", "answer", "answer-format", "arxiv", "author", "baseline", "box", "by", "categories", "cause", "claim", "conference", "data-claim", "decide",
	"embedder", "error", "evaluator", "explain", "fields", "function", "gates", "grep", "include", "license", "lost-at", "mem", "method", "min-questions",
	"model-name", "name", "namespace", "of-baseline", "of-model", "older", "only", "outcome", "pair", "paper", "partition", "point", "price", "queries",
	"question", "range", "rater", "reasoning-effort", "reference", "remove", "reviewer", "scoring", "secret", "setting", "shard", "skip-gate",
	"sort", "status", "stop", "tag", "time", "type", "uuid",
	// The judge of scores that exist already.
	"report judge", "compare judge", "export write judge", "trace judge", "diff judge",
	// A name in dataset_info.json, a chat template by name.
	"export check dataset", "export show dataset", "export write template", "export check template", "export show template",
	// A range of numbers.
	"export write pass-rate",
	// A path in a container.
	"shards k8s work", "shards serve work", "export tasks image-data",
}

// pathLike are placeholders of flags that name files, folders and addresses.
var pathLike = regexp.MustCompile(`^(FILE|DIR|PATH|URL|RUN2?|SYN|HOST:PORT|PROVIDER:NAME)$`)

// Every flag of every command declares what its value names, or is known to name nothing: the check of airqa.yaml and of run
// directories follows these marks.
func TestFlagsDeclareWhatTheyName(t *testing.T) {
	parser, err := kong.New(&cli{}, options(layers.Open(""))...)
	if err != nil {
		t.Fatal(err)
	}
	kinds := []string{
		settings.Input, settings.Output, settings.Model, settings.Endpoint, settings.Store, settings.Telemetry, settings.Listen, settings.Source,
	}
	seen := make(map[string]bool)
	settings.EachFlag(parser.Model.Node, func(n *kong.Node, f *kong.Flag) {
		name := strings.TrimSpace(strings.Join(settings.CommandPath(n), " ") + " " + f.Name)
		kind, listed := settings.Names(f), ""
		for _, entry := range []string{name, f.Name} {
			if slices.Contains(ordinary, entry) {
				listed = entry
				seen[entry] = true
			}
		}
		switch {
		case kind != "" && !slices.Contains(kinds, kind):
			t.Errorf("--%s of airqa %s names an unknown kind, %q", f.Name, name, kind)
		case kind != "" && listed != "":
			t.Errorf("--%s of airqa %s names an %s, and is in ordinary", f.Name, name, kind)
		case kind == "" && listed == "" && takesText(f):
			t.Errorf("--%s of airqa %s (%s) takes a text: declare what it names (names:\"...\"), or add it to ordinary", f.Name, name, f.PlaceHolder)
		case kind == "" && pathLike.MatchString(f.PlaceHolder) && listed != name:
			t.Errorf("--%s of airqa %s is a %s and does not declare what it names", f.Name, name, f.PlaceHolder)
		}
	})
	for _, entry := range ordinary {
		if !seen[entry] {
			t.Errorf("%s in ordinary is no flag", entry)
		}
	}
}

// takesText reports whether a flag takes any text: no switch, no number, no choice.
func takesText(f *kong.Flag) bool {
	if f.Enum != "" || f.IsBool() || f.Name == "help" {
		return false
	}
	of := f.Target.Type()
	if of.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) || reflect.PointerTo(of).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return true
	}
	for of.Kind() == reflect.Slice || of.Kind() == reflect.Pointer || of.Kind() == reflect.Map {
		of = of.Elem()
	}
	return of.Kind() == reflect.String || of.Kind() == reflect.Interface
}

// No flag of any command takes a value from airqa.yaml that leads elsewhere, on its own or in a list.
func TestHostileFile(t *testing.T) {
	inFolderWithRun(t)
	for _, name := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OLLAMA_HOST"} {
		t.Setenv(name, "")
	}
	if err := os.Symlink("..", "through"); err != nil {
		t.Fatal(err)
	}
	hostile := map[string][]string{
		settings.Input: {"/etc/passwd", "../x", "through/x", "~x/../../y"}, settings.Model: {"scripted:/etc/passwd", "scripted:through/x"},
		settings.Endpoint: {"http://127.0.0.1:9/v1", "http://localhost:11434", "https://example.org/v1", "https://api.openai.com.example.org"},
		settings.Store:    {"milvus://127.0.0.1:19530", "milvus://example.org?prefix=a_"}, settings.Telemetry: {"http://127.0.0.1:4318", "https://api.openai.com"},
		settings.Listen: {"0.0.0.0:80", ":8377", "192.0.2.1:80"}, settings.Source: {"http://127.0.0.1:9/a.pdf", "list.txt"},
	}
	hostile[settings.Output] = hostile[settings.Input]
	harmless := map[string]string{
		settings.Input: "a/b.txt", settings.Output: "a/b.txt", settings.Model: "openai:m", settings.Endpoint: "https://api.openai.com/v1",
		settings.Store: "files", settings.Listen: "127.0.0.1:0",
	}
	parser, err := kong.New(&cli{}, options(layers.Open(""))...)
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	settings.EachFlag(parser.Model.Node, func(n *kong.Node, f *kong.Flag) {
		kind := settings.Names(f)
		if kind == "" {
			return
		}
		checked++
		for _, value := range hostile[kind] {
			if got, err := fromFile(t, n, f, value); err == nil || !strings.Contains(err.Error(), "--"+f.Name) {
				t.Errorf("airqa %s --%s takes %q from airqa.yaml: %v, %v", n.Path(), f.Name, value, got, err)
			}
			if f.Target.Kind() == reflect.Slice && harmless[kind] != "" {
				for _, list := range []string{"[" + harmless[kind] + ", '" + value + "']", "'" + harmless[kind] + "," + value + "'"} {
					if got, err := fromFile(t, n, f, list); err == nil && (list[0] == '[' || f.Tag.Sep == ',') {
						t.Errorf("airqa %s --%s takes %s from airqa.yaml: %v", n.Path(), f.Name, list, got)
					}
				}
			}
		}
		if value := harmless[kind]; value != "" {
			if _, err := fromFile(t, n, f, value); err != nil {
				t.Errorf("airqa %s --%s refuses %q: %v", n.Path(), f.Name, value, err)
			}
		}
	})
	if checked < 100 {
		t.Errorf("only %d flags were checked", checked)
	}
}

// fromFile is the value of a flag that airqa.yaml sets under its command.
func fromFile(t *testing.T, n *kong.Node, f *kong.Flag, value string) (any, error) {
	t.Helper()
	text, indent := "", ""
	for _, word := range settings.CommandPath(n) {
		text += indent + word + ":\n"
		indent += "  "
	}
	if value[0] != '[' && value[0] != '\'' {
		value = "'" + value + "'"
	}
	if err := os.WriteFile(settings.File, []byte(text+indent+f.Name+": "+value+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return layers.Open("").Resolve(nil, &kong.Path{Command: n}, f)
}
