package task

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Item is one thing that was seen: a passage, a table, a caption, an equation, a section, a paper, or a ready answer.
type Item struct {
	Kind Kind
	// Text is what it says, Label its caption or title.
	Text, Label string
	// Paper is an id, empty when not told; Page counts from 1, 0 when not told.
	Paper string
	Page  int
	// Box is as the database gives it, often empty.
	Box []float64
	// Value is the JSON value of the column that made it an item.
	Value any
}

// Kind is what an item is.
type Kind int

// The kinds. Of a ready item the Value is the answer, or one of several.
const (
	IsPassage Kind = iota
	IsTable
	IsFigure
	IsEquation
	IsSection
	IsPaper
	IsReady
)

// columns tells the kind of a row by a column it has: the first that is there decides.
var columns = []struct {
	kind        Kind
	text, label string
}{
	{IsReady, "answer", ""},
	{IsTable, "table_content", "table_caption"},
	{IsFigure, "image_caption", "image_caption"},
	{IsEquation, "equation_content", ""},
	{IsSection, "section_title", "section_title"},
	{IsPassage, "text", ""},
	{IsPassage, "text_content", ""},
	{IsPassage, "page_content", ""},
	{IsPaper, "title", "title"},
}

const cutMark = " …[cut]"

// readItems reads the rows of a result. Lines that are no JSON object are passed over.
func readItems(text string) []Item {
	var items []Item
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

func readRow(row map[string]any) []Item {
	for _, c := range columns {
		if _, ok := row[c.text]; !ok {
			continue
		}
		it := Item{Kind: c.kind, Text: cell(row, c.text), Label: cell(row, c.label), Value: row[c.text]}
		it.Paper = cell(row, "paper_id") + cell(row, "pdf_id")
		if n, ok := row["page_number"].(float64); ok {
			it.Page = int(n)
		}
		it.Box = numbersOf(row["bounding_box"])
		switch c.kind {
		case IsPaper:
			it.Text = cell(row, "abstract")
		case IsSection:
			it.Text = cell(row, "section_content")
		}
		return []Item{it}
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
func readContext(text string) []Item {
	if items := readItems(text); len(items) > 0 {
		return items
	}
	var items []Item
	for part := range strings.SplitSeq(text, "\n\n---\n\n") {
		if strings.HasPrefix(strings.TrimSpace(part), "none, because") {
			continue
		}
		if _, title, ok := strings.Cut(part, "[Title]: "); ok {
			title, _, _ = strings.Cut(title, "\n")
			items = append(items, Item{Kind: IsPaper, Label: title, Text: part})
		}
		items = append(items, Item{Kind: IsPassage, Text: strings.ReplaceAll(part, "[Abstract]: ", "")})
	}
	return items
}

// distinct drops what was seen before.
func distinct(items []Item) []Item {
	var out []Item
	seen := make(map[string]bool)
	for _, it := range items {
		key := fmt.Sprint(it.Kind, it.Paper, it.Label, it.Text)
		if !seen[key] {
			seen[key] = true
			out = append(out, it)
		}
	}
	return out
}

// Of returns the items of papers; all when none of them is.
func (t *Task) Of(papers []string) []Item {
	var own []Item
	for _, it := range t.Items {
		if slices.Contains(papers, it.Paper) {
			own = append(own, it)
		}
	}
	if len(own) == 0 {
		return t.Items
	}
	return own
}

// Ready returns the values of rows that are the answer themselves, nil without any.
func (t *Task) Ready() []any {
	var values []any
	for _, it := range t.Items {
		if it.Kind == IsReady && it.Value != nil {
			values = append(values, it.Value)
		}
	}
	return values
}
