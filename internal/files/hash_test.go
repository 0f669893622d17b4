package files_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/internal/files"
)

func TestHash(t *testing.T) {
	const want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // FIPS 180-2, appendix B.1
	path := filepath.Join(t.TempDir(), "abc")
	if err := os.WriteFile(path, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	read, err := files.HashReader(strings.NewReader("abc"))
	file, err2 := files.HashFile(path)
	for _, got := range []string{files.Hash("abc"), files.Hash([]byte("abc")), read, file} {
		if got != want {
			t.Errorf("%s, want %s (%v, %v)", got, want, err, err2)
		}
	}
	if _, err := files.HashFile(path + "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}
