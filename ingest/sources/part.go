package sources

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"

	"airqa/env/datadir"
	"airqa/internal/files"
)

// part is a partial download. A file next to it records the URL and the version, so that the download can resume after
// a crash.
type part struct {
	path    string
	file    *os.File
	size    int64
	version version
	wrote   func(n int)
}

type version struct {
	Format int    `json:"format"`
	URL    string `json:"url"`
	// Validator is the ETag or the date of the version. It is empty if the server sends neither; the download cannot
	// resume then.
	Validator string `json:"validator"`
}

// openPart reopens the partial download at path if it has the same URL and can resume.
func openPart(path, url string) (*part, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open download: %w", err)
	}
	p := &part{path: path, file: f, version: version{Format: registryFormat, URL: url}, wrote: func(int) {}}
	var old version
	raw, err := os.ReadFile(p.versionPath())
	if err == nil && json.Unmarshal(raw, &old) == nil && old.Format == registryFormat && old.URL == url && old.Validator != "" {
		p.version = old
		p.size, err = f.Seek(0, io.SeekEnd)
	} else {
		err = p.reset("")
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return p, nil
}

func (p *part) versionPath() string { return p.path + ".json" }

func (p *part) resumable() bool { return p.size > 0 && p.version.Validator != "" }

// reset starts over with another version.
func (p *part) reset(validator string) error {
	p.size, p.version.Validator = 0, validator
	err := p.file.Truncate(0)
	if err == nil {
		_, err = p.file.Seek(0, io.SeekStart)
	}
	if err == nil {
		err = datadir.WriteRecord(p.versionPath(), p.version)
	}
	if err != nil {
		return fmt.Errorf("start download: %w", err)
	}
	return nil
}

func (p *part) Write(data []byte) (int, error) {
	n, err := p.file.Write(data)
	p.size += int64(n)
	p.wrote(n)
	return n, err
}

// sum hashes the whole file. The next Write appends.
func (p *part) sum() (string, error) {
	if _, err := p.file.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	return files.HashReader(p.file)
}

func (p *part) finish(target string) error {
	err := errors.Join(p.file.Sync(), p.file.Close())
	if err == nil {
		err = os.Rename(p.path, target)
	}
	if err == nil {
		err = os.Remove(p.versionPath())
	}
	if err != nil {
		return fmt.Errorf("save download: %w", err)
	}
	return nil
}

// leave closes the file. It keeps a file that can resume and removes any other.
func (p *part) leave() error {
	err := p.file.Close()
	switch {
	case errors.Is(err, fs.ErrClosed):
		return nil // finished
	case p.resumable():
		return err
	}
	return errors.Join(err, os.Remove(p.path), os.Remove(p.versionPath()))
}

// validator returns a version for If-Range: a strong ETag, or the modification date.
func validator(h http.Header) string {
	if tag := h.Get("ETag"); strings.HasPrefix(tag, `"`) {
		return tag
	}
	return h.Get("Last-Modified")
}
