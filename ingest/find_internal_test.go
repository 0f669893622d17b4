package ingest

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// shut is a file system with an unreadable folder.
type shut struct {
	fstest.MapFS
	folder string
}

func (s shut) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == s.folder {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return s.MapFS.ReadDir(name)
}

func TestShutFoldersArePassedOver(t *testing.T) {
	papers := fstest.MapFS{"a.pdf": {}, "m/shut/b.pdf": {}, "m/shut/deep/c.pdf": {}, "m/open/d.pdf": {}, "z.PDF": {}}
	files, closed, err := walk(shut{papers, "m/shut"}, "papers")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"papers/a.pdf", "papers/m/open/d.pdf", "papers/z.PDF"}, files); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if len(closed) != 1 || closed[0].Path != "papers/m/shut" || closed[0].Err == nil {
		t.Errorf("closed: %v", closed)
	}
	if _, _, err := walk(shut{papers, "."}, "papers"); err == nil {
		t.Error("no error of the folder itself")
	}
}
