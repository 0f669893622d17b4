package sources_test

import (
	"archive/zip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/ingest/sources"
	"airqa/qa"
)

const a, b, c = "2c5da742-68a4-5943-9044-b273ed4f6131", "b5b14f78-ae1f-5cfb-8fb7-20a1ba0dfc5a", "fc002c48-b8ee-5ef2-8e9c-b97d9588ba63"

var metadata = map[string]string{
	"x/" + strings.ToUpper(a) + ".JSON": `{"title": " First ", "conference": "ACL", "year": 2023, "pdf_url": "https://example.org/a.pdf"}`,
	"x/other.json":                      `{"uuid": "` + strings.ToUpper(b) + `", "title": "Second", "conference": "ACL", "year": 2023, "extra": 1}`,
	"y/" + b + ".json":                  `{"title": "twice"}`,
	"y/" + c + ".json":                  `{"title": "Third"}`,
	"notes.txt":                         `{`, ".hidden.json": `{`,
	"list.json": `[1]`, "cut.json": `{"title"`, "z.json": `{"title": "no id"}`,
}

// folder makes a folder with files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	check(t, os.MkdirAll(filepath.Dir(path), 0o755))
	check(t, os.WriteFile(path, []byte(text), 0o600))
}

func archive(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "metadata.zip")
	f, err := os.Create(path)
	check(t, err)
	w := zip.NewWriter(f)
	check(t, w.AddFS(os.DirFS(folder(t, metadata))))
	check(t, w.Close())
	check(t, f.Close())
	return path
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestCatalog(t *testing.T) {
	for name, path := range map[string]string{"folder": folder(t, metadata), "zip": archive(t)} {
		t.Run(name, func(t *testing.T) {
			all, err := sources.OpenCatalog([]string{path})
			check(t, err)
			defer func() { check(t, all.Close()) }()
			if len(all.Faults) != 3 {
				t.Errorf("faults %q", all.Faults)
			}
			venue := all.Venue("acl2023")
			if len(venue) != 2 || venue[0].ID != a || venue[1].Title != "Second" || all.Venue("acl2024") != nil {
				t.Errorf("venue %+v", venue)
			}
			first, ok := all.ByID(strings.ToUpper(a))
			if !ok || first.Title != "First" || first.URL != "https://example.org/a.pdf" || first.Venue != "acl2023" {
				t.Errorf("%+v, %v", first, ok)
			}
			if _, ok := all.ByID("none"); ok {
				t.Error("a paper without an id")
			}
			if third, _ := all.ByID(c); third.Venue != qa.Uncategorized || third.URL != "" {
				t.Errorf("%+v", third)
			}
			for _, id := range []string{a, b, c} {
				e, _ := all.ByID(id)
				raw, err := e.Read()
				check(t, err)
				var m struct{ UUID, Title string }
				check(t, json.Unmarshal(raw, &m))
				if !strings.EqualFold(m.UUID, id) || strings.TrimSpace(m.Title) != e.Title {
					t.Errorf("%s: read %+v", id, m)
				}
			}
		})
	}
}

func TestCatalogErrors(t *testing.T) {
	text := filepath.Join(t.TempDir(), "q.jsonl")
	write(t, text, "{}")
	for path, want := range map[string]string{text: "name a folder of JSON files, or a zip archive", text + "x": "no such file"} {
		if _, err := sources.OpenCatalog([]string{folder(t, metadata), path}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", path, err)
		}
	}
}
