// Package datadir knows the layout of a data directory, where airqa keeps everything its tools act on:
//
//	airqa.json             format number, fingerprint of the content ([Info])
//	papers.duckdb          the eight tables
//	vectors/<collection>/  vector collections
//	pdfs/<uuid>.pdf        the papers themselves
//	.lock                  held while somebody writes
//
// Start from [Create] (ingest) and [Open] (everything else). The package knows paths and airqa.json only: it
// opens no database and reads no PDF.
package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

	"airqa/qa"
)

// Format is the number of the layout that this program reads and writes.
const Format = 1

// InfoName is the file that makes a folder a data directory.
const InfoName = "airqa.json"

const (
	dbName      = "papers.duckdb"
	vectorsName = "vectors"
	pdfsName    = "pdfs"
	lockName    = ".lock"
)

// ErrNotDataDir is wrapped by the error of [Open] for a directory without airqa.json.
var ErrNotDataDir = errors.New("not a data directory")

// Dir is a data directory whose airqa.json was read and fits. It holds no file open; its methods may be called
// from several goroutines.
type Dir struct {
	path string
}

// Create opens the data directory at path for writing, and makes it first when path is missing or empty. The
// errors are one line with a hint: another format, a directory of something else, a directory that cannot
// be written.
func Create(path string) (*Dir, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("create data directory: %w", err)
	}
	d := &Dir{path: path}
	_, err = d.Info()
	if errors.Is(err, ErrNotDataDir) {
		err = d.found()
	}
	if err != nil {
		return nil, err
	}
	if err := d.writable(); err != nil {
		return nil, err
	}
	return d, nil
}

// Open opens the data directory at path for reading. The errors are one line with a hint: no data directory
// ([ErrNotDataDir]), another format.
func Open(path string) (*Dir, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open data directory: %w", err)
	}
	d := &Dir{path: path}
	if _, err := d.Info(); err != nil {
		return nil, err
	}
	return d, nil
}

// Path is the absolute path of the directory.
func (d *Dir) Path() string { return d.path }

// Database is the path of papers.duckdb.
func (d *Dir) Database() string { return filepath.Join(d.path, dbName) }

// Vectors is the path of the folder that holds one folder a collection.
func (d *Dir) Vectors() string { return filepath.Join(d.path, vectorsName) }

// PDFPath is the path of a paper's PDF, whether it is there or not. An id that is no uuid is an error: no path
// is ever made from a stranger's text.
func (d *Dir) PDFPath(paperID string) (string, error) {
	rel, err := PDFName(paperID)
	if err != nil {
		return "", err
	}
	return filepath.Join(d.path, filepath.FromSlash(rel)), nil
}

// PDFName is the path of a paper's PDF relative to the data directory, with forward slashes; the id may be in
// upper or lower case.
func PDFName(paperID string) (string, error) {
	if !qa.IsUUID(paperID) {
		return "", fmt.Errorf("path of PDF: %q is no uuid", paperID)
	}
	return pdfsName + "/" + strings.ToLower(paperID) + ".pdf", nil
}

// found makes an empty data directory. A folder with other things in it is left alone.
func (d *Dir) found() error {
	names, err := os.ReadDir(d.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("create data directory: %w", err)
	}
	if len(names) > 0 {
		return fmt.Errorf("create data directory %s: the folder holds other files; name a new or empty folder", d.path)
	}
	for _, dir := range []string{d.path, d.Vectors(), filepath.Join(d.path, pdfsName)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("create data directory: %w; name a folder that you may write to", err)
		}
	}
	return d.WriteInfo(Info{ID: uuid.NewString()})
}

// writable tries to make a file, so that a long ingest does not fail at its end.
func (d *Dir) writable() error {
	f, err := os.CreateTemp(d.path, ".try-*")
	if err != nil {
		return fmt.Errorf("open data directory for writing: %w; change its permissions or name another folder", err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
