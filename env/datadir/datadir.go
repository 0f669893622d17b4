// Package datadir defines the layout of a data directory, which stores everything that the tools act on:
//
//	airqa.json                   format number, fingerprint of the content, current generation ([Info])
//	generations/<n>/             papers.duckdb with the eight tables, airqa.json, locks of readers and needs of runs
//	vectors/<collection>/        vector collections of all generations
//	pdfs/<uuid>.pdf              the papers themselves
//	downloads/                   papers that were fetched ([Dir.Downloads])
//	removing.json                papers whose files are to be removed
//	.lock                        locked while a process writes
//
// Start from [Create] (ingest) and [Open] (everything else); [Dir.Hold] keeps a generation while it is read. The package
// handles paths and airqa.json only: it opens no database and reads no PDF.
package datadir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/uuid"

	"airqa/internal/files"
	"airqa/qa"
)

// Format is the layout version that this program reads and writes.
const Format = 1

// InfoName is the file that marks a folder as a data directory.
const InfoName = "airqa.json"

const (
	dbName      = "papers.duckdb"
	vectorsName = "vectors"
	pdfsName    = "pdfs"
	lockName    = ".lock"

	downloadsName = "downloads"
)

// ErrNotDataDir is returned by [Open] for a directory without airqa.json.
var ErrNotDataDir = errors.New("not a data directory")

// ErrUnfinished is returned by [Dir.Hold] for a directory without papers, because its first ingest was interrupted.
var ErrUnfinished = errors.New("the first ingest has not finished")

// Dir is one generation of a data directory with a valid airqa.json. Its methods but Hold and Release are safe for
// concurrent use.
type Dir struct {
	path       string
	generation int
	hold       io.Closer // nil when not held
}

// Create opens the data directory at path for writing. If path is missing or empty, it creates the directory first.
// Errors are one line with a hint: unsupported format, a folder with other content, no write permission.
func Create(path string) (*Dir, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("create data directory: %w", err)
	}
	d := &Dir{path: path}
	info, err := d.Info()
	d.generation = info.Generation
	if errors.Is(err, ErrNotDataDir) {
		err = d.initialize()
	}
	if err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(d.path, ".try-*") // detects missing permissions before a long ingest
	if err != nil {
		return nil, fmt.Errorf("open data directory for writing: %w; change its permissions or choose another folder", err)
	}
	return d, errors.Join(f.Close(), os.Remove(f.Name()))
}

// Open opens the data directory at path for reading. Errors are one line with a hint: not a data directory
// ([ErrNotDataDir]), unsupported format.
func Open(path string) (*Dir, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open data directory: %w", err)
	}
	d := &Dir{path: path}
	info, err := d.Info()
	if err != nil {
		return nil, err
	}
	d.generation = info.Generation
	return d, nil
}

// Path returns the absolute path of the directory.
func (d *Dir) Path() string { return d.path }

// Database returns the path of papers.duckdb of the generation.
func (d *Dir) Database() string { return filepath.Join(d.folder(), dbName) }

// Vectors returns the path of the folder with one subfolder per collection.
func (d *Dir) Vectors() string { return filepath.Join(d.path, vectorsName) }

// PDFPath returns the path of a paper's PDF, whether or not the file exists. An id that is not a UUID is an error, so
// untrusted text never becomes a path.
func (d *Dir) PDFPath(paperID string) (string, error) {
	rel, err := PDFName(paperID)
	if err != nil {
		return "", err
	}
	return filepath.Join(d.path, filepath.FromSlash(rel)), nil
}

// PDFName returns the path of a paper's PDF relative to the data directory, with forward slashes. The case of the id
// does not matter.
func PDFName(paperID string) (string, error) {
	if !qa.IsUUID(paperID) {
		return "", fmt.Errorf("path of PDF: %q is not a uuid", paperID)
	}
	return pdfsName + "/" + strings.ToLower(paperID) + ".pdf", nil
}

// initialize initialises an empty data directory. It refuses a folder with other content.
func (d *Dir) initialize() error {
	names, err := os.ReadDir(d.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("create data directory: %w", err)
	}
	names = slices.DeleteFunc(names, func(e fs.DirEntry) bool { // of a command that was killed here
		ours := e.IsDir() && (e.Name() == vectorsName || e.Name() == pdfsName)
		return files.IsLeftover(e.Name()) || ours && os.Remove(filepath.Join(d.path, e.Name())) == nil // fails unless it is empty
	})
	if len(names) > 0 {
		return fmt.Errorf("create data directory %s: the folder contains other files; choose a new or empty folder", d.path)
	}
	for _, dir := range []string{d.path, d.Vectors(), filepath.Join(d.path, pdfsName)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("create data directory: %w; choose a writable folder", err)
		}
	}
	return d.WriteInfo(Info{ID: uuid.NewString()})
}
