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

// writesName has the tokens that the directory left on vector servers when it last wrote to them. A copy of the directory
// that writes to a server leaves another one, and this directory then sees that the collections are not as it left them.
const writesName = "writes.json"

const writesFormat = 1

type writes struct {
	Format int      `json:"format"`
	Tokens []string `json:"tokens"`
}

// Writes returns the tokens that the directory left on servers.
func (d *Dir) Writes() ([]string, error) {
	text, err := os.ReadFile(filepath.Join(d.path, writesName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var w writes
	if err == nil {
		err = ledger.Strict(text, &w)
	}
	if err == nil && w.Format != writesFormat {
		err = fmt.Errorf("format %d; this program reads %d", w.Format, writesFormat)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", writesName, err)
	}
	return w.Tokens, nil
}

// SetWrites replaces the tokens. The caller must hold the lock.
func (d *Dir) SetWrites(tokens []string) error {
	text, err := json.Marshal(writes{Format: writesFormat, Tokens: tokens})
	if err != nil {
		return err
	}
	return files.WriteFile(filepath.Join(d.path, writesName), append(text, '\n'))
}
