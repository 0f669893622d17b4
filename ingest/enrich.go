package ingest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"airqa/env/paperdb"
	"airqa/ingest/floats"
	"airqa/ingest/layout"
	"airqa/ingest/mineru"
	"airqa/ingest/sources"
	"airqa/ingest/structure"
	"airqa/internal/files"
	"airqa/qa"
)

// Extras are folders with additional data about papers. The zero value has none.
type Extras struct {
	// Records are metadata files for PDFs without one of their own. UUID.pdf uses UUID.json, other PDFs the record with
	// their title.
	Records *sources.Records
	// MinerU are outputs of MinerU, whose tables, figures and equations replace those found here.
	MinerU *mineru.Folder
}

// Open is like the function [Open]. It also records the extras of the PDF, so that different extras make a different
// source.
func (e Extras) Open(path string) (Source, error) {
	s, err := Open(path)
	if err != nil {
		return Source{}, err
	}
	if err := e.addRecord(&s); err != nil {
		return Source{}, err
	}
	if e.MinerU == nil {
		return s, nil
	}
	// If the UUID is known only after reading the PDF, the output is found then, and --again is needed to notice its later
	// changes.
	s.outputs = e.MinerU
	s.File.Parser += "+mineru"
	if output, ok := e.MinerU.Find(stem(s.Path), s.Metadata.UUID); ok {
		s.output = &output
		s.File.Parser += "-" + output.Hash()[:12]
	}
	return s, nil
}

func (e Extras) addRecord(s *Source) (err error) {
	if e.Records == nil || s.File.MetadataSHA256 != "" {
		return nil
	}
	if path, ok := e.Records.ByID(stem(s.Path)); ok {
		return s.useRecord(path)
	}
	// The title is unknown until the PDF is read. Until then, the hash of the whole folder represents the record: if
	// any file changes, the paper is read again.
	s.records = e.Records
	s.File.MetadataSHA256, err = e.Records.Hash()
	return err
}

// useRecord reads a metadata file and its hash. The name of the file provides a missing UUID.
func (s *Source) useRecord(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read metadata: %w", err)
	}
	s.File.MetadataSHA256 = files.Hash(data)
	s.Metadata, err = parseMetadata(filepath.Base(path), data)
	if id := stem(path); s.Metadata.UUID == "" && qa.IsUUID(id) {
		s.Metadata.UUID = strings.ToLower(id)
	}
	return err
}

// lookUp finds the metadata of a paper by its title. A broken record is a problem.
func (s *Source) lookUp(title string) error {
	if s.records == nil {
		return nil
	}
	path, problem, err := s.records.ByTitle(title)
	if err != nil {
		return err
	}
	switch {
	case problem != "":
		s.problems = append(s.problems, problem)
	case path == "":
		s.problems = append(s.problems, "metadata: no record with this title")
	default:
		folder := s.File.MetadataSHA256
		if err := s.useRecord(path); err != nil {
			s.Metadata = sources.Metadata{}
			s.problems = append(s.problems, err.Error())
		}
		s.File.MetadataSHA256 = folder
	}
	return nil
}

// enrich replaces figures, tables and equations with those of MinerU. Sections keep their text.
func (s *Source) enrich(pages []layout.Page, found *floats.Floats, parts *structure.Paper) {
	if s.outputs == nil {
		return
	}
	if s.output == nil {
		row := paperdb.Metadata{Title: first(parts.Title, stem(s.Path))}
		s.apply(&row)
		output, ok := s.outputs.Find(row.PaperID)
		if !ok {
			s.problems = append(s.problems, "MinerU: no output for this paper")
			return
		}
		s.output = &output
	}
	their := s.output.Parse()
	m := merger{pages: pages, their: their, problems: their.Problems}
	if their.Floats {
		found.Figures = m.floats(their.Figures, "figure", nil)
		found.Tables = m.floats(their.Tables, "table", found.Tables)
	}
	if their.Formulas {
		parts.Equations = nil
		for _, e := range their.Equations {
			if m.has(e.Page, "equation") {
				parts.Equations = append(parts.Equations, structure.Equation{Page: e.Page, Text: e.LaTeX})
			}
		}
	}
	s.problems = append(s.problems, m.problems...)
}

// apply adds the record and the id to a paper's row. A second file with the same title gets its own id, and its name is
// added to the title.
func (s *Source) apply(row *paperdb.Metadata) {
	override(row, s.Metadata)
	if s.second {
		row.PaperID = qa.CopyUUID(row.PaperID, s.File.SHA256)
		row.Title += " (" + s.File.Name + ")"
	}
}
