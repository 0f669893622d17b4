package ingest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"airqa/env/ingest/sources/mineru"
	"airqa/env/ingest/sources/records"
	"airqa/env/paperdb"
)

// Parser names the version of what turns a PDF into rows. A paper read by another version is read again.
const Parser = parserFamily + "2"

// parserFamily is what all versions of [Parser] begin with; papers from released databases have another one.
const parserFamily = "airqa-"

// maxFile bounds a PDF: PDFium holds it in memory whole.
const maxFile = 200 << 20

// maxRecord bounds a metadata file.
const maxRecord = 16 << 20

// readRegular reads a file of at most limit bytes. A device or a pipe, which may never end, is refused.
func readRegular(path string, limit int64) (data []byte, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", filepath.Base(path))
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	data, err = io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, fmt.Errorf("%s has more than the limit of %d MB", filepath.Base(path), limit>>20)
	}
	return data, err
}

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
	// second: another file has the paper's title and venue.
	second bool
}

// Open loads a PDF and the metadata beside it, if there is any. It does not parse the PDF.
func Open(path string) (Source, error) {
	s := Source{Path: path}
	var err error
	if s.PDF, err = readRegular(path, maxFile); err != nil {
		return Source{}, fmt.Errorf("read paper: %w", err)
	}
	s.File = paperdb.File{SHA256: hash(s.PDF), Name: filepath.Base(path), Parser: Parser}
	record, err := readRegular(metadataPath(path), maxRecord)
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
