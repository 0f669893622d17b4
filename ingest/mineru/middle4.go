package mineru

import (
	"encoding/json"
	"strings"
)

// page4 is a page of MinerU 4: the schema docvortex.middle, or its predecessor with schema_version 2.0. Boxes are
// fractions of the page.
type page4 struct {
	Index  int      `json:"page_idx"` // from 0
	Blocks []block4 `json:"blocks"`
}

// block4 is a block or a span. Its content is a text, HTML or LaTeX, or a list of blocks or spans.
type block4 struct {
	Type    string          `json:"type"`
	Box     []float64       `json:"bbox"`
	Content json.RawMessage `json:"content"`
}

// add4 adds a page's tables, figures and equations. Boxes become thousandths of the page, like those of
// content_list.json.
func (p *Paper) add4(pg page4) {
	number := pg.Index + 1
	p.Pages[number] = Page{thousandths, thousandths}
	for _, b := range pg.Blocks {
		if b.Type == "equation" {
			p.addEquation(number, b.text())
			continue
		}
		var scaled []float64
		for _, v := range b.Box {
			scaled = append(scaled, thousandths*v)
		}
		p.addFloat(b.Type, names[b.Type], Float{Page: number, Caption: b.parts(captions...), HTML: b.parts("table_body"), Box: join(Box{}, scaled)})
	}
}

// parts returns the text of the inner blocks of some types.
func (b block4) parts(types ...string) string {
	return joined(b.inner(), types, func(part block4) (kind, text string) { return part.Type, part.text() })
}

func (b block4) inner() (list []block4) {
	if json.Unmarshal(b.Content, &list) != nil {
		return nil // a text
	}
	return list
}

// text returns the text of a block, with formulas between $. Spans are adjacent: a change of font style within a word
// makes two.
func (b block4) text() string {
	var plain string
	if json.Unmarshal(b.Content, &plain) == nil {
		return strings.TrimSpace(plain)
	}
	var whole strings.Builder
	for _, span := range b.inner() {
		switch {
		case json.Unmarshal(span.Content, &plain) != nil:
			whole.WriteString(span.text())
		case span.Type == "equation_inline":
			whole.WriteString("$" + strings.TrimSpace(plain) + "$")
		default:
			whole.WriteString(plain)
		}
	}
	return strings.TrimSpace(whole.String())
}
