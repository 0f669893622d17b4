// Package layout turns the glyphs and shapes of a paper's pages into lines in reading order: words, baselines,
// columns, captions, footnotes, and without running heads and page numbers. Start from [Analyze] and [Document].
//
// It takes plain structs and knows no PDF library. What a line means (a heading, a reference) is not its concern: that
// is env/ingest/structure. All coordinates are points from the top left of the page as shown, y growing downwards.
package layout

// ShapeKind tells what a [Shape] is.
type ShapeKind int

// The kinds of shapes.
const (
	Path ShapeKind = iota
	Picture
	Form
)

// Glyph is one character. A space and a line break are ' ' and '\n'.
type Glyph struct {
	Rune rune
	// Box is the ink.
	Box Box
	// X and Baseline are the origin, Size is in points as shown.
	X, Baseline, Size float64
	Font              string
	// Angle is the writing direction, degrees counter-clockwise, 0 for upright.
	Angle int
	// LineEnd marks a hyphen after which the line breaks.
	LineEnd bool
}

// Shape is something drawn that is not text.
type Shape struct {
	Kind ShapeKind
	Box  Box
}

// Input is one page as it was read.
type Input struct {
	Width, Height float64
	Glyphs        []Glyph
	Shapes        []Shape
	// Turned is set by Analyze: see Page.
	Turned int
}

// Word is a run of characters without a space.
type Word struct {
	Text string
	// Box is the ink.
	Box            Box
	Baseline, Size float64
	Font           string
	Bold, Math     bool
	// Hyphen marks a word whose last character is a hyphen that a line's end may have made.
	Hyphen bool
}

// Role tells what a [Line] is for.
type Role int

// The roles of lines.
const (
	Body Role = iota
	// Caption is a line of the caption of a figure or a table.
	Caption
	// Footnote is small print under a rule at the foot of a column.
	Footnote
	// AuthorNote is a footnote on the authors, such as "Equal contribution" or an address for correspondence.
	AuthorNote
	// Sideways is turned text; it stands after everything else on its page.
	Sideways
)

// Span is the column of a line that crosses columns or stands on a page without them.
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
	// Box spans the words, with ascenders and descenders of the largest.
	Box            Box
	Baseline, Size float64
	// Bold holds when most characters are bold.
	Bold bool
	// Break holds when the line begins a paragraph.
	Break bool
	// Joins holds when the line goes on an entry of the bibliography: entries are printed one a row.
	Joins bool
}

// Page is a page in reading order.
type Page struct {
	Number        int
	Width, Height float64
	Lines         []Line
	Shapes        []Shape
	// Turned is the angle at which the text runs on the page as shown, 0, 90 or 270. Lines and shapes are placed as if it ran
	// upright, on a page of Width by Height: AsShown brings them back.
	Turned int
	// Aside is a part of an upright page, such as a table, whose text runs up or down: its lines and shapes as on a turned page.
	// Nil for most pages. Lines has its text too, as Sideways.
	Aside *Page
	// Gutter is the x between two columns, 0 on a page with one.
	Gutter float64
	// Text spans the body text: the page without its margins.
	Text Box
	// Dropped is the text of running heads, page numbers and line numbers, which no line has.
	Dropped string
}

// Document is a paper in reading order.
type Document struct {
	Pages []Page
	// BodySize and BodyFont are those of most characters.
	BodySize float64
	BodyFont string
	// words counts the words that no line's end has cut, for joining hyphens.
	words map[string]int
}
