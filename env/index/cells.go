package index

import (
	"airqa/env/embed"
	"airqa/env/paperdb"
	"airqa/env/vectors"
)

// The column of passages, which Retrieve searches.
const (
	PassageTable  = "chunks"
	PassageColumn = "text_content"
)

// IsPassage reports whether Retrieve searches a cell.
func IsPassage(c paperdb.Cell) bool { return c.Table == PassageTable && c.Column == PassageColumn }

// OriginOf is the origin of the records of a cell.
func OriginOf(c paperdb.Cell) vectors.Origin {
	return vectors.Origin{PaperID: c.PaperID, Page: c.Page, Table: c.Table, Column: c.Column, Key: c.Key}
}

// WindowsOf splits the text of a cell for embedding. Passages are split into windows. Other cells, such as pages and sections,
// repeat the text of the passages: the model reads only their beginning, since windows would more than double the cost of an
// ingest.
func WindowsOf(model embed.Embedder, c paperdb.Cell) []string {
	if IsPassage(c) {
		return model.Windows(c.Text)
	}
	return []string{c.Text}
}
