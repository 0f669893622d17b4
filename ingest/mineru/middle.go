package mineru

import "strings"

// document is the relevant part of middle.json. A block contains blocks or lines, a line contains spans. Exactly one list
// of pages is there: Info up to MinerU 3, Pages since.
type document struct {
	Info  []page  `json:"pdf_info"`
	Pages []page4 `json:"pages"`
	// Whole is in all files of MinerU 4.
	Whole *bool `json:"is_full_document"`
}

type page struct {
	Index  int       `json:"page_idx"` // from 0
	Size   []float64 `json:"page_size"`
	Blocks []block   `json:"para_blocks"`
	// Unmerged replaces Blocks in outputs that end before paragraphs were made.
	Unmerged []block `json:"preproc_blocks"`
}

type block struct {
	Type   string    `json:"type"`
	Box    []float64 `json:"bbox"`
	Blocks []block   `json:"blocks"`
	Lines  []struct {
		Spans []span `json:"spans"`
	} `json:"lines"`
}

type span struct {
	Type    string `json:"type"`
	Content string `json:"content"`
	HTML    string `json:"html"`
}

func (p *Paper) add(pg page) {
	number := pg.Index + 1
	if len(pg.Size) == 2 {
		p.Pages[number] = Page{pg.Size[0], pg.Size[1]}
	}
	blocks := pg.Blocks
	if len(blocks) == 0 {
		blocks = pg.Unmerged
	}
	for _, b := range blocks {
		if b.Type == "interline_equation" {
			p.addEquation(number, b.inner())
			continue
		}
		caption := joined(b.Blocks, captions, func(part block) (kind, text string) { return part.Type, part.inner() })
		p.addFloat(b.Type, names[b.Type], Float{Page: number, Caption: caption, HTML: b.html(), Box: b.area()})
	}
}

// captions are the types of blocks in a table or a figure that belong to its caption.
var captions = []string{"table_caption", "table_footnote", "image_caption", "chart_caption"}

// names are the names of the types in problems.
var names = map[string]string{"table": "table", "image": "figure", "chart": "figure"}

// area returns the union of the bodies' boxes, or the block's own.
func (b block) area() Box {
	var union Box
	for _, part := range b.Blocks {
		if strings.HasSuffix(part.Type, "_body") {
			union = join(union, part.Box)
		}
	}
	if union == (Box{}) {
		return join(union, b.Box)
	}
	return union
}

// join returns the union of two boxes. It ignores a box that has no area or not four numbers.
func join(u Box, box []float64) Box {
	if len(box) != 4 || box[2] <= box[0] || box[3] <= box[1] {
		return u
	}
	b := Box(box)
	if u == (Box{}) {
		return b
	}
	return Box{min(u[0], b[0]), min(u[1], b[1]), max(u[2], b[2]), max(u[3], b[3])}
}

// joined returns the texts of blocks of some types, type by type.
func joined[B any](blocks []B, types []string, read func(B) (kind, text string)) string {
	var texts []string
	for _, want := range types {
		for _, b := range blocks {
			if kind, text := read(b); kind == want && text != "" {
				texts = append(texts, text)
			}
		}
	}
	return strings.Join(texts, " ")
}

// inner returns the text of a block's lines, with formulas between $.
func (b block) inner() string {
	var words []string
	for _, line := range b.Lines {
		for _, s := range line.Spans {
			text := strings.TrimSpace(s.Content)
			if s.Type == "inline_equation" && text != "" {
				text = "$" + text + "$"
			}
			if text != "" {
				words = append(words, text)
			}
		}
	}
	return strings.Join(words, " ")
}

// html returns the first HTML of the bodies' spans.
func (b block) html() string {
	for _, part := range b.Blocks {
		for _, line := range part.Lines {
			for _, s := range line.Spans {
				if html := bareTable(s.HTML); html != "" {
					return html
				}
			}
		}
	}
	return ""
}
