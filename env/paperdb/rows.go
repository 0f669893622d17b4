package paperdb

// Paper has all rows of one paper in the eight tables. Ids follow the UUID rules of package qa. Boxes are [x0, y0,
// width, height] in whole points from the top left of the page as displayed.
type Paper struct {
	Metadata   Metadata
	Pages      []Page
	Images     []Image
	Chunks     []Chunk
	Tables     []Table
	Sections   []Section
	Equations  []Equation
	References []Reference
	File       File
}

// File records the PDF that a paper was read from and the warnings of its ingestion. Ingestion uses it to skip known
// files. It is stored outside the eight tables, so the model's queries cannot see it.
type File struct {
	// SHA256 is the hash of the PDF, MetadataSHA256 the hash of its metadata file (empty without one).
	SHA256, MetadataSHA256 string
	// Name is the base name of the file.
	Name string
	// Parser is the program version that read the file; a different version reads it again.
	Parser string
	// Problems are the warnings of ingestion, one line each.
	Problems []string
	// Illegible says why most letters of the paper are wrong; it is "" for others.
	Illegible string
	// Withdrawn is the mark of a retracted paper, such as "RETRACTED ARTICLE"; it is "" for others.
	Withdrawn string
	// Labels are the numbers of the pages as printed, such as "iv" or "118", by page; "" is none. It is nil if none differs
	// from the page's number in the file.
	Labels []string
}

// rows returns the cells of the rows of each table.
func (p *Paper) rows() map[string][][]any {
	return map[string][][]any{
		"metadata": {p.Metadata.cells()}, "pages": each(p.Pages, (*Page).cells), "images": each(p.Images, (*Image).cells),
		"chunks": each(p.Chunks, (*Chunk).cells), "tables": each(p.Tables, (*Table).cells), "sections": each(p.Sections, (*Section).cells),
		"equations": each(p.Equations, (*Equation).cells), "reference": each(p.References, (*Reference).cells),
	}
}

// The cells of a row are the targets to scan its columns into, in the order of schema.sql but without the paper of a part.

// Metadata is a row of table metadata.
type Metadata struct {
	PaperID, Title, Abstract string
	NumPages                 int
	ConferenceFull           string
	Conference               string // abbreviation, such as "ACL"
	Year                     int    // 0: unknown, stored as NULL
	Volume                   string
	DownloadURL, BibTeX      string
	Authors                  []string
	PDFPath                  string // relative to the data directory
	TLDR                     string
	Tags                     []string
}

func (m *Metadata) cells() []any {
	return []any{
		&m.PaperID, &m.Title, &m.Abstract, &m.NumPages, &m.ConferenceFull, &m.Conference, &m.Year, &m.Volume,
		&m.DownloadURL, &m.BibTeX, (*textsCell)(&m.Authors), &m.PDFPath, &m.TLDR, (*textsCell)(&m.Tags),
	}
}

// Page is a row of table pages. Width and Height are points, truncated.
type Page struct {
	ID            string
	Number        int // from 1
	Width, Height int
	Content       string
	Summary       string
}

func (p *Page) cells() []any {
	return []any{&p.ID, &p.Number, &p.Width, &p.Height, &p.Content, &p.Summary}
}

// Image is a row of table images: a figure with its caption.
type Image struct {
	ID, Caption, Summary string
	Box                  [4]int
	Ordinal              int // from 0
	PageID               string
}

func (x *Image) cells() []any {
	return []any{&x.ID, &x.Caption, &x.Summary, (*boxCell)(&x.Box), &x.Ordinal, &x.PageID}
}

// Chunk is a row of table chunks.
type Chunk struct {
	ID, Text string
	Ordinal  int // from 1
	PageID   string
}

func (c *Chunk) cells() []any {
	return []any{&c.ID, &c.Text, &c.Ordinal, &c.PageID}
}

// Table is a row of table tables. Content is HTML, or empty if only caption and box are known.
type Table struct {
	ID, Caption, Content, Summary string
	Box                           [4]int
	Ordinal                       int // from 0
	PageID                        string
}

func (x *Table) cells() []any {
	return []any{&x.ID, &x.Caption, &x.Content, &x.Summary, (*boxCell)(&x.Box), &x.Ordinal, &x.PageID}
}

// Section is a row of table sections.
type Section struct {
	ID, Title, Content, Summary string
	Ordinal                     int // from 0
	PageNumbers                 []int
}

func (s *Section) cells() []any {
	return []any{&s.ID, &s.Title, &s.Content, &s.Summary, &s.Ordinal, (*numbersCell)(&s.PageNumbers)}
}

// Equation is a row of table equations.
type Equation struct {
	ID, Content string
	Ordinal     int // from 0
	PageID      string
}

func (e *Equation) cells() []any {
	return []any{&e.ID, &e.Content, &e.Ordinal, &e.PageID}
}

// Reference is a row of table reference: one entry of the bibliography.
type Reference struct {
	ID, Content string
	Ordinal     int    // from 0
	PageID      string // empty: unknown, stored as NULL
}

func (r *Reference) cells() []any {
	return []any{&r.ID, &r.Content, &r.Ordinal, &r.PageID}
}
