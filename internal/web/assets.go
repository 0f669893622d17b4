package web

import (
	"embed"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"

	"airqa/internal/files"
)

//go:embed files
var assetFiles embed.FS

// AssetPrefix begins the address of each file.
const AssetPrefix = "/assets/"

// names are the files. A module comes after those that it imports, since an import has the hash of its target.
func assetNames() []string {
	return []string{"icon.svg", "style.css", "theme.js", "dom.js", "morph.js", "live.js", "list.js", "filter.js", "copy.js", "notes.js", "keys.js", "app.js", "dialogue.css", "dialogue.js"}
}

// store has the files by their hashed name, and the hashed names.
type assetStore struct {
	files  map[string][]byte
	hashed map[string]string
}

var loadAssets = sync.OnceValue(func() assetStore {
	s := assetStore{make(map[string][]byte), make(map[string]string)}
	for _, name := range assetNames() {
		raw, err := assetFiles.ReadFile("files/" + name)
		if err != nil {
			panic(err) // names lists a file that is not embedded
		}
		text := string(raw)
		if path.Ext(name) == ".js" {
			for plain, hashed := range s.hashed {
				text = strings.ReplaceAll(text, `"./`+plain+`"`, `"./`+hashed+`"`)
			}
		}
		ext := path.Ext(name)
		hashed := strings.TrimSuffix(name, ext) + "." + files.Hash(text)[:16] + ext
		s.files[hashed], s.hashed[name] = []byte(text), hashed
	}
	return s
})

// AssetPath is the address of a file, such as "style.css". It panics for an unknown name.
func AssetPath(name string) string {
	hashed, ok := loadAssets().hashed[name]
	if !ok {
		panic("no asset " + name)
	}
	return AssetPrefix + hashed
}

// ReadAsset returns a file as served, for a page that contains it.
func ReadAsset(name string) string { return string(loadAssets().files[loadAssets().hashed[name]]) }

// AssetHandler serves the files below [AssetPrefix].
func AssetHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, ok := loadAssets().files[strings.TrimPrefix(r.URL.Path, AssetPrefix)]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(r.URL.Path)))
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		_, _ = w.Write(raw)
	})
}
