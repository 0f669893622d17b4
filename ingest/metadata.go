package ingest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"airqa/env/paperdb"
	"airqa/ingest/sources"
	"airqa/internal/files"
	"airqa/qa"
)

// parseMetadata reads a record in a file next to the PDF with extension ".json", or in a folder of records. Unknown keys are
// ignored. It adds the file name and the byte offset to errors.
func parseMetadata(name string, data []byte) (sources.Metadata, error) {
	var m sources.Metadata
	data = files.Text(data)
	if err := json.Unmarshal(data, &m); err != nil {
		line := func(at int64) int { return 1 + bytes.Count(data[:min(int(at), len(data))], []byte("\n")) }
		var syntax *json.SyntaxError
		var kind *json.UnmarshalTypeError
		switch {
		case errors.As(err, &syntax):
			return m, fmt.Errorf("metadata %s, byte %d: %w (line %d)", name, syntax.Offset, err, line(syntax.Offset))
		case errors.As(err, &kind):
			return m, fmt.Errorf("metadata %s, byte %d: %q must be a %s, not a %s (line %d)", name, kind.Offset, kind.Field, kind.Type, kind.Value,
				line(kind.Offset))
		}
		return m, fmt.Errorf("metadata %s: %w", name, err)
	}
	if m.UUID != "" && !qa.IsUUID(m.UUID) {
		return m, fmt.Errorf("metadata %s: uuid %q is not a uuid", name, m.UUID)
	}
	m.UUID = strings.ToLower(m.UUID)
	return m, nil
}

// metadataPath returns the path of a PDF's metadata.
func metadataPath(pdfPath string) string {
	return strings.TrimSuffix(pdfPath, filepath.Ext(pdfPath)) + ".json"
}

// override replaces the fields read from the PDF with those of the record, and sets the paper's id.
func override(row *paperdb.Metadata, m sources.Metadata) {
	row.Title = first(m.Title, row.Title)
	row.Abstract = first(m.Abstract, row.Abstract)
	row.ConferenceFull = first(m.ConferenceFull, row.ConferenceFull)
	row.Conference = first(m.Conference, row.Conference)
	row.Volume = first(m.Volume, row.Volume)
	row.BibTeX = first(m.BibTeX, row.BibTeX)
	row.DownloadURL = first(m.PDFURL, row.DownloadURL)
	row.TLDR = first(m.TLDR, row.TLDR)
	row.Year, row.NumPages = cmp.Or(m.Year, row.Year), cmp.Or(m.NumPages, row.NumPages)
	if len(m.Authors) > 0 {
		row.Authors = m.Authors
	}
	if len(m.Tags) > 0 {
		row.Tags = m.Tags
	}
	row.PaperID = first(m.UUID, qa.PaperUUID(row.Title, qa.VenueYear(row.Conference, row.Year)))
}

func first(a, b string) string {
	if strings.TrimSpace(a) != "" {
		return a
	}
	return b
}
