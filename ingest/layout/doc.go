// Package layout turns the glyphs and shapes of a paper's pages into lines in reading order, with words, baselines,
// columns, captions and footnotes, and without running heads and page numbers. Start from [Analyze] and [Document].
//
// It takes plain structs and opens no PDF. It does not interpret lines as headings or references: see
// ingest/structure. All coordinates are points from the top left of the page as displayed, with y growing
// downwards.
package layout

import "airqa/env/pdf"

// Box is an area of a page as displayed.
type Box = pdf.Box

// Glyph is one character. A space and a line break are ' ' and '\n'.
type Glyph = pdf.Glyph

// Shape is a drawn object other than text. The parts of a form replace it if it turns out to be a background.
type Shape = pdf.Shape

// Sheet is the size of a page, and its shapes.
type Sheet struct {
	Width, Height float64
	Shapes        []Shape
	// Turned is the rotation of the text on the page as displayed: 0, 90, 180 or 270. Lines and shapes have coordinates on
	// an upright page of Width by Height; AsShown converts them back.
	Turned int
}

// Input is one page as read from the file. Analyze sets Turned.
type Input struct {
	Sheet
	Glyphs []Glyph
	// Label is the file's own number of the page, "" for none.
	Label string
}

// Word is a run of characters without spaces.
type Word struct {
	Text string
	// Box is the bounding box of the ink.
	Box            Box
	Baseline, Size float64
	Font           string
	Bold, Math     bool
	// Hyphen marks a word whose final hyphen may stem from a line break.
	Hyphen bool

	tied bool    // to the word before it, without a space or a gap
	last level   // of the last character
	end  float64 // the right end of its text without scripts
}

// level is a size of text and its baseline.
type level struct{ y, size float64 }

// Role is the function of a [Line].
type Role int

// The roles of lines.
const (
	Body Role = iota
	// Caption is a line of the caption of a figure or a table.
	Caption
	// Footnote is small text under a rule at the bottom of a column.
	Footnote
	// AuthorNote is a footnote on the authors, such as "Equal contribution" or an address for correspondence.
	AuthorNote
	// Sideways is rotated text; it follows everything else on its page.
	Sideways
)

// Span is the column of a line that crosses columns or is on a page without columns.
const Span = -1

// Line is a row of words in one column.
type Line struct {
	Page int
	// Column is 0 for the left column, 1 for the right one, Span for neither.
	Column int
	Role   Role
	// Caption numbers the captions of a page from 1; 0 for other lines.
	Caption int
	Words   []Word
	// Box is the bounding box of the words, with ascenders and descenders of the largest.
	Box            Box
	Baseline, Size float64
	// Bold reports whether most characters are bold.
	Bold bool
	// Break reports whether the line begins a paragraph.
	Break bool
	// Joins reports whether the line continues an entry of the bibliography. Each entry is printed on one row.
	Joins bool
}

// Page is a page in reading order.
type Page struct {
	Number int
	Sheet
	Lines []Line
	// Aside is a rotated part of an upright page, such as a table, with the coordinates of a turned page. It is nil for
	// most pages. Lines includes its text as Sideways.
	Aside *Page
	// Gutter is the x between two columns, 0 on a page with one.
	Gutter float64
	// Text is the bounding box of the body text: the page without its margins.
	Text Box
	// Label is the number of the page in the file or else as printed, such as "117" or "xii"; "" if there is none.
	Label string
	// Dropped is the text of running heads, page numbers, line numbers and watermarks, which are not in Lines.
	Dropped string
}

// Document is a paper in reading order.
type Document struct {
	Pages []Page
	// BodySize and BodyFont are the size and the font of most characters.
	BodySize float64
	BodyFont string
	// words counts the words that are not split at a line end, for joining hyphens.
	words map[string]int
}
