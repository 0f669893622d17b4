package datadir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"airqa/internal/files"
	"airqa/internal/ledger"
)

const recordFormat = 1

// ReadRecord reads a small file of a data directory into a struct: JSON with the format number 1. Unknown fields are an error.
// A missing file leaves the struct as it is, and is none.
func ReadRecord(path string, record any) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var version struct {
		Format int `json:"format"`
	}
	if err == nil {
		err = json.Unmarshal(text, &version)
	}
	if err == nil {
		err = ledger.CheckFormat(version.Format, recordFormat, again)
	}
	if err == nil {
		err = ledger.Strict(text, record)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

// WriteRecord replaces a file that [ReadRecord] reads.
func WriteRecord(path string, record any) error {
	text, err := json.Marshal(record)
	if err != nil {
		return err
	}
	return files.WriteFile(path, append(text, '\n'))
}

// importsName lists the databases of which every paper was imported.
const importsName = "imports.json"

type imports struct {
	Format int `json:"format"`
	// Complete has the version of each database by the name of its file.
	Complete map[string]string `json:"complete"`
}

// Imported returns the version of a database that was imported completely; empty if there is none.
func (d *Dir) Imported(name string) (string, error) {
	var all imports
	err := ReadRecord(filepath.Join(d.path, importsName), &all)
	return all.Complete[name], err
}

// SetImported records a complete import.
func (d *Dir) SetImported(name, version string) error {
	path := filepath.Join(d.path, importsName)
	all := imports{Format: recordFormat}
	if err := ReadRecord(path, &all); err != nil {
		return err
	}
	if all.Complete == nil {
		all.Complete = make(map[string]string)
	}
	all.Complete[name] = version
	return WriteRecord(path, all)
}

// TakeImports adds the databases that another directory has imported completely. Of one with several versions, its own counts.
func (d *Dir) TakeImports(other *Dir) error {
	theirs := imports{Format: recordFormat}
	if err := ReadRecord(filepath.Join(other.path, importsName), &theirs); err != nil {
		return err
	}
	for name, version := range theirs.Complete {
		have, err := d.Imported(name)
		if err == nil && have == "" {
			err = d.SetImported(name, version)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
