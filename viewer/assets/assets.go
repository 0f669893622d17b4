// Package assets has the style, the scripts and the icon of the web pages. Their addresses hold a hash of the content, so a
// browser keeps them for good. Start from [Path] and [Handler]. Nothing is built: the files are as they are written.
package assets

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
)

//go:embed files
var embedded embed.FS

// Prefix begins the address of each file.
const Prefix = "/assets/"

// names are the files. A module comes after those that it imports, since an import has the hash of its target.
func names() []string {
	return []string{"icon.svg", "style.css", "theme.js", "dom.js", "morph.js", "live.js", "list.js", "filter.js", "copy.js", "notes.js", "keys.js", "app.js", "dialogue.css", "dialogue.js"}
}

// store has the files by their hashed name, and the hashed names.
type store struct {
	files  map[string][]byte
	hashed map[string]string
}

var load = sync.OnceValue(func() store {
	s := store{make(map[string][]byte), make(map[string]string)}
	for _, name := range names() {
		raw, err := embedded.ReadFile("files/" + name)
		if err != nil {
			panic(err) // names lists a file that is not embedded
		}
		text := string(raw)
		if path.Ext(name) == ".js" {
			for plain, hashed := range s.hashed {
				text = strings.ReplaceAll(text, `"./`+plain+`"`, `"./`+hashed+`"`)
			}
		}
		sum := sha256.Sum256([]byte(text))
		ext := path.Ext(name)
		hashed := strings.TrimSuffix(name, ext) + "." + hex.EncodeToString(sum[:])[:16] + ext
		s.files[hashed], s.hashed[name] = []byte(text), hashed
	}
	return s
})

// Path is the address of a file, such as "style.css". It panics for an unknown name.
func Path(name string) string {
	hashed, ok := load().hashed[name]
	if !ok {
		panic("no asset " + name)
	}
	return Prefix + hashed
}

// Read returns a file as served, for a page that contains it.
func Read(name string) string { return string(load().files[load().hashed[name]]) }

// Handler serves the files below [Prefix].
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, ok := load().files[strings.TrimPrefix(r.URL.Path, Prefix)]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(r.URL.Path)))
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		_, _ = w.Write(raw)
	})
}
