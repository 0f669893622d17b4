package ingest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"airqa/env/ingest/mineru"
	"airqa/env/ingest/records"
	"airqa/env/paperdb"
)

// Parser names the version of what turns a PDF into rows. A paper read by another version is read again.
const Parser = "airqa-1"

// maxFile bounds a PDF: PDFium holds it in memory whole.
const maxFile = 200 << 20

// Source is a PDF in memory with the metadata beside it.
type Source struct {
	Path     string
	PDF      []byte
	Metadata Metadata
	// File has hashes, name and parser; its problems come with reading.
	File paperdb.File

	// What [Extras] found; problems are theirs.
	records  *records.Folder
	outputs  *mineru.Folder
	output   *mineru.Output
	problems []string
}

// Open loads a PDF and the metadata beside it, if there is any. It does not parse the PDF.
func Open(path string) (Source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Source{}, fmt.Errorf("read paper: %w", err)
	}
	if info.Size() > maxFile {
		return Source{}, fmt.Errorf("the file has %d MB, more than the limit of %d MB", info.Size()>>20, maxFile>>20)
	}
	s := Source{Path: path}
	if s.PDF, err = os.ReadFile(path); err != nil {
		return Source{}, fmt.Errorf("read paper: %w", err)
	}
	s.File = paperdb.File{SHA256: hash(s.PDF), Name: filepath.Base(path), Parser: Parser}
	record, err := os.ReadFile(metadataPath(path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, nil
	case err != nil:
		return Source{}, fmt.Errorf("read metadata: %w", err)
	}
	s.File.MetadataSHA256 = hash(record)
	s.Metadata, err = parseMetadata(metadataPath(path), record)
	return s, err
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
