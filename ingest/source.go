package ingest

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"airqa/env/paperdb"
	"airqa/ingest/mineru"
	"airqa/ingest/sources"
	"airqa/internal/files"
)

// Parser is the version of the conversion from PDF to rows. A paper read by a different version is read again.
const Parser = parserFamily + "2"

// parserFamily is the prefix of all versions of [Parser]. Papers from released databases have a different one.
const parserFamily = "airqa-"

// Source is a PDF in memory with its metadata.
type Source struct {
	Path     string
	PDF      []byte
	Metadata sources.Metadata
	// File has hashes, name and parser; reading adds its problems.
	File paperdb.File

	// Extras and their problems.
	records  *sources.Records
	outputs  *mineru.Folder
	output   *mineru.Output
	problems []string
	// second means that another file has the paper's title and venue.
	second bool
}

// Open loads a PDF and its metadata file, if any. It does not parse the PDF.
func Open(path string) (Source, error) {
	const maxRecord = 16 << 20
	const maxFile = 200 << 20 // PDFium keeps the file in memory
	s := Source{Path: path}
	var err error
	if s.PDF, err = files.ReadRegular(nil, path, maxFile); err != nil {
		return Source{}, fmt.Errorf("read paper: %w", err)
	}
	s.File = paperdb.File{SHA256: files.Hash(s.PDF), Name: filepath.Base(path), Parser: Parser}
	record, err := files.ReadRegular(nil, metadataPath(path), maxRecord)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, nil
	case err != nil:
		return Source{}, fmt.Errorf("read metadata: %w", err)
	}
	s.File.MetadataSHA256 = files.Hash(record)
	s.Metadata, err = parseMetadata(metadataPath(path), record)
	return s, err
}
