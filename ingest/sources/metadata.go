package sources

import (
	"encoding/json"
	"io"

	"airqa/env/paperdb"
	"airqa/internal/files"
)

// Metadata is the metadata record of a paper, in the format of the AirQA paper's Appendix A.2.
type Metadata struct {
	UUID           string   `json:"uuid"`
	Title          string   `json:"title"`
	ConferenceFull string   `json:"conference_full"`
	Conference     string   `json:"conference"`
	Year           int      `json:"year"`
	Volume         string   `json:"volume"`
	BibTeX         string   `json:"bibtex"`
	Authors        []string `json:"authors"`
	PDFURL         string   `json:"pdf_url"`
	// PDFPath is relative to the data directory. Nothing reads it.
	PDFPath  string   `json:"pdf_path"`
	NumPages int      `json:"num_pages"`
	Abstract string   `json:"abstract"`
	TLDR     string   `json:"tldr"`
	Tags     []string `json:"tags"`
}

// MetadataOf returns the record of a stored paper.
func MetadataOf(m paperdb.Metadata) Metadata {
	return Metadata{
		UUID: m.PaperID, Title: m.Title, ConferenceFull: m.ConferenceFull, Conference: m.Conference, Year: m.Year, Volume: m.Volume,
		BibTeX: m.BibTeX, Authors: append([]string{}, m.Authors...), PDFURL: m.DownloadURL, PDFPath: m.PDFPath, NumPages: m.NumPages,
		Abstract: m.Abstract, TLDR: m.TLDR, Tags: append([]string{}, m.Tags...),
	}
}

// WriteMetadata writes a [Metadata] or a [Preprint].
func WriteMetadata(path string, record any) error {
	return files.Write(path, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(record)
	})
}
