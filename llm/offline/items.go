package offline

import (
	"encoding/json"
	"fmt"
	"strings"
)

// item is one thing that was seen: a passage, a table, a caption, an equation, a section, a paper, or a ready answer.
type item struct {
	kind  kind
	text  string
	label string // caption or title
	paper string
	page  int
	box   []float64
	value any
}

// kind is what an item is.
type kind int

const (
	isPassage kind = iota
	isTable
	isFigure
	isEquation
	isSection
	isPaper
	isReady
)

// columns tells the kind of a row by a column it has: the first that is there decides.
var columns = []struct {
	kind        kind
	text, label string
}{
	{isReady, "answer", ""},
	{isTable, "table_content", "table_caption"},
	{isFigure, "image_caption", "image_caption"},
	{isEquation, "equation_content", ""},
	{isSection, "section_title", "section_title"},
	{isPassage, "text", ""},
	{isPassage, "text_content", ""},
	{isPassage, "page_content", ""},
	{isPaper, "title", "title"},
}

const cutMark = " …[cut]"

// readItems reads the rows of a result. Lines that are no JSON object are passed over.
func readItems(text string) []item {
	var items []item
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "{") {
			continue
		}
		var row map[string]any
		if json.Unmarshal([]byte(line), &row) == nil {
			items = append(items, readRow(row)...)
		}
	}
	return items
}

func readRow(row map[string]any) []item {
	for _, c := range columns {
		if _, ok := row[c.text]; !ok {
			continue
		}
		it := item{kind: c.kind, text: cell(row, c.text), label: cell(row, c.label), value: row[c.text]}
		it.paper = cell(row, "paper_id") + cell(row, "pdf_id")
		if n, ok := row["page_number"].(float64); ok {
			it.page = int(n)
		}
		it.box = numbersOf(row["bounding_box"])
		switch c.kind {
		case isPaper:
			it.text = cell(row, "abstract")
		case isSection:
			it.text = cell(row, "section_content")
		}
		return []item{it}
	}
	return nil
}

func cell(row map[string]any, name string) string {
	switch v := row[name].(type) {
	case nil:
		return ""
	case string:
		return strings.ReplaceAll(v, cutMark, "")
	default:
		return fmt.Sprint(v)
	}
}

func numbersOf(v any) []float64 {
	list, _ := v.([]any)
	var out []float64
	for _, x := range list {
		if n, ok := x.(float64); ok {
			out = append(out, n)
		}
	}
	return out
}

// readContext reads rows where there are some, and takes the context for papers or prose otherwise.
func readContext(text string) []item {
	if items := readItems(text); len(items) > 0 {
		return items
	}
	var items []item
	for part := range strings.SplitSeq(text, "\n\n---\n\n") {
		if strings.HasPrefix(strings.TrimSpace(part), "none, because") {
			continue
		}
		if _, title, ok := strings.Cut(part, "[Title]: "); ok {
			title, _, _ = strings.Cut(title, "\n")
			items = append(items, item{kind: isPaper, label: title, text: part})
		}
		items = append(items, item{kind: isPassage, text: strings.ReplaceAll(part, "[Abstract]: ", "")})
	}
	return items
}

// distinct drops what was seen before.
func distinct(items []item) []item {
	var out []item
	seen := make(map[string]bool)
	for _, it := range items {
		key := fmt.Sprint(it.kind, it.paper, it.label, it.text)
		if !seen[key] {
			seen[key] = true
			out = append(out, it)
		}
	}
	return out
}
