package export

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"airqa/internal/files"
	"airqa/internal/ledger"
	"airqa/qa"
	"airqa/runlog"
)

// LockFile is the name of the lock file in an export.
const LockFile = "export.lock.json"

// Lock is the lock file: everything that an export depends on, and its files.
type Lock struct {
	Format  int    `json:"format"`
	Program string `json:"program"`
	Inputs  inputs `json:"inputs"`
	// Counts are the rows by split, and the turns left out by reason.
	Counts counts `json:"counts"`
	// Files are the files of the export but the lock itself, sorted by name.
	Files []FileEntry `json:"files"`
}

// inputs decide the bytes of an export.
type inputs struct {
	ExportFormat Format          `json:"export_format"`
	Rules        json.RawMessage `json:"flags"`
	AsInPaper    *qa.AsInPaper   `json:"as_in_paper,omitempty"`
	Runs         []runInput      `json:"runs"`
	Files        []fileInput     `json:"files"`
}

// runInput identifies the parts of a run that an export reads.
type runInput struct {
	Name      string `json:"name"`
	ID        string `json:"id"`
	Log       string `json:"log_sha256"`
	Questions string `json:"questions_sha256"`
	Scoring   string `json:"scoring"`
	Judge     string `json:"judge"`
	Scores    string `json:"scores_sha256"`
}

// fileInput is a file that a rule names.
type fileInput struct {
	Flag   string `json:"flag"`
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

type counts struct {
	Rows    map[Split]int  `json:"rows"`
	Dropped map[string]int `json:"dropped"`
}

// FileEntry is a file of an export.
type FileEntry struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// hashOf hashes a value as JSON.
func hashOf(v any) (string, error) {
	raw, err := ledger.Encode(v)
	return runlog.Hash(string(raw)), err
}

func hashFile(name string) (sum string, size int64, err error) {
	file, err := os.Open(name)
	if err != nil {
		return "", 0, err
	}
	defer func() { _ = file.Close() }()
	h := sha256.New()
	if size, err = io.Copy(h, file); err != nil {
		return "", 0, err
	}
	return hex.EncodeToString(h.Sum(nil)), size, nil
}

// Existing reports whether a folder already holds the export of a program with these inputs. Another export is a
// [*files.OccupiedError] unless force allows to replace it, and any other content is always an error.
func Existing(dir, program string, inputs any, force bool) (bool, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	raw, err := os.ReadFile(filepath.Join(dir, LockFile))
	if errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("%s exists and is not an export; choose another folder", dir)
	}
	if err == nil {
		err = differs(raw, dir, program, inputs)
	}
	if err != nil && !force {
		return false, &files.OccupiedError{Err: err}
	}
	return err == nil, nil
}

// differs returns an error if a folder with a lock file holds another export, or files that were changed.
func differs(lock []byte, dir, program string, inputs any) error {
	var old struct {
		Program string          `json:"program"`
		Inputs  json.RawMessage `json:"inputs"`
		Files   []FileEntry     `json:"files"`
	}
	var then bytes.Buffer
	if err := json.Unmarshal(lock, &old); err != nil {
		return fmt.Errorf("read %s: %w", filepath.Join(dir, LockFile), err)
	}
	now, err := encode(inputs)
	if err == nil && len(old.Inputs) > 0 {
		err = json.Compact(&then, old.Inputs)
	}
	if err != nil {
		return err
	}
	if old.Program != program || !bytes.Equal(now, then.Bytes()) {
		return fmt.Errorf("%s contains an export of other runs or flags", dir)
	}
	for _, f := range old.Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if sum, size, err := hashFile(name); err != nil || sum != f.SHA256 || size != f.Bytes {
			return fmt.Errorf("%s was changed after it was written", name)
		}
	}
	return nil
}

// WriteLock writes the lock file of an export, indented. It is the last file.
func (f *Folder) WriteLock(lock any) error {
	raw, err := indented(lock)
	if err != nil {
		return err
	}
	return f.WriteFile(LockFile, raw)
}
