package export

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"airqa/internal/ledger"
	"airqa/qa"
	"airqa/runlog"
)

// LockFile is the name of the lock file in an export.
const LockFile = "export.lock.json"

// lockFormat is the format number of lock files.
const lockFormat = 1

// Lock is the lock file: everything that an export depends on, and its files.
type Lock struct {
	Format  int    `json:"format"`
	Program string `json:"program"`
	Inputs  inputs `json:"inputs"`
	// Counts are the rows by split, and the turns left out by reason.
	Counts counts `json:"counts"`
	// Files are the files of the export but the lock itself, sorted by name.
	Files []fileEntry `json:"files"`
}

// inputs decide the bytes of an export.
type inputs struct {
	ExportFormat Format          `json:"export_format"`
	Rules        json.RawMessage `json:"flags"`
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

type fileEntry struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// inputOf hashes what an export reads of a run.
func inputOf(s *source, scoring runlog.Scoring, scores []qa.Score) (in runInput, err error) {
	in = runInput{Name: s.name, ID: s.ID, Scoring: scoring.Mode, Judge: scoring.Judge}
	if in.Log, err = s.LogHash(); err != nil {
		return in, err
	}
	for _, v := range []struct {
		into *string
		of   any
	}{{&in.Questions, s.questions}, {&in.Scores, scores}} {
		raw, err := ledger.Encode(v.of)
		if err != nil {
			return in, err
		}
		*v.into = runlog.Hash(string(raw))
	}
	return in, nil
}

// fileInputs hashes the files that the rules name.
func (r Rules) fileInputs() ([]fileInput, error) {
	list := []fileInput{}
	named := [][2]string{{"ids", r.IDs}, {"leaks", r.Leaks}, {"tokenizer", r.Tokenizer}}
	for _, dir := range r.Against {
		named = append(named, [2]string{"against", filepath.Join(dir, QuestionsFile)})
	}
	for _, f := range named {
		if f[1] == "" {
			continue
		}
		sum, _, err := hashFile(f[1])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f[0], err)
		}
		list = append(list, fileInput{f[0], filepath.Base(f[1]), sum})
	}
	return list, nil
}

func hashFile(name string) (sum string, size int64, err error) {
	file, err := os.Open(name)
	if err != nil {
		return "", 0, err
	}
	defer func() { _ = file.Close() }()
	h := newDigest()
	if size, err = h.copy(file); err != nil {
		return "", 0, err
	}
	return hex.EncodeToString(h.Sum(nil)), size, nil
}

// readLock reads the lock file of a folder; nil if there is none.
func readLock(dir string) (*Lock, error) {
	raw, err := os.ReadFile(filepath.Join(dir, LockFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var l Lock
	return &l, ledger.Strict(raw, &l)
}

// damaged returns the name of a file of an export that is missing or was changed; "" if there is none.
func (l *Lock) damaged(dir string) string {
	for _, f := range l.Files {
		sum, size, err := hashFile(filepath.Join(dir, filepath.FromSlash(f.Name)))
		if err != nil || sum != f.SHA256 || size != f.Bytes {
			return f.Name
		}
	}
	return ""
}
