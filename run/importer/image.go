package importer

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	_ "image/gif"  // their sizes
	_ "image/jpeg" // their sizes
	_ "image/png"  // their sizes
	"net/http"
	"strings"

	"airqa/qa"
	"airqa/runlog"
)

// imageOf returns an image; false if the data is none.
func imageOf(data []byte, mime string) (qa.Image, bool) {
	if len(data) == 0 || !strings.HasPrefix(http.DetectContentType(data), "image/") {
		return qa.Image{}, false
	}
	if mime == "" {
		mime = http.DetectContentType(data)
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

// specOf reads the definition of a tool, in OpenAI's form or bare; false if it has no name.
func specOf(raw json.RawMessage, l Losses) (qa.ToolSpec, bool) {
	var wrapped struct {
		Type     string          `json:"type"`
		Function json.RawMessage `json:"function"`
	}
	if json.Unmarshal(raw, &wrapped) == nil && len(wrapped.Function) > 0 {
		raw = wrapped.Function
	}
	var bare struct {
		qa.ToolSpec
		InputSchema json.RawMessage `json:"input_schema,omitempty"`
	}
	if decode(raw, &bare, "tool", l) != nil || bare.Name == "" {
		return qa.ToolSpec{}, false
	}
	if len(bare.Parameters) == 0 || string(bare.Parameters) == "null" {
		bare.Parameters = bare.InputSchema
	}
	if len(bare.Parameters) == 0 {
		bare.Parameters = json.RawMessage(`{}`)
	}
	var b bytes.Buffer
	if json.Compact(&b, bare.Parameters) == nil {
		bare.Parameters = b.Bytes()
	}
	return bare.ToolSpec, true
}
