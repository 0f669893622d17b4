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

// importsName lists the databases of which every paper was imported.
const importsName = "imports.json"

type imports struct {
	Format int `json:"format"`
	// Complete has the version of each database by the name of its file.
	Complete map[string]string `json:"complete"`
}

// Imported returns the version of a database that was imported completely; empty if there is none.
func (d *Dir) Imported(name string) (string, error) {
	all, err := d.imports()
	return all.Complete[name], err
}

// SetImported records a complete import.
func (d *Dir) SetImported(name, version string) error {
	all, err := d.imports()
	if err != nil {
		return err
	}
	all.Complete[name] = version
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return files.WriteFile(filepath.Join(d.path, importsName), append(text, '\n'))
}

func (d *Dir) imports() (imports, error) {
	all := imports{Format: 1, Complete: make(map[string]string)}
	text, err := os.ReadFile(filepath.Join(d.path, importsName))
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err == nil {
		err = ledger.Strict(text, &all)
	}
	if err != nil || all.Complete == nil {
		return imports{Format: 1, Complete: make(map[string]string)}, err
	}
	return all, nil
}

// HashOf returns the SHA-256 of a file in lower-case hex.
func HashOf(path string) (string, error) {
	sum, err := ledger.HashFile(path)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", filepath.Base(path), err)
	}
	return sum, nil
}
