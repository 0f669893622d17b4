package paperdb

import "context"

// Element is a part of a paper that a question can be about.
type Element struct {
	PaperID string
	// Kind is "section", "table", "image" or "equation".
	Kind string
	ID   string
}

// Outline is a paper with what questions about its metadata need.
type Outline struct {
	PaperID, Title string
	// Metadata reports whether authors or the number of pages are known.
	Metadata bool
	// Abstract is the length of the abstract in bytes, without the space around it.
	Abstract int
}

// space has all white space of Unicode, as package unicode has it.
const space = "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"

// Outlines returns all papers but the illegible ones, ordered by id.
func (r *Reader) Outlines(ctx context.Context) ([]Outline, error) {
	return list(ctx, r.db, "papers", func(o *Outline) []any { return []any{&o.PaperID, &o.Title, &o.Metadata, &o.Abstract} }, `
		SELECT paper_id::VARCHAR, COALESCE(title, ''), COALESCE(num_pages, 0) > 0 OR COALESCE(len(authors), 0) > 0,
			COALESCE(strlen(trim(abstract, ?)), 0) FROM metadata
			WHERE paper_id NOT IN (SELECT paper_id FROM airqa.files WHERE illegible <> '') ORDER BY paper_id`, space)
}

// Elements lists the elements of all papers, ordered by paper, kind and position: sections with some text, but
// neither the references nor sections that contain another one; tables with cells, figures with a caption, and equations.
func (r *Reader) Elements(ctx context.Context) ([]Element, error) {
	const minSection = 200 // characters
	return list(ctx, r.db, "elements", func(e *Element) []any { return []any{&e.PaperID, &e.Kind, &e.ID} }, `
		SELECT paper, kind, id FROM (
			SELECT ref_paper_id::VARCHAR AS paper, 'section' AS kind, section_id::VARCHAR AS id, ordinal AS n FROM sections s
				WHERE length(section_content) >= ?1 AND NOT regexp_matches(section_title, '(?i)^[\s\dA-Z.]*(references|bibliography|acknowledg)')
				AND NOT EXISTS (SELECT 1 FROM sections c WHERE c.ref_paper_id = s.ref_paper_id AND c.section_id <> s.section_id
					AND length(c.section_content) BETWEEN ?1 AND length(s.section_content) - 1 AND contains(s.section_content, c.section_content))
			UNION ALL
			SELECT ref_paper_id::VARCHAR, 'table', table_id::VARCHAR, ordinal FROM tables WHERE contains(lower(table_content), '<td')
			UNION ALL
			SELECT ref_paper_id::VARCHAR, 'image', image_id::VARCHAR, ordinal FROM images WHERE length(trim(image_caption)) > 0
			UNION ALL
			SELECT ref_paper_id::VARCHAR, 'equation', equation_id::VARCHAR, ordinal FROM equations WHERE length(trim(equation_content)) > 0
		) ORDER BY paper, kind, n, id`, minSection)
}

// Equations returns the equations of a paper in order; none for an unknown paper.
func (r *Reader) Equations(ctx context.Context, paperID string) ([]Equation, error) {
	return rowsOfPaper(ctx, r.db, paperID, "equations", (*Equation).cells)
}
