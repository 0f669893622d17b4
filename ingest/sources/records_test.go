package sources_test

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/ingest/sources"
	"airqa/qa"
)

func openRecords(t *testing.T, dir string) *sources.Records {
	t.Helper()
	f, err := sources.OpenRecords(dir)
	check(t, err)
	return f
}

func TestByID(t *testing.T) {
	id := qa.PaperUUID("x", "")
	f := openRecords(t, folder(t, map[string]string{"acl/2031/" + strings.ToUpper(id) + ".json": "{}", "other.json": "{}", "notes.txt": ""}))
	if path, ok := f.ByID(id); !ok || !strings.Contains(path, "2031") {
		t.Errorf("got %q, %v", path, ok)
	}
	if _, ok := f.ByID("other"); ok {
		t.Error("other.json is named for no uuid")
	}
	if f.Len() != 2 {
		t.Errorf("%d files", f.Len())
	}
}

func TestByTitle(t *testing.T) {
	f := openRecords(t, folder(t, map[string]string{
		"a.json":      `{"title": "Thistledown: A Study of Seeds in the Wind"}`,
		"b.json":      `{"title": "Thistledown: A Study of Seeds in the Mind"}`,
		"c.json":      `{"title": "On Bridges"}`,
		"d.json":      `{"title": "On  BRIDGES."}`,
		"sub/e.json":  `{"title": "Ein Maß für Überdeckung"}`,
		"broken.json": `{"title": "Thistle`,
		"none.json":   `[1, 2]`,
	}))
	tests := []struct{ name, title, want, problem string }{
		{"as it is", "Thistledown: A Study of Seeds in the Wind", "a.json", ""},
		{"other case, breaks, quotes", "THISTLEDOWN \u2013 a study of seeds\nin the wind\u201d", "a.json", ""},
		{"alike", "Thistledown: A Study of Seeds in the Kind of Wind", "a.json", ""},
		{"as alike as another", "Thistledown: A Study of Seeds in the ind", "", "2 records have this title, including a.json and b.json"},
		{"twice", "On Bridges", "", "2 records have this title, including c.json and d.json"},
		{"umlauts", "Ein Maß für Überdeckung", "e.json", ""},
		{"too far", "Thistledown in Spring", "", ""},
		{"nothing", " ", "", ""},
		{"no letters", "--", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path, problem, err := f.ByTitle(tt.title)
			check(t, err)
			if path != "" {
				path = filepath.Base(path)
			}
			if path != tt.want || !strings.Contains(problem, tt.problem) || (problem == "") != (tt.problem == "") {
				t.Errorf("got %q, %q; want %q, %q", path, problem, tt.want, tt.problem)
			}
		})
	}
}

func TestRecordsHash(t *testing.T) {
	hash := func(files map[string]string) string {
		h, err := openRecords(t, folder(t, files)).Hash()
		check(t, err)
		return h
	}
	one := hash(map[string]string{"a.json": "1", "b.json": "2"})
	if one != hash(map[string]string{"b.json": "2", "a.json": "1"}) {
		t.Error("the hash depends on where the folder lies")
	}
	if one == hash(map[string]string{"a.json": "1", "b.json": "3"}) || one == hash(map[string]string{"a.json": "1", "c.json": "2"}) {
		t.Error("the hash does not depend on names and contents")
	}
}

func TestRecordsErrors(t *testing.T) {
	if _, err := sources.OpenRecords(filepath.Join(t.TempDir(), "nowhere")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.json"), "{}")
	f := openRecords(t, dir)
	check(t, os.Remove(filepath.Join(dir, "a.json")))
	if _, _, err := f.ByTitle("x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// TestReleasedRecords finds every record of ACL 2023 by its title.
func TestReleasedRecords(t *testing.T) {
	const archive = "../../../shared/data/airqa/metadata-acl2023.zip"
	z, err := zip.OpenReader(archive)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the released metadata is not here")
	}
	check(t, err)
	defer func() { check(t, z.Close()) }()
	dir := t.TempDir()
	titles := map[string]string{}
	for _, file := range z.File {
		data := unpack(t, file)
		var record struct{ Title string }
		check(t, json.Unmarshal(data, &record))
		titles[filepath.Base(file.Name)] = record.Title
		write(t, filepath.Join(dir, filepath.Base(file.Name)), string(data))
	}
	f := openRecords(t, dir)
	found, n := 0, 0
	for name, title := range titles {
		// Every tenth title also with a typo, which takes the slow path.
		if n++; n%10 == 0 {
			title = strings.Replace(title, "e", "ee", 1)
		}
		path, problem, err := f.ByTitle(title)
		check(t, err)
		if filepath.Base(path) == name {
			found++
		} else if problem == "" {
			t.Errorf("%q: got %s, want %s", title, path, name)
		}
	}
	t.Logf("%d of %d found", found, len(titles))
	if len(titles) < 3000 || found < len(titles)-10 {
		t.Errorf("%d of %d found", found, len(titles))
	}
}

func unpack(t *testing.T, file *zip.File) []byte {
	t.Helper()
	r, err := file.Open()
	check(t, err)
	data, err := io.ReadAll(r)
	check(t, err)
	check(t, r.Close())
	return data
}
