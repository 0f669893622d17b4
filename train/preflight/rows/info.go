package rows

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"airqa/internal/python"
)

// InfoFile is the name of the file that lists data sets.
const InfoFile = "dataset_info.json"

// Info is an entry of dataset_info.json. A nil column or tag is unset, as Python's None.
type Info struct {
	File       string
	Formatting string
	Ranking    bool
	columns    map[string]python.Value
	tags       map[string]python.Value
	entry      json.RawMessage // as it is in the file; empty if there is none
}

var columnNames = []string{
	"prompt", "query", "response", "history", "messages", "system", "tools", "images", "videos", "audios",
	"chosen", "rejected", "kto_tag",
}

func defaultColumns() map[string]python.Value {
	return map[string]python.Value{"prompt": "instruction", "query": "input", "response": "output", "messages": "conversations"}
}

func defaultTags() map[string]python.Value {
	return map[string]python.Value{
		"role_tag": "from", "content_tag": "value", "user_tag": "human", "assistant_tag": "gpt",
		"observation_tag": "observation", "function_tag": "function_call", "system_tag": "system",
	}
}

// ShareGPT is an entry with all tags, for a file without dataset_info.json that has the given columns.
func ShareGPT(file string, has func(column string) bool) Info {
	i := Info{File: file, Formatting: "sharegpt", columns: map[string]python.Value{"messages": "conversations"}, tags: defaultTags()}
	if !has("conversations") && has("messages") {
		i.columns["messages"] = "messages"
		i.tags["role_tag"], i.tags["content_tag"], i.tags["user_tag"] = "role", "content", "user"
		i.tags["assistant_tag"], i.tags["observation_tag"] = "assistant", "tool"
	}
	for _, name := range []string{"system", "tools", "images", "videos", "audios", "chosen", "rejected"} {
		if has(name) {
			i.columns[name] = name
		}
	}
	i.Ranking = has("chosen") && has("rejected")
	return i
}

// ReadInfo returns the entry of a data set in a folder; with an empty name, the only one.
func ReadInfo(dir, name string) (Info, error) {
	raw, err := os.ReadFile(filepath.Join(dir, InfoFile))
	if err != nil {
		return Info{}, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return Info{}, fmt.Errorf("%s: %w", InfoFile, err)
	}
	if name == "" {
		if name, err = only(all); err != nil {
			return Info{}, err
		}
	}
	entry, ok := all[name]
	if !ok {
		return Info{}, fmt.Errorf("ValueError: %w: Undefined dataset %s in %s", ErrEntry, name, InfoFile)
	}
	v, err := python.FromJSON(entry)
	if err != nil {
		return Info{}, fmt.Errorf("%s: %s: %w", InfoFile, name, err)
	}
	d, ok := v.(*python.Dict)
	if !ok {
		return Info{}, fmt.Errorf("%s: %s is not an object", InfoFile, name)
	}
	info, err := parseInfo(d)
	info.entry = entry
	return info, err
}

// Entry returns the entry in JSON, with a file name.
func (i Info) Entry(file string) (json.RawMessage, error) {
	members := map[string]any{"formatting": i.Formatting, "ranking": i.Ranking, "columns": i.columns, "tags": i.tags}
	if i.entry != nil {
		members = nil
		if err := json.Unmarshal(i.entry, &members); err != nil {
			return nil, fmt.Errorf("%s: %w", InfoFile, err)
		}
	}
	members["file_name"] = file
	return json.Marshal(members)
}

// EntryOf returns the name of the data set in a folder that reads a file, empty if there is none. The error may be
// [fs.ErrNotExist].
func EntryOf(dir, file string) (string, error) {
	raw, err := os.ReadFile(filepath.Join(dir, InfoFile))
	if err != nil {
		return "", err
	}
	var all map[string]struct {
		File string `json:"file_name"`
	}
	if err := json.Unmarshal(raw, &all); err != nil {
		return "", fmt.Errorf("%s: %w", InfoFile, err)
	}
	found := ""
	for name, entry := range all {
		if filepath.Clean(entry.File) == file && (found == "" || name < found) {
			found = name
		}
	}
	return found, nil
}

func only(all map[string]json.RawMessage) (string, error) {
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	if len(names) != 1 {
		return "", fmt.Errorf("%s has %d datasets (%s): %w", InfoFile, len(names), strings.Join(names, ", "), ErrSeveral)
	}
	return names[0], nil
}

// Errors of entries.
var (
	// ErrEntry is the error of a data set without an entry.
	ErrEntry = errors.New("no such dataset")
	// ErrSeveral is the error of several data sets of which none is named.
	ErrSeveral = errors.New("choose one")
)

const errFile = NotChecked("the dataset entry has no file_name; only files are checked")

func parseInfo(d *python.Dict) (Info, error) {
	i := Info{Formatting: "alpaca", columns: defaultColumns(), tags: defaultTags()}
	if v, ok := d.Get("formatting"); ok {
		i.Formatting = python.Str(v)
	}
	if v, _ := d.Get("ranking"); v != nil {
		i.Ranking = v == true
	}
	if columns, ok := d.Get("columns"); ok {
		i.columns = chosen(columns, columnNames)
	}
	if tags, ok := d.Get("tags"); ok {
		i.tags = chosen(tags, nil)
	}
	file, _ := d.Get("file_name")
	name, ok := file.(string)
	if !ok {
		return Info{}, errFile
	}
	i.File = name
	return i, nil
}

// chosen returns the entries of an object: what it does not name is unset.
func chosen(v python.Value, names []string) map[string]python.Value {
	m := make(map[string]python.Value)
	d, ok := v.(*python.Dict)
	if !ok {
		return m
	}
	for key, value := range d.All() {
		if name, ok := key.(string); ok && (names == nil || slices.Contains(names, name)) {
			m[name] = value
		}
	}
	return m
}
