package index

import (
	"airqa/env/embed"
	"airqa/env/paperdb"
)

// The column of passages, which Retrieve searches.
const (
	PassageTable  = "chunks"
	PassageColumn = "text_content"
)

// IsPassage reports whether Retrieve searches a cell.
func IsPassage(c paperdb.Cell) bool { return c.Table == PassageTable && c.Column == PassageColumn }

// WindowsOf splits the text of a cell for embedding. Passages are split into windows. Other cells, such as pages and sections,
// repeat the text of the passages: the model reads only their beginning, since windows would more than double the cost of an
// ingest.
func WindowsOf(model embed.Embedder, c paperdb.Cell) []string {
	if IsPassage(c) {
		return model.Windows(c.Text)
	}
	return []string{c.Text}
}
