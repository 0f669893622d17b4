package importer

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/gif"  // their sizes
	_ "image/jpeg" // their sizes
	_ "image/png"  // their sizes
	"maps"
	"net/http"
	"slices"
	"strings"

	"airqa/qa"
	"airqa/runlog"
	"airqa/train/format"
)

// Losses counts what has no place in a run directory, by description.
type Losses map[string]int

// Add counts one loss. A nil l counts nothing.
func (l Losses) Add(what string) {
	if l != nil {
		l[what]++
	}
}

// List returns the losses as lines, sorted.
func (l Losses) List() []string {
	var list []string
	for _, what := range slices.Sorted(maps.Keys(l)) {
		list = append(list, fmt.Sprintf("%s: %d", what, l[what]))
	}
	return list
}

// decode reads JSON into a value, and counts the keys that the value does not have, by their path.
func (l Losses) decode(raw []byte, v any, at string) error {
	if err := json.Unmarshal(raw, v); err != nil {
		return err
	}
	return l.unread(raw, v, at, nil)
}

// unread counts the keys of raw that v, which was read from it, does not have, and the unused ones.
func (l Losses) unread(raw []byte, v any, at string, unused map[string]bool) error {
	known, err := json.Marshal(v)
	var read, kept any
	if err = errors.Join(err, json.Unmarshal(raw, &read), json.Unmarshal(known, &kept)); err != nil {
		return err
	}
	var compare func(at string, raw, known any)
	compare = func(at string, raw, known any) {
		switch raw := raw.(type) {
		case map[string]any:
			have, ok := known.(map[string]any)
			for key, value := range raw {
				if kept, there := have[key]; there && !unused[key] {
					compare(at+"."+key, value, kept)
				} else if ok && !empty(value) {
					l.Add(strings.TrimPrefix(at+"."+key, "."))
				}
			}
		case []any:
			have, _ := known.([]any)
			for i := range min(len(raw), len(have)) {
				compare(at, raw[i], have[i])
			}
		}
	}
	compare(at, read, kept)
	return nil
}

func empty(v any) bool {
	switch v := v.(type) {
	case string:
		return v == ""
	case bool:
		return !v
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return v == nil
}

// finite returns JSON without the numbers that JSON does not have, and counts them.
func (l Losses) finite(raw []byte) []byte {
	return format.Finite(raw, func(number string) { l.Add("number " + number + ", now null") })
}

// part is a part of the content of a message, with the fields of inspect_ai besides those of ATIF.
type part struct {
	format.ContentPart
	Reasoning, Image string
	Redacted         bool
}

// content returns a message with the texts and images of parts. A text or an image may be kept elsewhere.
func (l Losses) content(parts []part, text func(string) string, image func(part) (qa.Image, bool)) (m qa.Message) {
	var texts, reasoning []string
	for _, p := range parts {
		switch {
		case p.Type == "text" && p.Text != nil:
			texts = append(texts, text(*p.Text))
		case p.Type == "reasoning" && !p.Redacted:
			reasoning = append(reasoning, text(p.Reasoning))
		case p.Type == "image":
			if im, ok := image(p); ok {
				m.Images = append(m.Images, im)
			} else {
				l.Add("image that is missing or outside of the folder")
			}
		default:
			l.Add("content of type " + idOf(p.Type))
		}
	}
	if len(texts) > 1 {
		l.Add("borders of the texts of a message")
	}
	m.Text, m.Reasoning = strings.Join(texts, "\n"), strings.Join(reasoning, "\n")
	return m
}

// imageOf returns an image; false if the data is none.
func imageOf(data []byte, mime string) (qa.Image, bool) {
	found := http.DetectContentType(data)
	if !strings.HasPrefix(found, "image/") {
		return qa.Image{}, false
	}
	if mime == "" {
		mime = found
	}
	im := qa.Image{SHA256: runlog.Hash(string(data)), MIME: mime, Data: data}
	if size, _, err := image.DecodeConfig(bytes.NewReader(data)); err == nil {
		im.Width, im.Height = size.Width, size.Height
	}
	return im, true
}

// dataURL reads an image from a data URL.
func dataURL(url string) (qa.Image, bool) {
	head, body, ok := strings.Cut(strings.TrimPrefix(url, "data:"), ";base64,")
	if !ok || len(body) > maxImage {
		return qa.Image{}, false
	}
	data, err := base64.StdEncoding.DecodeString(body)
	if err != nil {
		return qa.Image{}, false
	}
	return imageOf(data, head)
}

// addTools adds definitions of tools, in OpenAI's form or bare, each once.
func (e *episode) addTools(list []json.RawMessage) {
	for _, raw := range list {
		if e.defined[string(raw)] {
			continue
		}
		e.defined[string(raw)] = true
		var wrapped struct {
			Function json.RawMessage `json:"function"`
		}
		if json.Unmarshal(raw, &wrapped) == nil && len(wrapped.Function) > 0 {
			raw = wrapped.Function
		}
		var bare struct {
			qa.ToolSpec
			InputSchema json.RawMessage `json:"input_schema,omitempty"`
		}
		if e.losses.decode(raw, &bare, "tool") != nil || bare.Name == "" {
			e.losses.Add("tool without a name")
			continue
		}
		for _, schema := range []json.RawMessage{bare.Parameters, bare.InputSchema, json.RawMessage(`{}`)} {
			if len(schema) > 0 && string(schema) != "null" {
				bare.Parameters = format.Compact(schema)
				break
			}
		}
		e.tools = append(e.tools, bare.ToolSpec)
	}
}
