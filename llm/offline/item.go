package offline

import (
	"maps"
	"slices"
	"strings"

	"airqa/internal/python"
)

// item is a unit of evidence: a row of a result, or a part of the context.
type item struct {
	kind        kind
	text, label string // label is a caption or title
	paper       string // uuid or title; empty when unknown
	page        int64  // from 1; 0 when unknown
	box         python.List
}

// sentences are those of the text, or one for each cell of a table: row label, column heading, content.
func (it item) sentences() (list []string) {
	if it.kind != table {
		return sentences(it.text)
	}
	for _, c := range tableCells(tableRows(it.text)) {
		list = append(list, c.label()+c.text)
	}
	return list
}

type kind int

const (
	passage kind = iota
	table
	figure
	equation
	paper
	result // the text is the answer
)

// columns map a row's columns to its kind; the first match decides.
var columns = []struct {
	kind        kind
	text, label string
}{
	{result, "answer", ""},
	{table, "table_content", "table_caption"},
	{figure, "image_caption", "image_caption"},
	{equation, "equation_content", ""},
	{passage, "text", ""},
	{paper, "abstract", "title"},
}

// readItems reads the JSON objects of a result, one per line.
func readItems(text string) []item {
	var items []item
	for line := range strings.Lines(text) {
		v, _ := python.FromJSON([]byte(strings.TrimSpace(strings.TrimPrefix(line, "[Observation]:"))))
		if row, ok := v.(*python.Dict); ok {
			items = append(items, readRow(row))
		}
	}
	return items
}

func readRow(row *python.Dict) item {
	cell := func(name string) string {
		if v, _ := row.Get(name); v != nil {
			return python.Str(v)
		}
		return ""
	}
	it := item{paper: cell("paper_id") + cell("pdf_id")}
	page, _ := row.Get("page_number")
	it.page, _ = page.(int64)
	box, _ := row.Get("bounding_box")
	it.box, _ = box.(python.List)
	for _, c := range columns {
		if _, ok := row.Get(c.text); ok {
			it.kind, it.text, it.label = c.kind, cell(c.text), cell(c.label)
			break
		}
	}
	return it
}

// readContext reads rows if there are any, otherwise papers or prose.
func readContext(text string) []item {
	if fieldPattern.MatchString(text) {
		return materialItems(materialFields(text))
	}
	items := readItems(text)
	if items != nil || strings.Contains(text, "[Error]") || strings.HasPrefix(strings.TrimSpace(text), "none, because") {
		return items
	}
	for part := range strings.SplitSeq(text, "\n\n---\n\n") {
		if _, title, ok := strings.Cut(part, "[Title]: "); ok {
			title, part, _ = strings.Cut(title, "\n")
			items = append(items, item{kind: paper, label: title, text: part, paper: title})
		}
		items = append(items, item{text: part})
	}
	return items
}

// materialItems returns the parts of a paper in a prompt of question synthesis. Title and abstract hold no answer.
func materialItems(fields map[string]string) (items []item) {
	kinds := map[string]kind{"Table in HTML": table, "Formula": equation, "Caption": figure}
	for _, label := range slices.Sorted(maps.Keys(fields)) {
		if label != "Title" && label != "Abstract" {
			items = append(items, item{kind: kinds[label], text: fields[label]})
		}
	}
	return items
}
