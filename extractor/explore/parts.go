package explore

import (
	"airqa/env/paperdb"
	"airqa/extractor/candidate"
)

// partsOf returns the elements of a paper by id.
func partsOf(p paperdb.Paper) map[string]candidate.Part {
	numbers, texts := make(map[string]int), make(map[string]string)
	for _, page := range p.Pages {
		numbers[page.ID], texts[page.ID] = page.Number, page.Content
	}
	parts := make(map[string]candidate.Part)
	for _, s := range p.Sections {
		part := candidate.Part{ID: s.ID, Kind: candidate.Text, Title: s.Title, Text: s.Content}
		if len(s.PageNumbers) > 0 {
			part.Page = s.PageNumbers[0]
		}
		parts[s.ID] = part
	}
	for _, t := range p.Tables {
		parts[t.ID] = candidate.Part{
			ID: t.ID, Kind: candidate.Table, Title: t.Caption, Text: t.Content, Page: numbers[t.PageID], Box: boxOf(t.Box),
		}
	}
	for _, i := range p.Images {
		parts[i.ID] = candidate.Part{
			ID: i.ID, Kind: candidate.Image, Title: i.Caption, Around: texts[i.PageID], Page: numbers[i.PageID], Box: boxOf(i.Box),
		}
	}
	for _, e := range p.Equations {
		parts[e.ID] = candidate.Part{
			ID: e.ID, Kind: candidate.Formula, Text: e.Content, Around: texts[e.PageID], Page: numbers[e.PageID],
		}
	}
	return parts
}

// boxOf returns a box; nil if it has no area.
func boxOf(box [4]int) []int {
	if box[2] <= 0 || box[3] <= 0 {
		return nil
	}
	return box[:]
}
