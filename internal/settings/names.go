package settings

import (
	"fmt"
	"reflect"

	"github.com/alecthomas/kong"
)

// What the value of a flag names, as the struct tag names:"..." of the flag declares. Every flag whose value reaches beyond
// the program has one, so that a file of someone else cannot choose what is read, written or contacted.
const (
	// Input is a file or folder to read.
	Input = "input"
	// Output is a file or folder to write.
	Output = "output"
	// Model is a model as PROVIDER:NAME, which may be a file (scripted:FILE).
	Model = "model"
	// Endpoint is the address of a model.
	Endpoint = "endpoint"
	// Store is the address of a vector store, or files.
	Store = "store"
	// Telemetry is an address that receives traces.
	Telemetry = "telemetry"
	// Listen is an address to listen on.
	Listen = "listen"
	// Source is what the user alone may choose: a place to download from, or something that gets keys.
	Source = "source"
)

// Names returns what the value of a flag names; empty for an ordinary value.
func Names(f *kong.Flag) string { return f.Tag.Get("names") }

// Items returns the texts of a flag's value as a resolver has it: one, or those of a list.
func Items(f *kong.Flag, value any) []string {
	if list, ok := value.([]any); ok {
		var items []string
		for _, v := range list {
			items = append(items, fmt.Sprint(v))
		}
		return items
	}
	text := fmt.Sprint(value)
	if f.Target.Kind() == reflect.Slice && f.Tag.Sep != -1 {
		return kong.SplitEscaped(text, f.Tag.Sep) // as kong does
	}
	return []string{text}
}
